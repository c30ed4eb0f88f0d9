import Synchronization

/// The time of day, of a clock that may be set by mistake: it is believed only after an hour.
///
/// A clock that is set forward by mistake, and back, would have erased values, responses that are stored for repetitions, and files of the
/// audit log. So this one runs no faster than real time has passed since it was first read. A machine may also have started before its
/// clock was right, and must not erase too late for ever: a clock that has stayed ahead for an hour is believed. At its first reading it
/// is believed, too, and to the second as long as it is ahead by no more than rounding can make it: what has expired by a clock that
/// is right must not come back to life.
///
/// A clock that is set back while the process runs would end too early what is stored then, and reveal what has ended. So for the ends of
/// things time runs on, also for an hour; but for no longer than the clock had been believed before: a process that was started while it was
/// ahead knows no better, and must not go on with that once it is right.
final class PatientClock: Sendable {
    /// Milliseconds.
    private static let patience: Int64 = 3_600_000
    /// Milliseconds by which a clock that is right may seem to be wrong: both clocks are rounded down, and read one after the other.
    private static let rounding: Int64 = 2_000

    /// Real time and the time of day that belongs to it, in milliseconds and Unix milliseconds.
    private struct Base {
        /// When the clock was first believed, or again after it was set.
        let begin: Int64
        /// Read again every hour while the two clocks agree, since any two drift apart.
        let elapsed: Int64
        let unix: Int64
        /// Milliseconds by which the clock may have been behind that.
        var doubt: Int64 = 0
        /// Since when the clock has been ahead.
        var isAheadSince: Int64?
        /// Since when it has been behind.
        var isBehindSince: Int64?

        init(begin: Int64? = nil, elapsed: Int64, unix: Int64) {
            (self.begin, self.elapsed) = (begin ?? elapsed, elapsed)
            // Whole seconds, as the clock may be told.
            self.unix = unix / 1_000 * 1_000
        }

        /// What real time has made of it by then: at most, and at least.
        func latest(at elapsed: Int64) -> Int64 { unix &+ elapsed &- self.elapsed }
        func least(at elapsed: Int64) -> Int64 { latest(at: elapsed) &- doubt }
    }

    private let base = Mutex<Base?>(nil)

    /// Believes a clock that took long to read: at the end of that it says at least `least`.
    ///
    /// - Parameters:
    ///   - least: Unix milliseconds.
    ///   - elapsed: milliseconds of a clock that is never set, at the end.
    ///   - took: how long it took, in milliseconds.
    func begin(least: Int64, elapsed: Int64, took: Int64) {
        base.withLock { base in
            guard base == nil else { return }
            base = Base(elapsed: elapsed, unix: least &+ took)
            base?.doubt = took
        }
    }

    /// Notes what the clock says: to be called regularly, or it is believed later.
    ///
    /// - Parameters:
    ///   - unix: Unix milliseconds.
    ///   - elapsed: milliseconds of a clock that is never set.
    func note(unix: Int64, elapsed: Int64) { _ = observed(unix, elapsed) }

    /// Unix seconds for what can't be taken back: not set forward.
    ///
    /// - Parameters:
    ///   - unix: what the clock says, in Unix seconds.
    ///   - elapsed: milliseconds of a clock that is never set.
    func seconds(unix: Int64, elapsed: Int64) -> Int64 {
        let known = observed(unix &* 1_000, elapsed)
        // What was believed before stays so.
        return known.isAheadSince == nil ? unix : (known.latest(at: elapsed) &+ Self.rounding) / 1_000
    }

    /// Unix milliseconds for when something ends, and whether it has: not set back.
    ///
    /// - Parameters:
    ///   - unix: what the clock says, in Unix milliseconds.
    ///   - elapsed: milliseconds of a clock that is never set.
    func milliseconds(unix: Int64, elapsed: Int64) -> Int64 {
        let known = observed(unix, elapsed)
        return known.isBehindSince == nil ? unix : known.least(at: elapsed)
    }

    /// What is believed once the clock has said this.
    private func observed(_ unix: Int64, _ elapsed: Int64) -> Base {
        base.withLock { base in
            var known = base ?? Base(elapsed: elapsed, unix: unix)
            let isAhead = unix > known.latest(at: elapsed) &+ Self.rounding
            let isBehind = unix < known.least(at: elapsed) &- Self.rounding
            known.isAheadSince = isAhead ? known.isAheadSince ?? elapsed : nil
            known.isBehindSince = isBehind ? known.isBehindSince ?? elapsed : nil
            let isBelieved =
                known.isAheadSince.map { elapsed - $0 >= Self.patience }
                ?? known.isBehindSince.map { elapsed - $0 >= min(Self.patience, $0 - known.begin) } ?? false
            if isBelieved {
                known = Base(elapsed: elapsed, unix: unix)
            } else if !isAhead, !isBehind, elapsed - known.elapsed >= Self.patience {
                known = Base(begin: known.begin, elapsed: elapsed, unix: unix)
            }
            base = known
            return known
        }
    }
}
