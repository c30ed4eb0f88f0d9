import FormSchema
import JSON

/// Reads a configuration file by its suffix: `.json` strictly as JSON, anything else as YAML.
enum DocumentFile {
    /// The document; nil if it cannot be read, for the reason that is then in `log`.
    static func read(_ path: String, log: MistakeLog) -> Document? {
        do {
            if path.hasSuffix(".json") {
                let bytes = try FileContents.bytes(of: path)
                return Document(file: path, json: try JSONValue.parse(bytes))
            }
            let text = try FileContents.text(of: path)
            return YAMLDocument.root(of: text, log: log).map { Document(file: path, root: $0) }
        } catch let error as JSONError {
            log.mistake("column \(error.column): \(error.reason.rawValue)", at: "", line: error.line)
        } catch {
            log.mistake("\(error)", at: "", line: nil)
        }
        return nil
    }
}
