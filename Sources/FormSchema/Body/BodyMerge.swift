internal import JSON

/// Writes the JSON body that a form is sent as: its texts merged into `extraData` (`fields.md` section 11). Nothing is
/// merged in memory; both are walked side by side and written as they go.
struct BodyMerge {
    /// What is written for a leaf.
    enum Leaf {
        case text(String)
        /// A JSON value.
        case json([UInt8])
    }

    let policy: MappingPolicy
    /// By their numbers.
    let leaves: [Leaf]

    /// Writes `target` with `source` merged into it: its own members first, then new ones in form order.
    func write(
        _ source: [BodyNode.Member], into target: JSONObject, to writer: inout JSONWriter
    ) {
        if target.members.isEmpty { return write(.object(source), to: &writer) }
        writer.beginObject()
        let members = target.members.span
        for position in members.indices {
            writer.key(members[position].key)
            if let index = Self.index(of: members[position].key, in: source) {
                write(source[index].node, into: members[position].value, to: &writer)
            } else {
                writer.value(members[position].value)
            }
        }
        for index in source.indices where target.index(of: source[index].key) == nil {
            writer.key(source[index].key)
            write(source[index].node, to: &writer)
        }
        writer.endObject()
    }

    private static func index(of key: String, in members: [BodyNode.Member]) -> Int? {
        let members = members.span
        for index in members.indices where members[index].key.hasSameBytes(as: key) { return index }
        return nil
    }

    private func write(_ source: BodyNode, into target: JSONValue, to writer: inout JSONWriter) {
        switch (source, target) {
        case (.object(let source), .object(let target)) where policy != .flatJSON:
            write(source, into: target, to: &writer)
        case (.array(let source), .array(let target)) where policy == .nestedJSONWithArrayMerge:
            write(source, into: target, to: &writer)
        default: write(source, to: &writer)
        }
    }

    /// Objects meet objects where they stand and replace what else stands there; any other value is appended, and a gap
    /// only lengthens the array (`fields.md` section 11, array merge).
    private func write(_ source: [BodyNode], into target: [JSONValue], to writer: inout JSONWriter) {
        writer.beginArray()
        for (index, value) in target.enumerated() {
            if index < source.count, case .object = source[index] {
                write(source[index], into: value, to: &writer)
            } else {
                writer.value(value)
            }
        }
        var count = target.count
        for (index, node) in source.enumerated() {
            switch node {
            case .object where index < target.count: continue
            case .gap where index < count: continue
            default: write(node, to: &writer)
            }
            count += 1
        }
        writer.endArray()
    }

    private func write(_ node: BodyNode, to writer: inout JSONWriter) {
        switch node {
        case .gap: writer.null()
        case .leaf(let number):
            switch leaves[number] {
            case .text(let text): writer.string(text)
            case .json(let value): writer.verbatim(value)
            }
        case .object(let members):
            writer.beginObject()
            for index in members.indices {
                writer.key(members[index].key)
                write(members[index].node, to: &writer)
            }
            writer.endObject()
        case .array(let elements):
            writer.beginArray()
            for element in elements { write(element, to: &writer) }
            writer.endArray()
        }
    }
}
