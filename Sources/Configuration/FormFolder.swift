public import FormSchema

/// Reads all form files of a folder. One broken form does not hide the mistakes of another.
public struct FormFolder {
    /// The forms in order of their files' names.
    public private(set) var forms: [(form: FormSchema, file: String)] = []
    /// What is wrong in them.
    public private(set) var mistakes: [Mistake] = []
    /// What is probably not meant.
    public private(set) var warnings: [Mistake] = []
    /// Hashes of the files' contents, by path.
    private(set) var hashes: [String: Int] = [:]
    /// Which file defines the form of an id, even if something else is wrong with it.
    public private(set) var files: [String: String] = [:]

    /// - Parameters:
    ///   - folder: path of the folder.
    ///   - context: what the forms may refer to.
    ///   - hosting: the ids of the forms that are served now, by their files. If two files define the same form, the one that
    ///     is served keeps it.
    public init(_ folder: String, context: FormContext, hosting: [String: String] = [:]) {
        guard let names = FilePath.entries(of: folder) else {
            mistakes.append(Mistake(file: folder, line: nil, path: "", message: "the folder cannot be read"))
            return
        }
        var files: [FormFile] = []
        let visible = names.filter { !$0.hasPrefix(".") }
        for name in visible {
            let path = FilePath.join(folder, name)
            if Self.isFormFile(name) {
                files.append(FormFile(path))
            } else if Self.isFormFile(name.lowercased()) {
                warn("not read: the names of form files end in .yaml, .yml or .json", of: path)
            }
        }
        settle(files, hosting)
        let loadContext = context.loadContext
        for file in files {
            if context.demandsAccess { file.requireAccess() }
            file.requireSlots()
            read(file, context: loadContext, compressedRoutes: context.compressedRoutes)
        }
        forms.sort { $0.file < $1.file }
        if files.isEmpty { warn("there is no form file in this folder", of: folder) }
    }

    /// Decides which file defines each id: the one that is served with it, else one that is served at all, else the first.
    private mutating func settle(_ files: [FormFile], _ hosting: [String: String]) {
        let rank = { (file: FormFile) in hosting[file.path].map { $0 == file.id ? 0 : 1 } ?? 2 }
        for (id, claimants) in Dictionary(grouping: files.filter { $0.id != nil }, by: { $0.id ?? "" }) {
            self.files[id] = claimants.min { (rank($0), $0.path) < (rank($1), $1.path) }?.path
        }
    }

    private static func isFormFile(_ name: String) -> Bool {
        name.hasSuffix(".yaml") || name.hasSuffix(".yml") || name.hasSuffix(".json")
    }

    private mutating func warn(_ message: String, of file: String) {
        warnings.append(Mistake(file: file, line: nil, path: "", message: message))
    }

    private mutating func read(_ file: FormFile, context: LoadContext, compressedRoutes: Set<String>) {
        let log = file.log
        let form = file.document.flatMap { FormSchema.load($0, in: context, log: log) }
        if let form, form.guard.pan.needsText, let route = form.route, compressedRoutes.contains(route) {
            file.refuseGuard(of: route)
        }
        // A second definition is a mistake even if something else is wrong with it.
        if let id = file.id, let owner = files[id], owner != file.path {
            file.reader?.mistake("\(id) is defined in \(owner) already")
        }
        mistakes += log.mistakes
        warnings += log.warnings
        if let form, log.mistakes.isEmpty { forms.append((form, file.path)) }
        hashes[file.path] = FileContents.hash(of: file.path)
    }
}

/// A file of the folder, read as far as the id of its form.
private struct FormFile {
    let path: String
    let log: MistakeLog
    let document: Document?
    /// Where the id stands.
    let reader: DocumentReader?
    let id: String?

    /// In the environment live the defaults, which let anyone call most of a form, do not apply by themselves: a file that lost its
    /// end would open what it had closed.
    func requireAccess() {
        guard let document, case .map(let entries) = document.root.content else { return }
        guard let access = entries.first(where: { $0.key == "access" }) else {
            return log.mistake(
                "missing: in the environment live a form says who may call validate, aliases, tokens and send",
                at: "access", line: nil)
        }
        guard case .map(let members) = access.node.content else { return }
        let hasRoute = entries.contains { $0.key == "route" }
        // `aliases` asks for a credential anyway.
        let unnamed = (["validate", "tokens"] + (hasRoute ? ["send"] : [])).filter { operation in
            !members.contains { $0.key == operation }
        }
        if unnamed.isEmpty { return }
        log.warning(
            "\(unnamed.joined(separator: ", ")) not named: in the environment live that means credential",
            at: "access", line: access.node.line)
    }

    /// Where the route has no guard, the form's is that of responses. Compressed ones can't be searched: all of them would be withheld
    /// after the request was carried out.
    func refuseGuard(of route: String) {
        guard let document else { return }
        DocumentReader(document, log: log).entry("guard")?.entry("pan")?.mistake(
            "the headers of the route \(route) ask for compressed responses (Accept-Encoding), which cannot be searched: leave that out, or "
                + "give the route a guard that reports")
    }

    /// A mask without a slot drops all input, whatever is submitted.
    func requireSlots() {
        guard let document, let fields = DocumentReader(document, log: log).entry("fields"),
            case .list = fields.node.content
        else { return }
        for mask in (fields.list() ?? []).compactMap({ $0.entry("mask") }) where !Self.hasSlot(mask.node) {
            mask.mistake("has no slot, so that all input would be dropped")
        }
    }

    /// Whether a mask has a slot, or is not a mask at all, which the form's loader reports.
    private static func hasSlot(_ mask: Document.Node) -> Bool {
        switch mask.content {
        case .text(let shorthand): shorthand.isEmpty || shorthand.contains { "#cC".contains($0) }
        case .list(let entries):
            entries.isEmpty || entries.contains { entry in if case .map = entry.content { true } else { false } }
        default: true
        }
    }

    init(_ path: String) {
        self.path = path
        log = MistakeLog(file: path)
        document = DocumentFile.read(path, log: log)
        reader = document.flatMap { [log] in DocumentReader($0, log: log).entry("form") }
        id = if case .text(let id)? = reader?.node.content { id } else { nil }
    }
}
