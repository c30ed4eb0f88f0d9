import Synchronization

/// The time of day for what can't be taken back: it believes a clock that was set forward only after an hour.
///
/// A clock that is set forward by mistake, and back, would have erased values, responses that are stored for repetitions, and files of the
/// audit log. So this one runs no faster than real time has passed since it was first read. A machine may also have started before its
/// clock was right, and must not erase too late for ever: a clock that has stayed ahead for an hour is believed. At its first reading it
/// is believed, too, and to the second as long as it is ahead by no more than rounding can make it: what has expired by a clock that
/// is right must not come back to life.
final class PatientClock: Sendable {
    /// Milliseconds.
    private static let patience: Int64 = 3_600_000
    /// Seconds by which a clock that is right may seem to be ahead: both clocks are rounded down, and read one after the other.
    private static let rounding: Int64 = 2

    /// Real time and the time of day that belongs to it, in milliseconds and Unix seconds.
    private struct Base {
        let elapsed: Int64
        let unix: Int64
        /// Since when the clock has been ahead.
        var isAheadSince: Int64?
    }

    private let base = Mutex<Base?>(nil)

    /// Unix seconds.
    ///
    /// - Parameters:
    ///   - unix: what the clock says, in Unix seconds.
    ///   - elapsed: milliseconds of a clock that is never set.
    func seconds(unix: Int64, elapsed: Int64) -> Int64 {
        base.withLock { base in
            guard let known = base else {
                base = Base(elapsed: elapsed, unix: unix)
                return unix
            }
            let latest = known.unix + (elapsed - known.elapsed) / 1_000
            guard unix > latest + Self.rounding else {
                base?.isAheadSince = nil
                return unix
            }
            let since = known.isAheadSince ?? elapsed
            if elapsed - since >= Self.patience {
                base = Base(elapsed: elapsed, unix: unix)
                return unix
            }
            base?.isAheadSince = since
            // What was believed before stays so.
            return latest + Self.rounding
        }
    }
}
