import FormSchema

/// Reads all form files of a folder. One broken form does not hide the mistakes of another.
struct FormFolder {
    /// The forms in order of their files' names.
    private(set) var forms: [(form: FormSchema, file: String)] = []
    private(set) var mistakes: [Mistake] = []
    private(set) var warnings: [Mistake] = []
    private var files: [String: String] = [:]

    init(_ folder: String, context: FormContext) {
        guard let names = FilePath.entries(of: folder) else {
            mistakes.append(Mistake(file: folder, line: nil, path: "", message: "the folder cannot be read"))
            return
        }
        let loadContext = context.loadContext
        for name in names where Self.isFormFile(name) {
            read(FilePath.join(folder, name), context: loadContext)
        }
    }

    private static func isFormFile(_ name: String) -> Bool {
        !name.hasPrefix(".") && (name.hasSuffix(".yaml") || name.hasSuffix(".yml") || name.hasSuffix(".json"))
    }

    private mutating func read(_ path: String, context: LoadContext) {
        let log = MistakeLog(file: path)
        let form = DocumentFile.read(path, log: log).flatMap { FormSchema.load($0, in: context, log: log) }
        mistakes += log.mistakes
        warnings += log.warnings
        guard let form else { return }
        if let other = files.updateValue(path, forKey: form.form) {
            mistakes.append(
                Mistake(file: path, line: nil, path: "form", message: "\(form.form) is defined in \(other) already"))
        } else {
            forms.append((form, path))
        }
    }
}
