internal import JSON

/// Where a form's texts stand in a body, before the merge with `extraData` (`docs/reference/fields.md` section 11). A leaf holds
/// the number of its text alone, so that the same tree serves texts, aliases and placeholders.
enum BodyNode: Sendable {
    /// An array element that no field name fills.
    case gap
    /// A text, by its number among those that are written.
    case leaf(Int)
    case object([Member])
    case array([BodyNode])

    struct Member: Sendable {
        let key: String
        var node: BodyNode
    }

    /// The members of a body with a leaf at each of `paths`, numbered in their order.
    static func members(placing paths: [[PathElement]]) -> [Member] {
        var root = BodyNode.object([])
        for (number, path) in paths.enumerated() { root.place(number, at: path[...]) }
        return root.takeMembers()
    }

    /// Puts a leaf at `path`. Paths of one form do not conflict: the loader refuses a form in which they do.
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

    /// Moves the members out and leaves a gap, so that the array is uniquely referenced and is changed without a copy.
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
