public import JSON

/// A configuration file as a tree, read from YAML or JSON, with the lines at which mistakes are reported.
///
/// Scalars have the types of YAML 1.2's core schema: `true` is a boolean and `16` a number unless they are quoted.
public struct Document: Sendable {
    /// The file's name as messages show it; nil for a schema that came in a submission.
    public let file: String?
    /// The whole of it.
    public let root: Node

    /// A document that was parsed from a file, or made.
    public init(file: String?, root: Node) {
        self.file = file
        self.root = root
    }

    /// A tree without line numbers.
    public init(file: String?, json: JSONValue) {
        self.init(file: file, root: Node(json: json))
    }

    /// One value of the tree.
    public struct Node: Sendable {
        /// What a value is.
        public enum Content: Sendable {
            case null
            case bool(Bool)
            /// A number as it was written.
            case number(String)
            case text(String)
            case list([Node])
            case map([Entry])
        }

        /// What it is.
        public let content: Content
        /// Line of the value's first character, from 1; nil where the parser has none.
        public let line: Int?

        /// A value, with its line in the file.
        public init(_ content: Content, line: Int? = nil) {
            self.content = content
            self.line = line
        }
    }

    /// A key with its value.
    public struct Entry: Sendable {
        /// As it is written, without quotes.
        public let key: String
        /// Line of the key.
        public let line: Int?
        /// The key's value.
        public let node: Node

        /// A key with its value.
        public init(key: String, line: Int? = nil, node: Node) {
            self.key = key
            self.line = line
            self.node = node
        }
    }
}

extension Document.Node {
    init(json: JSONValue) {
        let content: Content =
            switch json {
            case .null: .null
            case .bool(let value): .bool(value)
            case .number(let number): .number(number.text)
            case .string(let text): .text(text)
            case .array(let elements): .list(elements.map(Document.Node.init(json:)))
            case .object(let object):
                .map(object.members.map { Document.Entry(key: $0.key, node: Document.Node(json: $0.value)) })
            }
        self.init(content)
    }

    /// What kind of value this is, for messages.
    var kind: String {
        switch content {
        case .null: "nothing"
        case .bool: "true or false"
        case .number: "a number"
        case .text: "text"
        case .list: "a list"
        case .map: "a map"
        }
    }
}

extension Document {
    /// The tree of a JSON file, with lines.
    public init(file: String?, json text: JSONText) {
        var lines = JSONLines(of: text)
        self.init(file: file, root: Node(text, at: text.root, &lines))
    }
}

extension Document.Node {
    fileprivate init(_ text: JSONText, at place: JSONText.Place, _ lines: inout JSONLines) {
        let line = lines.line(of: place)
        switch text.kind(at: place) {
        case .array:
            var elements: [Document.Node] = []
            for element in text.elements(of: place) { elements.append(Document.Node(text, at: element, &lines)) }
            self.init(.list(elements), line: line)
        case .object:
            var entries: [Document.Entry] = []
            for member in text.members(of: place) {
                let (key, line) = (text.string(at: member.key) ?? "", lines.line(of: member.key))
                entries.append(
                    Document.Entry(key: key, line: line, node: Document.Node(text, at: member.value, &lines)))
            }
            self.init(.map(entries), line: line)
        default: self.init(Document.Node(json: text.value(at: place)).content, line: line)
        }
    }
}
