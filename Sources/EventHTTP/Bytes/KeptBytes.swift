import EventIO
import HTTPWire

/// Bytes that must outlive the turn in which they arrived. Holds no memory while it is empty, and wipes what it gives up.
struct KeptBytes {
    /// The memory; what has not been dropped is in `range`.
    private(set) var bytes: [UInt8] = []
    private var start = 0

    var isEmpty: Bool { bytes.isEmpty }

    var range: Range<Int> { start..<bytes.count }

    mutating func append(_ more: Span<UInt8>) {
        more.append(to: &bytes)
    }

    /// Gives up the first `count` bytes. They stay where they are until all are used: moving the rest forward for every one of
    /// many pipelined requests would cost the square of their number.
    mutating func drop(_ count: Int) {
        start += count
        guard start >= bytes.count else { return }
        wipe(&bytes, first: bytes.count)
        bytes = []
        start = 0
    }
}
