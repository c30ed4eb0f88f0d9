import FormSchema
import JSON

/// Reads a configuration file by its suffix: `.json` strictly as JSON, anything else as YAML.
enum DocumentFile {
    /// Some editors put it before UTF-8 text (Unicode 23.8); it is no part of the document.
    private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

    /// The document; nil if it cannot be read, for the reason that is then in `log`.
    static func read(_ path: String, log: MistakeLog) -> Document? {
        do {
            var bytes = try FileContents.bytes(of: path)
            if bytes.starts(with: byteOrderMark) { bytes.removeFirst(byteOrderMark.count) }
            if path.hasSuffix(".json") { return try json(bytes, path, log: log) }
            guard let text = String(validating: bytes, as: UTF8.self) else { throw FileError.notUTF8 }
            return YAMLDocument.root(of: text, log: log).map { Document(file: path, root: $0) }
        } catch let error as JSONError {
            log.mistake("column \(error.column): \(error.reason.rawValue)", at: "", line: error.line)
        } catch {
            log.mistake("\(error)", at: "", line: nil)
        }
        return nil
    }

    private static func json(_ bytes: [UInt8], _ path: String, log: MistakeLog) throws(JSONError) -> Document? {
        do {
            return Document(file: path, json: try JSONText(parsing: bytes))
        } catch {
            // JSON is YAML (YAML 1.2.2 section 1.2): read as such, a file with a repeated name shows all its mistakes.
            guard error.reason == .duplicateKey, let text = String(validating: bytes, as: UTF8.self),
                let root = YAMLDocument.root(of: text, log: MistakeLog(file: nil))
            else { throw error }
            let before = log.mistakes.count
            let repaired = root.withoutRepeatedKeys(at: "", log: log)
            guard log.mistakes.count > before else { throw error }
            return Document(file: path, root: repaired)
        }
    }
}

extension Document.Node {
    /// The tree without repeated keys: each second one is a mistake, which goes to `log`.
    fileprivate func withoutRepeatedKeys(at path: String, log: MistakeLog) -> Document.Node {
        switch content {
        case .list(let elements):
            return Document.Node(
                .list(
                    elements.enumerated().map { index, element in
                        element.withoutRepeatedKeys(at: "\(path)[\(index)]", log: log)
                    }), line: line)
        case .map(let entries):
            var keys: Set<[UInt8]> = []
            var kept: [Document.Entry] = []
            for entry in entries {
                let path = path.isEmpty ? entry.key : "\(path).\(entry.key)"
                guard keys.insert(Array(entry.key.utf8)).inserted else {
                    log.mistake("given twice", at: path, line: entry.line)
                    continue
                }
                let node = entry.node.withoutRepeatedKeys(at: path, log: log)
                kept.append(Document.Entry(key: entry.key, line: entry.line, node: node))
            }
            return Document.Node(.map(kept), line: line)
        default: return self
        }
    }
}
