import FormSchema
import JSON

/// Reads a configuration file by its suffix: `.json` strictly as JSON, anything else as YAML.
enum DocumentFile {
    /// What some editors put before UTF-8 text (Unicode 23.8); it is no part of the document.
    private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

    /// The document; nil if it cannot be read, for the reason that is then in `log`.
    static func read(_ path: String, log: MistakeLog) -> Document? {
        do {
            var bytes = try FileContents.bytes(of: path)
            if bytes.starts(with: byteOrderMark) { bytes.removeFirst(byteOrderMark.count) }
            if path.hasSuffix(".json") { return Document(file: path, json: try JSONValue.parse(bytes)) }
            guard let text = String(validating: bytes, as: UTF8.self) else { throw FileError.notUTF8 }
            return YAMLDocument.root(of: text, log: log).map { Document(file: path, root: $0) }
        } catch let error as JSONError {
            log.mistake("column \(error.column): \(error.reason.rawValue)", at: "", line: error.line)
        } catch {
            log.mistake("\(error)", at: "", line: nil)
        }
        return nil
    }
}
