import CYaml

/// Finds keys that are large collections, before a tree is built of a text. The parser that builds it hashes every key with all
/// that its aliases unfold to: eleven lines that each name the one before ten times would take years.
struct YAMLKeys {
    /// Values that a key may unfold to. Any key but text is a mistake; one of this size is found without hashing it.
    private static let limit = 1_000

    /// Line of the first key that is too large; nil if there is none, or the text is not YAML.
    static func oversized(in text: String) -> Int? {
        var keys = YAMLKeys()
        var text = text
        return text.withUTF8 { keys.read($0) }
    }

    /// A collection that has begun, and the values in it so far, aliases unfolded.
    private struct Open {
        let isMap: Bool
        let anchor: String?
        let line: Int
        var size = 1
        /// Whether the next value of a map is a key.
        var isAtKey = true
    }

    private var open: [Open] = []
    private var sizes: [String: Int] = [:]

    private mutating func read(_ text: UnsafeBufferPointer<UInt8>) -> Int? {
        var parser = yaml_parser_t()
        guard yaml_parser_initialize(&parser) == 1 else { return nil }
        defer { yaml_parser_delete(&parser) }
        // Sound: the parser reads `text` only until it is deleted, at the end of this function.
        yaml_parser_set_encoding(&parser, YAML_UTF8_ENCODING)
        yaml_parser_set_input_string(&parser, text.baseAddress, text.count)
        while true {
            var event = yaml_event_t()
            guard yaml_parser_parse(&parser, &event) == 1 else { return nil }
            defer { yaml_event_delete(&event) }
            if event.type == YAML_STREAM_END_EVENT { return nil }
            if let line = take(event) { return line }
        }
    }

    /// The line of a key that is too large, if one ends here.
    private mutating func take(_ event: yaml_event_t) -> Int? {
        let line = Int(event.start_mark.line) + 1
        switch event.type {
        case YAML_SCALAR_EVENT:
            return add(1, Self.name(event.data.scalar.anchor), line)
        case YAML_ALIAS_EVENT:
            return add(Self.name(event.data.alias.anchor).flatMap { sizes[$0] } ?? 1, nil, line)
        case YAML_SEQUENCE_START_EVENT:
            open.append(Open(isMap: false, anchor: Self.name(event.data.sequence_start.anchor), line: line))
        case YAML_MAPPING_START_EVENT:
            open.append(Open(isMap: true, anchor: Self.name(event.data.mapping_start.anchor), line: line))
        case YAML_SEQUENCE_END_EVENT, YAML_MAPPING_END_EVENT:
            if let closed = open.popLast() { return add(closed.size, closed.anchor, closed.line) }
        default: break
        }
        return nil
    }

    /// Adds a value to the collection that it is in.
    private mutating func add(_ size: Int, _ anchor: String?, _ line: Int) -> Int? {
        if let anchor { sizes[anchor] = size }
        guard let last = open.indices.last else { return nil }
        let (sum, overflow) = open[last].size.addingReportingOverflow(size)
        open[last].size = overflow ? .max : sum
        guard open[last].isMap else { return nil }
        defer { open[last].isAtKey.toggle() }
        return open[last].isAtKey && size > Self.limit ? line : nil
    }

    private static func name(_ text: UnsafeMutablePointer<yaml_char_t>?) -> String? {
        // Sound: the event owns the NUL-terminated text until it is deleted.
        text.map { String(cString: $0) }
    }
}
