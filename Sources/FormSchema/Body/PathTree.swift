/// Finds paths that cannot stand in one body: equal ones, one that begins another, and two that enter the same place by key
/// and by index (`fields.md` section 11).
struct PathTree {
    private final class Node {
        var name = ""
        var isEnd = false
        var keys: [[UInt8]: Node] = [:]
        var indexes: [Int: Node] = [:]
        /// Whose path went on from here first: of several that a path conflicts with, this one is named.
        var follower = ""
        var isLeaf: Bool { keys.isEmpty && indexes.isEmpty }

        /// A node for the next step of a path, which `place` puts in its place.
        func follow(by name: String, _ place: (Node) -> Void) -> Node {
            if isLeaf { follower = name }
            let node = Node()
            node.name = name
            place(node)
            return node
        }
    }

    private let root = Node()

    /// Adds the path of `name`; the name that it conflicts with, if there is one.
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
