/// Finds paths that cannot stand in one body: equal ones, one that begins another, and two that enter the same place by key
/// and by index (`fields.md` section 11).
struct PathTree {
    private final class Node {
        var name = ""
        var isEnd = false
        var keys: [[UInt8]: Node] = [:]
        var indexes: [Int: Node] = [:]
        var isLeaf: Bool { keys.isEmpty && indexes.isEmpty }
    }

    private let root = Node()

    /// Adds the path of `name`; the name that it conflicts with, if there is one.
    func insert(_ path: [PathElement], of name: String) -> String? {
        var node = root
        for element in path {
            if node.isEnd { return node.name }
            switch element {
            case .key(let key):
                if let other = node.indexes.values.first { return other.name }
                let bytes = Array(key.utf8)
                node = node.keys[bytes] ?? add(Node(), of: name) { node.keys[bytes] = $0 }
            case .index(let index):
                if let other = node.keys.values.first { return other.name }
                node = node.indexes[index] ?? add(Node(), of: name) { node.indexes[index] = $0 }
            }
        }
        if node.isEnd || !node.isLeaf { return node.name }
        node.isEnd = true
        return nil
    }

    private func add(_ node: Node, of name: String, to place: (Node) -> Void) -> Node {
        node.name = name
        place(node)
        return node
    }
}
