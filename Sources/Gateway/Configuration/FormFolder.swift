import FormSchema

/// Reads all form files of a folder. One broken form does not hide the mistakes of another.
struct FormFolder {
    /// The forms in order of their files' names.
    private(set) var forms: [(form: FormSchema, file: String)] = []
    private(set) var mistakes: [Mistake] = []
    private(set) var warnings: [Mistake] = []
    /// Which file defines the form of an id, whatever else is wrong with it.
    private(set) var files: [String: String] = [:]

    /// - Parameter hosting: files whose forms are hosted: what they define, others cannot take from them.
    init(_ folder: String, context: FormContext, hosting: Set<String> = []) {
        guard let names = FilePath.entries(of: folder) else {
            mistakes.append(Mistake(file: folder, line: nil, path: "", message: "the folder cannot be read"))
            return
        }
        let loadContext = context.loadContext
        let visible = names.filter { !$0.hasPrefix(".") }
        let isHosting = { hosting.contains(FilePath.join(folder, $0)) }
        for name in visible.filter(isHosting) + visible.filter({ !isHosting($0) }) {
            let path = FilePath.join(folder, name)
            if Self.isFormFile(name) {
                read(path, context: loadContext)
            } else if Self.isFormFile(name.lowercased()) {
                warn("not read: the names of form files end in .yaml, .yml or .json", of: path)
            }
        }
        forms.sort { $0.file < $1.file }
        if !visible.contains(where: Self.isFormFile) { warn("there is no form file in this folder", of: folder) }
    }

    private static func isFormFile(_ name: String) -> Bool {
        name.hasSuffix(".yaml") || name.hasSuffix(".yml") || name.hasSuffix(".json")
    }

    private mutating func warn(_ message: String, of file: String) {
        warnings.append(Mistake(file: file, line: nil, path: "", message: message))
    }

    private mutating func read(_ path: String, context: LoadContext) {
        let log = MistakeLog(file: path)
        let document = DocumentFile.read(path, log: log)
        let form = document.flatMap { FormSchema.load($0, in: context, log: log) }
        if let document { noteID(of: DocumentReader(document, log: log)) }
        mistakes += log.mistakes
        warnings += log.warnings
        if let form, log.mistakes.isEmpty { forms.append((form, path)) }
    }

    /// A form is defined once, even if something else is wrong with it.
    private mutating func noteID(of root: DocumentReader) {
        guard let reader = root.entry("form"), case .text(let id) = reader.node.content else { return }
        if let other = files[id] {
            reader.mistake("\(id) is defined in \(other) already")
        } else {
            files[id] = reader.log.file
        }
    }
}
