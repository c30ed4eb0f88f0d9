/// Beginnings of values, byte by byte, each with the values that end there. The bytes of a text are followed from its root, so that
/// the cost of a byte does not depend on how many values there are.
///
/// It holds raw values: its memory is wiped when it is released, as all memory is (`CWipe`).
struct ValueTrie {
    private struct Node {
        let byte: UInt8
        var firstChild: Int32 = -1
        var nextSibling: Int32 = -1
        var value: Int32 = -1
    }

    /// The root is the first.
    private var nodes = [Node(byte: 0)]
    /// The root's children by their byte; most bytes of a text go no further.
    private var roots = [Int32](repeating: -1, count: 256)

    /// The place in front of every value.
    static let root = 0

    /// - Parameter index: of the value; the first of two equal ones is kept.
    mutating func insert(_ bytes: some Sequence<UInt8>, value index: Int) {
        var node = Self.root
        for byte in bytes { node = child(of: node, byte) ?? add(byte, to: node) }
        if node != Self.root, nodes[node].value < 0 { nodes[node].value = Int32(truncatingIfNeeded: index) }
    }

    private mutating func add(_ byte: UInt8, to parent: Int) -> Int {
        let node = nodes.count
        nodes.append(Node(byte: byte, nextSibling: nodes[parent].firstChild))
        nodes[parent].firstChild = Int32(truncatingIfNeeded: node)
        if parent == Self.root { roots[Int(byte)] = Int32(truncatingIfNeeded: node) }
        return node
    }

    /// The place behind `byte`; nil if no value goes on with it.
    @inline(__always)
    func child(of node: Int, _ byte: UInt8) -> Int? {
        var child = node == Self.root ? roots[Int(byte)] : nodes[node].firstChild
        while child >= 0 {
            if nodes[Int(child)].byte == byte { return Int(child) }
            child = node == Self.root ? -1 : nodes[Int(child)].nextSibling
        }
        return nil
    }

    /// The place behind all bytes of the character.
    @inline(__always)
    func child(of node: Int, _ character: WrittenCharacter) -> Int? {
        guard var child = child(of: node, UInt8(truncatingIfNeeded: character.bytes)) else { return nil }
        for index in 1..<max(character.count, 1) {
            guard let next = self.child(of: child, UInt8(truncatingIfNeeded: character.bytes >> UInt32(8 * index)))
            else {
                return nil
            }
            child = next
        }
        return child
    }

    /// The value that ends there.
    @inline(__always)
    func value(at node: Int) -> Int? {
        let value = nodes[node].value
        return value < 0 ? nil : Int(value)
    }

    /// Whether a value goes on behind this place.
    @inline(__always)
    func hasChildren(_ node: Int) -> Bool { nodes[node].firstChild >= 0 }

    /// Whether a value begins with `byte`.
    func begins(with byte: UInt8) -> Bool { roots[Int(byte)] >= 0 }

    /// Whether there is no value at all.
    var isEmpty: Bool { nodes.count == 1 }
}
