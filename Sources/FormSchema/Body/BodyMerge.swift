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
        var met: [(position: Int, node: BodyNode)] = []
        var new: [Int] = []
        for (index, member) in source.enumerated() {
            if let position = target.index(of: member.key) {
                met.append((position, member.node))
            } else {
                new.append(index)
            }
        }
        met.sort { $0.position < $1.position }
        var next = met[...]
        for (position, member) in target.members.enumerated() {
            writer.key(member.key)
            if let first = next.first, first.position == position {
                write(first.node, into: member.value, to: &writer, leaf: leaf)
                next.removeFirst()
            } else {
                writer.value(member.value)
            }
        }
        for index in new {
            writer.key(source[index].key)
            write(source[index].node, to: &writer, leaf: leaf)
        }
        writer.endObject()
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
            for member in members {
                writer.key(member.key)
                write(member.node, to: &writer, leaf: leaf)
            }
            writer.endObject()
        case .array(let elements):
            writer.beginArray()
            for element in elements { write(element, to: &writer, leaf: leaf) }
            writer.endArray()
        }
    }
}
