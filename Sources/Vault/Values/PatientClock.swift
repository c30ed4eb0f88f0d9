import Synchronization

/// The time of day, of a clock that may be set by mistake: it is believed only after an hour.
///
/// A clock that is set forward by mistake, and back, would have erased values, responses that are stored for repetitions, and files of the
/// audit log. So this one runs no faster than real time has passed since it was first read. A machine may also have started before its
/// clock was right, and must not erase too late for ever: a clock that has stayed ahead for an hour is believed. At its first reading it
/// is believed, too, and to the second as long as it is ahead by no more than rounding can make it: what has expired by a clock that
/// is right must not come back to life.
///
/// A clock that is set back, as that of a machine whose time is not synchronized yet, would end too early what is stored then, and reveal what
/// has ended. So for the ends of things time runs on, also for an hour.
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
        /// Since when it has been behind.
        var isBehindSince: Int64?

        /// What real time has made of it by then, in Unix milliseconds.
        func milliseconds(at elapsed: Int64) -> Int64 { unix &* 1_000 &+ elapsed &- self.elapsed }
    }

    private let base = Mutex<Base?>(nil)

    /// Unix seconds for what can't be taken back: not set forward.
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
            let latest = known.milliseconds(at: elapsed) / 1_000
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
    /// Unix milliseconds for when something ends, and whether it has: not set back.
    ///
    /// - Parameters:
    ///   - unix: what the clock says, in Unix milliseconds.
    ///   - elapsed: milliseconds of a clock that is never set.
    func milliseconds(unix: Int64, elapsed: Int64) -> Int64 {
        base.withLock { base in
            guard let known = base else {
                base = Base(elapsed: elapsed, unix: unix / 1_000)
                return unix
            }
            let latest = known.milliseconds(at: elapsed)
            guard unix < latest &- Self.rounding * 1_000 else {
                base?.isBehindSince = nil
                return unix
            }
            let since = known.isBehindSince ?? elapsed
            if elapsed - since >= Self.patience {
                base = Base(elapsed: elapsed, unix: unix / 1_000)
                return unix
            }
            base?.isBehindSince = since
            return latest
        }
    }
}
