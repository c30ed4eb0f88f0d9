internal import JSON

/// A value of a document with its key path. A value of the wrong type is logged and read as nil, so that reading continues and
/// finds every mistake.
public struct DocumentReader {
    /// What is read.
    public let node: Document.Node
    /// Key path of the value, empty for the root.
    public let path: String
    /// Line to report mistakes at: the key's, or the value's own in a list.
    public let line: Int?
    /// Takes the mistakes.
    public let log: MistakeLog

    /// Reads from the root.
    public init(_ document: Document, log: MistakeLog) {
        self.init(node: document.root, path: "", line: document.root.line, log: log)
    }

    private init(node: Document.Node, path: String, line: Int?, log: MistakeLog) {
        self.node = node
        self.path = path
        self.line = line
        self.log = log
    }

    #if hasFeature(Embedded)
    /// Logs a mistake at this value. The engine's forms come from a server that has loaded them, so it needs no messages, which are
    /// a fifth of its size.
    func mistake(_ message: @autoclosure () -> String) { log.mistake("not valid", at: path, line: nil) }

    /// Warnings are for the form's author alone.
    func warning(_ message: @autoclosure () -> String) {}
    #else
    /// Logs a mistake at this value.
    public func mistake(_ message: String) { log.mistake(message, at: path, line: line) }

    /// Logs a warning at this value.
    public func warning(_ message: String) { log.warning(message, at: path, line: line) }
    #endif

    /// Logs that the value is not of the type `expected`, with a hint about quotes where text is expected.
    func wrongType(_ expected: String, takesText: Bool = false) {
        mistake("expected \(expected), found \(node.kind)\(takesText ? quotingHint : "")")
    }

    private var quotingHint: String {
        switch node.content {
        // Only in YAML does text that begins with # become a comment and leave nothing.
        case .null where node.line != nil && log.file?.hasSuffix(".json") != true:
            "; text that begins with # must be in quotes"
        case .bool, .number: "; put it in quotes"
        default: ""
        }
    }

    /// Whether a key stands without a value.
    public var isNull: Bool { if case .null = node.content { true } else { false } }

    /// The value as text.
    public func text() -> String? {
        if case .text(let text) = node.content { return text }
        wrongType("text", takesText: true)
        return nil
    }

    /// The value as true or false.
    public func bool() -> Bool? {
        if case .bool(let value) = node.content { return value }
        wrongType("true or false")
        return nil
    }

    /// The value as a whole number within `range`.
    public func int(in range: ClosedRange<Int>) -> Int? {
        guard case .number(let text) = node.content, let value = text.wholeNumber else {
            wrongType("a whole number")
            return nil
        }
        guard range.contains(value) else {
            mistake(
                range.upperBound == .max
                    ? "must be at least \(range.lowerBound)"
                    : "must be from \(range.lowerBound) to \(range.upperBound)")
            return nil
        }
        return value
    }

    /// The elements of a list, each with its index in the path.
    public func list() -> [DocumentReader]? {
        guard case .list(let nodes) = node.content else {
            wrongType("a list")
            return nil
        }
        return nodes.enumerated().map { index, node in
            DocumentReader(node: node, path: "\(path)[\(index)]", line: node.line ?? line, log: log)
        }
    }

    /// The value as one of the cases of an enumeration, by raw value.
    public func choice<Choice: RawRepresentable<String> & CaseIterable>(_: Choice.Type) -> Choice? {
        let index = index(among: Choice.allCases.map { $0.rawValue })
        return index.map { Choice.allCases[Choice.allCases.index(Choice.allCases.startIndex, offsetBy: $0)] }
    }

    /// The value as one of `names`.
    public func choice(of names: [String]) -> String? { index(among: names).map { names[$0] } }

    /// The value as the index of one of `names`.
    func index(among names: [String]) -> Int? {
        guard let text = text() else { return nil }
        if let index = names.firstIndex(where: { $0.hasSameBytes(as: text) }) { return index }
        mistake("unknown value \(quoted(text)) (\(oneOf(names, closestTo: text)))")
        return nil
    }

    /// The entry of a map, if present. Logs nothing: for values that are needed before the map is read.
    public func entry(_ key: String) -> DocumentReader? {
        guard case .map(let entries) = node.content else { return nil }
        return entries.first { $0.key.hasSameBytes(as: key) }.map(reader)
    }

    /// The text of an entry of a map, if present. Logs nothing.
    func peek(_ key: String) -> String? {
        if case .text(let text) = entry(key)?.node.content { text } else { nil }
    }

    private func reader(of entry: Document.Entry) -> DocumentReader {
        DocumentReader(
            node: entry.node, path: path.isEmpty ? entry.key : "\(path).\(entry.key)",
            line: entry.line ?? entry.node.line, log: log)
    }

    /// The value as a map that may hold `keys` and no others.
    ///
    /// - Parameter showsOthers: whether a mistake names a key that is not one of them. No where a secret is expected: `{abc}` is a map
    ///   with the key `abc`. What is no name is never shown: `{secret:abc}` is a map with the key `secret:abc`.
    public func map(keys: [String], showsOthers: Bool = true) -> MapReader? {
        guard case .map(let entries) = node.content else {
            wrongType("a map")
            return nil
        }
        var known: [(key: String, reader: DocumentReader)] = []
        for entry in entries {
            let reader = reader(of: entry)
            if !keys.contains(where: { $0.hasSameBytes(as: entry.key) }) {
                let isShown = showsOthers && Self.mayBeName(entry.key)
                (isShown ? reader : self).mistake("unknown key (\(oneOf(keys, closestTo: entry.key)))")
            } else if let index = known.firstIndex(where: { $0.key.hasSameBytes(as: entry.key) }) {
                reader.mistake("given twice")
                known[index].reader = reader
            } else {
                known.append((entry.key, reader))
            }
        }
        return MapReader(whole: self, entries: known)
    }

    /// Whether a key that is not known may be a misspelled name, and no secret that lost its place.
    private static func mayBeName(_ key: String) -> Bool {
        (1...40).contains(key.utf8.count)
            && key.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
                    true
                default: false
                }
            }
    }
}

/// The entries of a map whose keys have been checked.
public struct MapReader {
    /// The map itself, for mistakes that concern all of it.
    public let whole: DocumentReader
    private let entries: [(key: String, reader: DocumentReader)]

    fileprivate init(whole: DocumentReader, entries: [(key: String, reader: DocumentReader)]) {
        self.whole = whole
        self.entries = entries
    }

    /// The value of `key`; nil if it was not given.
    public subscript(_ key: String) -> DocumentReader? { entries.first { $0.key.hasSameBytes(as: key) }?.reader }

    /// The value of a key that must be given; its absence is logged.
    public func required(_ key: String) -> DocumentReader? {
        if let reader = self[key] { return reader }
        whole.log.mistake(
            "missing", at: whole.path.isEmpty ? key : "\(whole.path).\(key)", line: whole.line)
        return nil
    }
}
