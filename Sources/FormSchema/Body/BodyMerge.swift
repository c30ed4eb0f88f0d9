internal import JSON

/// Writes the JSON body that a form is sent as: its texts merged into `extraData` (`docs/reference/fields.md` section 11). Both
/// trees are walked side by side and written directly; no merged tree is built.
struct BodyMerge {
    /// What is written for a leaf.
    enum Leaf {
        case text(String)
        /// A JSON value.
        case json([UInt8])
    }

    let policy: MappingPolicy
    /// By number.
    let leaves: [Leaf]
    /// The submission that has the `extraData` to merge into.
    let text: JSONText

    /// Writes the object at `target` with `source` merged into it: its own members first, then new ones in form order.
    /// - Parameter target: nil if there is none.
    func write(_ source: [BodyNode.Member], into target: JSONText.Place?, to writer: inout JSONWriter) {
        guard let target else { return write(.object(source), to: &writer) }
        writer.beginObject()
        var merged: [Int] = []
        for member in text.members(of: target) {
            writer.key(of: text, at: member.key)
            if let index = index(of: member.key, in: source) {
                write(source[index].node, into: member.value, to: &writer)
                merged.append(index)
            } else {
                writer.value(of: text, at: member.value)
            }
        }
        for index in source.indices where !merged.contains(index) {
            writer.key(source[index].key)
            write(source[index].node, to: &writer)
        }
        writer.endObject()
    }

    private func index(of key: JSONText.Place, in members: [BodyNode.Member]) -> Int? {
        let members = members.span
        for index in members.indices where text.holds(members[index].key, at: key) { return index }
        return nil
    }

    private func write(_ source: BodyNode, into target: JSONText.Place, to writer: inout JSONWriter) {
        switch (source, text.kind(at: target)) {
        case (.object(let source), .object) where policy != .flatJSON:
            write(source, into: target, to: &writer)
        case (.array(let source), .array) where policy == .nestedJSONWithArrayMerge:
            writeElements(source, into: target, to: &writer)
        default: write(source, to: &writer)
        }
    }

    /// An object is merged into an object of the same index, or replaces any other value there. A text is appended; a gap is
    /// appended as null only beyond the end of the array (`docs/reference/fields.md` section 11, array merge).
    private func writeElements(_ source: [BodyNode], into target: JSONText.Place, to writer: inout JSONWriter) {
        writer.beginArray()
        var targetCount = 0
        for value in text.elements(of: target) {
            if targetCount < source.count, case .object = source[targetCount] {
                write(source[targetCount], into: value, to: &writer)
            } else {
                writer.value(of: text, at: value)
            }
            targetCount += 1
        }
        var count = targetCount
        for (index, node) in source.enumerated() {
            switch node {
            case .object where index < targetCount: continue
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
