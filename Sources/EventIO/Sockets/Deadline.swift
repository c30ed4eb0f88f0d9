/// When waiting on a socket ends, and the timer that ends it. A value without I/O: its methods return what to do.
///
/// Deadlines move with every request, nearly always to a later time. So the timer is not moved with them: it is armed only for
/// an earlier time, and otherwise again when it fires too soon.
struct Deadline {
    enum State: Equatable {
        /// No deadline, and no timer.
        case none
        /// No deadline. The timer is still armed for `armed` and will be ignored.
        case removed(armed: MonotonicTime)
        /// Waiting ends at `due`. The timer is armed for `armed`, which is never later.
        case running(due: MonotonicTime, armed: MonotonicTime)
        /// The timer could not be armed; waiting has no end of its own.
        case unarmed(due: MonotonicTime)
        /// `due` has passed: every wait fails, until another deadline is set.
        case passed(due: MonotonicTime)
        /// The socket is closed: nothing arms its timer any more.
        case closed
    }

    enum Expiry: Equatable {
        /// There is no deadline any more.
        case ignore
        /// The deadline has moved: arm the timer for this time.
        case rearm(MonotonicTime)
        /// The deadline has passed: end the wait.
        case timedOut
    }

    private(set) var state = State.none

    /// The deadline in force.
    var due: MonotonicTime? {
        switch state {
        case .none, .removed, .closed: nil
        case .running(let due, _), .unarmed(let due), .passed(let due): due
        }
    }

    var hasPassed: Bool { if case .passed = state { true } else { false } }

    /// Sets or removes the deadline. Returns the time for which the timer must be armed now, if it must be.
    mutating func set(_ due: MonotonicTime?) -> MonotonicTime? {
        let armed: MonotonicTime?
        switch state {
        case .closed: return nil
        case .none, .passed, .unarmed: armed = nil
        case .removed(let time), .running(_, let time): armed = time
        }
        guard let due else {
            state = armed.map { .removed(armed: $0) } ?? .none
            return nil
        }
        if let armed, armed <= due {
            state = .running(due: due, armed: armed)
            return nil
        }
        state = .running(due: due, armed: due)
        return due
    }

    /// The timer could not be armed.
    mutating func armingFailed() {
        if case .running(let due, _) = state { state = .unarmed(due: due) }
    }

    /// The timer has fired.
    mutating func fired(at now: MonotonicTime) -> Expiry {
        switch state {
        case .none, .removed, .unarmed, .passed:
            if case .removed = state { state = .none }
            return .ignore
        case .closed: return .ignore
        case .running(let due, _):
            guard now < due else {
                state = .passed(due: due)
                return .timedOut
            }
            state = .running(due: due, armed: due)
            return .rearm(due)
        }
    }

    /// The socket is closed.
    mutating func close() { state = .closed }
}
