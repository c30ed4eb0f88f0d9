/// Detects the end of a burst, after which much memory is free: a loop that had many connections, or many buffered bytes, and
/// has a quarter of that left. A value without I/O.
struct BurstDetector {
    /// A smaller peak is not worth the work: some megabytes.
    static let smallestPeak = 256

    private var peak = 0

    /// - Parameters:
    ///   - connections: open now.
    ///   - bytes: buffered now. A connection with its buffers is taken for 16 KiB.
    /// - Returns: whether a burst has ended. True until `reset(connections:bytes:)`.
    mutating func hasEnded(connections: Int, bytes: Int) -> Bool {
        let load = connections + bytes / 16_384
        peak = max(peak, load)
        return peak >= BurstDetector.smallestPeak && load <= peak / 4
    }

    /// The memory has been returned: the next peak counts from here.
    mutating func reset(connections: Int, bytes: Int) { peak = connections + bytes / 16_384 }
}
