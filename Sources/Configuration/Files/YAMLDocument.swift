import FormSchema
import Yams

/// Reads one YAML document into a `Document`, with lines. Aliases are followed, but only as far as the whole tree stays
/// small: a file of a few lines cannot unfold into millions of nodes.
struct YAMLDocument {
    /// Nodes that one file may come to, aliases unfolded.
    private static let nodeLimit = 100_000
    /// Maps and lists that may be open at once.
    private static let depthLimit = 64

    private let log: MistakeLog
    private let keys: RepeatedKeys
    private var nodes = 0

    private init(keys: RepeatedKeys, log: MistakeLog) {
        self.keys = keys
        self.log = log
    }

    /// The root of the document; nil if there is a mistake in its syntax, which is then in `log`. An empty file is a null.
    static func root(of text: String, log: MistakeLog) -> Document.Node? {
        if let line = YAMLKeys.oversized(in: text) {
            log.mistake("a key must be text", at: "", line: line)
            return nil
        }
        do {
            let keys = try RepeatedKeys.compose(text)
            guard let node = keys.root else { return Document.Node(.null, line: 1) }
            var reader = YAMLDocument(keys: keys, log: log)
            return reader.convert(node, path: "", depth: 0)
        } catch let error as YamlError {
            let mistake = describe(error, in: text)
            log.mistake(mistake.message, at: "", line: mistake.line)
        } catch {
            log.mistake("not YAML", at: "", line: nil)
        }
        return nil
    }

    private mutating func convert(_ node: Yams.Node, path: String, depth: Int) -> Document.Node? {
        let line = node.mark?.line
        nodes += 1
        guard nodes <= Self.nodeLimit else {
            if nodes == Self.nodeLimit + 1 { log.mistake("more than \(Self.nodeLimit) values", at: path, line: line) }
            return nil
        }
        guard depth <= Self.depthLimit else {
            log.mistake("nested deeper than \(Self.depthLimit)", at: "", line: line)
            return nil
        }
        switch node {
        case .scalar(let scalar): return Document.Node(content(of: scalar, path: path), line: line)
        case .sequence(let sequence):
            var elements: [Document.Node] = []
            for (index, element) in sequence.enumerated() {
                guard let element = convert(element, path: "\(path)[\(index)]", depth: depth + 1) else { return nil }
                elements.append(element)
            }
            return Document.Node(.list(elements), line: line)
        case .mapping(let mapping): return convert(mapping, path: path, line: line, depth: depth)
        case .alias:
            log.mistake("an alias cannot stand here", at: path, line: line)
            return nil
        }
    }

    private mutating func convert(
        _ mapping: Yams.Node.Mapping, path: String, line: Int?, depth: Int
    ) -> Document.Node? {
        var entries: [Document.Entry] = []
        for (key, value) in mapping {
            guard case .scalar(let name) = key else {
                log.mistake("a key must be text", at: path, line: key.mark?.line)
                return nil
            }
            let text = keys.key(name)
            let path = path.isEmpty ? text : "\(path).\(text)"
            if text == "<<", name.style == .plain {
                log.mistake("merge keys are not supported", at: path, line: key.mark?.line)
                continue
            }
            guard let node = convert(value, path: path, depth: depth + 1) else { return nil }
            entries.append(Document.Entry(key: text, line: key.mark?.line, node: node))
        }
        return Document.Node(.map(entries), line: line)
    }

    private func content(of scalar: Yams.Node.Scalar, path: String) -> Document.Node.Content {
        let tag = scalar.tag.rawValue
        if tag == Tag.Name.str.rawValue || tag == Tag.Name.nonSpecific.rawValue { return .text(scalar.string) }
        if !tag.isEmpty { log.mistake("tags are not supported here", at: path, line: scalar.mark?.line) }
        return scalar.style == .plain ? YAMLScalar.content(ofPlain: scalar.string) : .text(scalar.string)
    }

    /// Advice for text such as `(###) ###-####` without quotes: its second part is a comment, and what is missed stands behind it.
    /// - Parameter line: where the parser stopped: the line of the text, or the one after it.
    private static func quotingHint(_ text: String, near line: Int) -> String {
        let lines = text.split(separator: "\n", maxSplits: line, omittingEmptySubsequences: false).prefix(line)
        return lines.suffix(2).contains { $0.contains(" ##") && !$0.hasPrefix("#") }
            ? "; text with # in it must be in quotes" : ""
    }

    /// What the parser says, without the excerpt of the file that it adds: a configuration may hold secrets.
    private static func describe(_ error: YamlError, in text: String) -> (message: String, line: Int?) {
        switch error {
        case .scanner(let context, let problem, let mark, _), .parser(let context, let problem, let mark, _),
            .composer(let context, let problem, let mark, _):
            let place = context.map { " (\($0.text))" } ?? ""
            return ("not YAML: \(problem)\(place)\(quotingHint(text, near: mark.line))", mark.line)
        case .duplicatedKeysInMapping(let keys, let context):
            return ("given twice: \(keys.joined(separator: ", "))", context.mark.line)
        case .reader(let problem, let offset, _, _):
            let line = offset.map { offset in text.utf8.prefix(offset).count { $0 == UInt8(ascii: "\n") } + 1 }
            return ("not YAML: \(problem)", line)
        default:
            return ("not YAML", nil)
        }
    }
}
