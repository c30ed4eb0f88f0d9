/// Beginnings of values, byte by byte, each with the value that ends there. The bytes of a text are followed from its root, so that
/// the cost of a byte does not depend on how many values there are.
///
/// It holds raw values: its memory is wiped when it is released, as all memory is (`CWipe`). A class, so that following it retains
/// one reference.
final class ValueTrie: Sendable {
    private struct Node {
        let byte: UInt8
        var firstChild: Int32 = -1
        var nextSibling: Int32 = -1
        var value: Int32 = -1
    }

    /// The root is the first.
    private let nodes: [Node]
    /// The root's children by their byte; most bytes of a text go no further.
    private let roots: [Int32]
    /// The bytes that values begin with.
    let firstBytes: [UInt8]

    /// The place in front of every value.
    static let root = 0

    /// - Parameter values: their bytes and what they are known by; of equal ones the first is kept.
    init(_ values: [(bytes: [UInt8], index: Int)]) {
        var nodes = [Node(byte: 0)]
        nodes.reserveCapacity(values.reduce(1) { $0 + $1.bytes.count })
        var roots = [Int32](repeating: -1, count: values.isEmpty ? 0 : 256)
        var firstBytes: [UInt8] = []
        for (bytes, index) in values {
            var node = Self.root
            for byte in bytes {
                var child = nodes[node].firstChild
                while child >= 0, nodes[Int(child)].byte != byte { child = nodes[Int(child)].nextSibling }
                if child < 0 {
                    child = Int32(truncatingIfNeeded: nodes.count)
                    nodes.append(Node(byte: byte, nextSibling: nodes[node].firstChild))
                    nodes[node].firstChild = child
                    if node == Self.root {
                        roots[Int(byte)] = child
                        firstBytes.append(byte)
                    }
                }
                node = Int(child)
            }
            if node != Self.root, nodes[node].value < 0 { nodes[node].value = Int32(truncatingIfNeeded: index) }
        }
        self.nodes = nodes
        self.roots = roots
        self.firstBytes = firstBytes
    }

    /// The place behind `byte`; nil if no value goes on with it.
    @inline(__always)
    func child(of node: Int, _ byte: UInt8) -> Int? {
        if node == Self.root {
            let child = roots.isEmpty ? -1 : roots[Int(byte)]
            return child < 0 ? nil : Int(child)
        }
        var child = nodes[node].firstChild
        while child >= 0 {
            if nodes[Int(child)].byte == byte { return Int(child) }
            child = nodes[Int(child)].nextSibling
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

    /// The value that is written with exactly these bytes.
    func value(of text: Span<UInt8>) -> Int? {
        var node = Self.root
        for index in text.indices {
            guard let next = child(of: node, text[index]) else { return nil }
            node = next
        }
        return value(at: node)
    }

    /// Whether there is no value at all.
    var isEmpty: Bool { roots.isEmpty }
}
