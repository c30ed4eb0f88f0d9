import Configuration
import FormSchema

/// Reads the forms again while the process runs. A form whose file has a mistake stays as it was.
final class FormReloader {
    private let configuration: Configuration
    /// The hosted forms, each with its file.
    private var hosted: [(form: FormSchema, file: String)]

    init(_ configuration: Configuration) {
        self.configuration = configuration
        hosted = configuration.formFiles
    }

    /// The result of a reload.
    struct Outcome {
        let forms: [FormSchema]
        let mistakes: [Mistake]
        let warnings: [Mistake]
        /// Ids of forms that stay as they were because their files have mistakes.
        var retained: [String] = []
    }

    func reload() -> Outcome {
        guard let folder = configuration.formsFolder else {
            return Outcome(forms: hosted.map(\.form), mistakes: [], warnings: [])
        }
        let read = FormFolder(
            folder, context: configuration.formContext,
            hosting: Dictionary(hosted.map { ($0.file, $0.form.form) }) { first, _ in first })
        let broken = Set(read.mistakes.compactMap(\.file))
        let new = Set(read.forms.map(\.form.form))
        let kept = hosted.compactMap { entry -> (form: FormSchema, file: String)? in
            if new.contains(entry.form.form) { return nil }
            // The form may have moved to another file.
            let file = read.files[entry.form.form] ?? entry.file
            // A folder that cannot be read counts as a mistake in every form.
            return broken.contains(file) || broken.contains(folder) ? (entry.form, file) : nil
        }
        hosted = (read.forms + kept).sorted { $0.file < $1.file }
        return Outcome(
            forms: hosted.map(\.form), mistakes: read.mistakes,
            warnings: read.warnings + configuration.warnings(of: read.forms), retained: kept.map(\.form.form).sorted())
    }
}
