import EventIO
import HTTPWire

/// Bytes that have arrived and cannot be used yet. Owns no memory while it is empty, and wipes the memory that it releases.
struct PendingBytes {
    /// The memory; the bytes that have not been dropped are in `range`.
    private(set) var bytes: [UInt8] = []
    private var start = 0

    var isEmpty: Bool { bytes.isEmpty }

    /// The memory that is owned, in bytes.
    var capacity: Int { bytes.capacity }

    var range: Range<Int> { start..<bytes.count }

    /// Whether there is no byte but CR and LF: clients may send an empty line after a body (RFC 9112 section 2.2). The parser
    /// refuses more than two such lines, so there is little to compare.
    var isOnlyLineEnds: Bool { range.count <= 5 && bytes[range].allSatisfy { $0 == 0x0D || $0 == 0x0A } }

    mutating func append(_ more: Span<UInt8>) {
        more.append(to: &bytes)
    }

    /// Drops the first `count` bytes. They stay in memory until they are more than half of it: moving the rest forward for each of n
    /// pipelined requests would cost n² bytes.
    mutating func drop(_ count: Int) {
        start += count
        guard start > bytes.count / 2 || start >= bytes.count else { return }
        let rest = Array(bytes[min(start, bytes.count)...])
        wipe(&bytes, first: bytes.count)
        bytes = rest
        start = 0
    }
}
