import EventIO
import HTTPWire

/// Bytes that have arrived and cannot be used yet. Owns no memory while it is empty, and wipes the memory that it releases.
struct PendingBytes {
    /// The memory; the bytes that have not been dropped are in `range`.
    private(set) var bytes: [UInt8] = []
    private var start = 0

    var isEmpty: Bool { bytes.isEmpty }

    var range: Range<Int> { start..<bytes.count }

    mutating func append(_ more: Span<UInt8>) {
        more.append(to: &bytes)
    }

    /// Drops the first `count` bytes. They stay in memory until all are dropped: moving the rest forward for each of n pipelined
    /// requests would cost n² bytes.
    mutating func drop(_ count: Int) {
        start += count
        guard start >= bytes.count else { return }
        wipe(&bytes, first: bytes.count)
        bytes = []
        start = 0
    }
}
