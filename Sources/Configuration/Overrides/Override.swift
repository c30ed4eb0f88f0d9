import FormSchema

/// One `--set key.path=value` of the command line. It beats what the file says; the value is read as YAML, so that
/// `--set vault.reuse=false` is a boolean and `--set 'routes[0].methods=[GET, POST]'` a list. Text without quotes is taken whole: YAML
/// would end it at ` #`, and a secret would be a shorter one than was given.
public struct Override: Sendable {
    let path: KeyPath
    let text: String

    /// Nil if `argument` is not a key path, `=`, and a value.
    public init?(_ argument: String) {
        guard let equals = argument.firstIndex(of: "="), let path = KeyPath(String(argument[..<equals])) else {
            return nil
        }
        self.path = path
        text = String(argument[argument.index(after: equals)...])
    }

    /// Keys whose value is a list; one value given to them is a list of one.
    private static let lists: Set<String> = [
        "server.listen", "server.trustedProxies", "credentials", "credentials[].scopes", "credentials[].secrets",
        "credentials[].forms", "credentials[].routes", "credentials[].classifiers", "credentials[].addresses",
        "auth.jwt", "routes", "routes[].methods", "routes[].forwardHeaders",
        "routes[].responseHeaders", "routes[].paths", "routes[].reveal.headers", "routes[].reveal.query",
        "routes[].reveal.require",
        "routes[].redact", "routes[].redact[].classifiers", "retention", "vault.postgres.accept",
    ]

    private func value(_ log: MistakeLog) -> Document.Node {
        let node = read(log).withoutLines
        switch node.content {
        case .list, .null: return node
        case .text(let pointer) where path.pattern == "routes[].reveal.body" && pointer.hasPrefix("/"):
            return Document.Node(.list([node]))
        default: return Self.lists.contains(path.pattern) ? Document.Node(.list([node])) : node
        }
    }

    private func read(_ log: MistakeLog) -> Document.Node {
        let whole = Document.Node(.text(text))
        let found = MistakeLog(file: nil)
        guard let node = YAMLDocument.root(of: text, log: found) else { return whole }
        switch (node.content, text.first { $0 != " " }) {
        case (.null, "#"?): return whole
        case (.text, let first?) where !"\"'&!|>".contains(first): return whole
        default:
            for mistake in found.mistakes { log.mistake(mistake.message, at: path.description, line: nil) }
            return node
        }
    }

    /// `root` with this value in its place. Maps and lists on the path are made where they are missing; a value of another type
    /// on the path is replaced.
    ///
    /// - Parameter log: gets what is wrong with the value.
    func applied(to root: Document.Node, log: MistakeLog) -> Document.Node {
        Self.replacing(in: root, steps: path.steps[...], with: value(log))
    }

    private static func replacing(
        in node: Document.Node, steps: ArraySlice<KeyPath.Step>, with value: Document.Node
    ) -> Document.Node {
        guard let step = steps.first else { return value }
        let rest = steps.dropFirst()
        switch step {
        case .key(let name):
            var entries: [Document.Entry] = []
            if case .map(let existing) = node.content { entries = existing }
            let index = entries.firstIndex { $0.key == name }
            let old = index.map { entries[$0].node } ?? Document.Node(.null)
            let entry = Document.Entry(key: name, node: replacing(in: old, steps: rest, with: value))
            if let index { entries[index] = entry } else { entries.append(entry) }
            return Document.Node(.map(entries), line: node.line)
        case .index(let index):
            var elements: [Document.Node] = []
            if case .list(let existing) = node.content { elements = existing }
            while elements.count <= index { elements.append(Document.Node(.null)) }
            elements[index] = replacing(in: elements[index], steps: rest, with: value)
            return Document.Node(.list(elements), line: node.line)
        }
    }
}

extension Document.Node {
    /// The same tree without lines: lines of a value from the command line mean nothing in the file.
    fileprivate var withoutLines: Document.Node {
        switch content {
        case .list(let elements): Document.Node(.list(elements.map(\.withoutLines)))
        case .map(let entries):
            Document.Node(.map(entries.map { Document.Entry(key: $0.key, node: $0.node.withoutLines) }))
        default: Document.Node(content)
        }
    }
}
