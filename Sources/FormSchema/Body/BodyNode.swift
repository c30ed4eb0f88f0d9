internal import JSON

/// A form's texts at their places in a body, before they meet `extraData` (`fields.md` section 11). A leaf says only
/// which text stands there: whatever is written for it, in the merge it counts as a text.
enum BodyNode: Sendable {
    /// A place in an array that no name has.
    case gap
    /// A text, by its number among those that go out.
    case leaf(Int)
    case object([Member])
    case array([BodyNode])

    struct Member: Sendable {
        let key: String
        var node: BodyNode
    }

    /// The members of a body in which each of `entries` is a leaf, numbered in their order.
    static func members(placing entries: [Field.Entry]) -> [Member] {
        var root = BodyNode.object([])
        for (number, entry) in entries.enumerated() { root.place(number, at: entry.path[...]) }
        return root.takeMembers()
    }

    /// Puts a leaf at `path`. Paths of one form do not conflict; the loader has seen to that.
    mutating func place(_ leaf: Int, at path: ArraySlice<PathElement>) {
        switch path.first {
        case nil: self = .leaf(leaf)
        case .key(let key):
            var members = takeMembers()
            let index = members.firstIndex { $0.key.hasSameBytes(as: key) } ?? members.count
            if index == members.count { members.append(Member(key: key, node: .gap)) }
            members[index].node.place(leaf, at: path.dropFirst())
            self = .object(members)
        case .index(let index):
            var elements = takeElements()
            while elements.count <= index { elements.append(.gap) }
            elements[index].place(leaf, at: path.dropFirst())
            self = .array(elements)
        }
    }

    /// The members, and nothing in their place, so that they change where they are instead of being copied.
    private mutating func takeMembers() -> [Member] {
        guard case .object(let members) = self else { return [] }
        self = .gap
        return members
    }

    private mutating func takeElements() -> [BodyNode] {
        guard case .array(let elements) = self else { return [] }
        self = .gap
        return elements
    }
}
