internal import JSON

/// Writes the JSON body that a form is sent as: its texts merged into `extraData` (`fields.md` section 11). Nothing is
/// merged in memory; both are walked side by side and written as they go.
struct BodyMerge {
    let policy: MappingPolicy

    /// What is written for a leaf.
    typealias Leaf = (Int, inout JSONWriter) -> Void

    /// Writes `target` with `source` merged into it: its own members first, then new ones in form order.
    func write(
        _ source: [BodyNode.Member], into target: JSONObject, to writer: inout JSONWriter, leaf: Leaf
    ) {
        if target.members.isEmpty { return write(.object(source), to: &writer, leaf: leaf) }
        writer.beginObject()
        let members = target.members.span
        for position in members.indices {
            writer.key(members[position].key)
            if let index = Self.index(of: members[position].key, in: source) {
                write(source[index].node, into: members[position].value, to: &writer, leaf: leaf)
            } else {
                writer.value(members[position].value)
            }
        }
        for index in source.indices where target.index(of: source[index].key) == nil {
            writer.key(source[index].key)
            write(source[index].node, to: &writer, leaf: leaf)
        }
        writer.endObject()
    }

    private static func index(of key: String, in members: [BodyNode.Member]) -> Int? {
        let members = members.span
        for index in members.indices where members[index].key.hasSameBytes(as: key) { return index }
        return nil
    }

    private func write(_ source: BodyNode, into target: JSONValue, to writer: inout JSONWriter, leaf: Leaf) {
        switch (source, target) {
        case (.object(let source), .object(let target)) where policy != .flatJSON:
            write(source, into: target, to: &writer, leaf: leaf)
        case (.array(let source), .array(let target)) where policy == .nestedJSONWithArrayMerge:
            write(source, into: target, to: &writer, leaf: leaf)
        default: write(source, to: &writer, leaf: leaf)
        }
    }

    /// Objects meet objects where they stand and replace what else stands there; any other value is appended, and a gap
    /// only lengthens the array (`fields.md` section 11, array merge).
    private func write(_ source: [BodyNode], into target: [JSONValue], to writer: inout JSONWriter, leaf: Leaf) {
        writer.beginArray()
        for (index, value) in target.enumerated() {
            if index < source.count, case .object = source[index] {
                write(source[index], into: value, to: &writer, leaf: leaf)
            } else {
                writer.value(value)
            }
        }
        var count = target.count
        for (index, node) in source.enumerated() {
            switch node {
            case .object where index < target.count: continue
            case .gap where index < count: continue
            default: write(node, to: &writer, leaf: leaf)
            }
            count += 1
        }
        writer.endArray()
    }

    private func write(_ node: BodyNode, to writer: inout JSONWriter, leaf: Leaf) {
        switch node {
        case .gap: writer.null()
        case .leaf(let number): leaf(number, &writer)
        case .object(let members):
            writer.beginObject()
            for index in members.indices {
                writer.key(members[index].key)
                write(members[index].node, to: &writer, leaf: leaf)
            }
            writer.endObject()
        case .array(let elements):
            writer.beginArray()
            for element in elements { write(element, to: &writer, leaf: leaf) }
            writer.endArray()
        }
    }
}
