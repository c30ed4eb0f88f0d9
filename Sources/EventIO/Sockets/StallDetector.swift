/// Judges whether a peer reads what it is sent, by periods of time: in each it must take a minimum, or it has stalled. So a steady
/// reader gets a response of any size, and one that reads almost nothing is cut off. A value without I/O.
struct StallDetector {
    /// What a peer must take in each period: over 30 seconds, half a kilobyte per second.
    static let minimumBytes = 16_384

    private var takenBefore: Int

    /// - Parameter taken: how many bytes the peer has taken so far.
    init(taken: Int) { takenBefore = taken }

    /// A period has passed. Returns whether the peer may have another.
    mutating func mayContinue(taken: Int) -> Bool {
        guard taken &- takenBefore >= StallDetector.minimumBytes else { return false }
        takenBefore = taken
        return true
    }
}
