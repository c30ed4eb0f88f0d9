/// Finds paths that cannot stand in one body: equal paths, a path that is the beginning of another, and two that enter the same
/// node by key and by index (`docs/reference/fields.md` section 11).
struct PathTree {
    private final class Node {
        var name = ""
        var isEnd = false
        var keys: [[UInt8]: Node] = [:]
        var indexes: [Int: Node] = [:]
        /// The name whose path first continued from this node: the one to report if a later path conflicts with several.
        var follower = ""
        var isLeaf: Bool { keys.isEmpty && indexes.isEmpty }

        /// A node for the next step of a path, which `place` stores in this one.
        func follow(by name: String, _ place: (Node) -> Void) -> Node {
            if isLeaf { follower = name }
            let node = Node()
            node.name = name
            place(node)
            return node
        }
    }

    private let root = Node()

    /// Adds the path of `name`.
    /// - Returns: the name that it conflicts with; nil if there is none.
    func insert(_ path: [PathElement], of name: String) -> String? {
        var node = root
        for element in path {
            if node.isEnd { return node.name }
            switch element {
            case .key(let key):
                if !node.indexes.isEmpty { return node.follower }
                let bytes = Array(key.utf8)
                node = node.keys[bytes] ?? node.follow(by: name) { node.keys[bytes] = $0 }
            case .index(let index):
                if !node.keys.isEmpty { return node.follower }
                node = node.indexes[index] ?? node.follow(by: name) { node.indexes[index] = $0 }
            }
        }
        if node.isEnd || !node.isLeaf { return node.name }
        node.isEnd = true
        return nil
    }
}
