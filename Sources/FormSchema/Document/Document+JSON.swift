public import JSON

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
