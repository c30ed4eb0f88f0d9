import EventIO

/// How fast the reader of a streamed body takes its pieces. A value without I/O.
struct ReaderPace {
    /// A reader that has had one piece for so many milliseconds has stalled.
    static let stall: Int64 = 2_000
    /// A reader is slow if it takes fewer bytes per millisecond, once it has had pieces for `period` milliseconds.
    static let minimumRate: Int64 = 16
    static let period: Int64 = 5_000

    private var bytes: Int64 = 0
    /// How long the reader has had the pieces that it has finished.
    private var milliseconds: Int64 = 0
    private var taken: MonotonicTime?

    /// The reader gets a piece.
    mutating func take(_ count: Int, at now: MonotonicTime) {
        taken = now
        bytes += Int64(count)
    }

    /// The reader asks for the next piece.
    mutating func finish(at now: MonotonicTime) {
        if let taken { milliseconds += now.milliseconds - taken.milliseconds }
        taken = nil
    }

    /// Whether the reader has a piece and takes too long. Time in which the sender has sent nothing is not the reader's.
    func isTooSlow(at now: MonotonicTime) -> Bool {
        guard let taken else { return false }
        let current = now.milliseconds - taken.milliseconds
        let total = milliseconds + current
        return current >= ReaderPace.stall
            || (total >= ReaderPace.period && bytes < total * ReaderPace.minimumRate)
    }
}
