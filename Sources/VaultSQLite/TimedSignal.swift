import Threads

/// What a thread waits for: to be needed now, or at a time.
final class TimedSignal: Sendable {
    private struct Wish {
        var isRaised = false
        var due: ContinuousClock.Instant?
    }

    private let wish = Monitor(Wish())

    /// Ends the wait now.
    func raise() {
        wish.withLock { $0.isRaised = true }
        wish.wakeOne()
    }

    /// Ends the wait after a delay, or earlier, if that was asked for.
    func raise(after delay: Duration) {
        let time = ContinuousClock.now + delay
        wish.withLock { $0.due = min($0.due ?? time, time) }
        wish.wakeOne()
    }

    /// Waits; `true` if it was for a time that has come.
    func wait() -> Bool {
        wish.wait { wish, _ in
            if wish.isRaised {
                wish.isRaised = false
                return .found(false)
            }
            guard let due = wish.due, due <= .now else { return .sleep(until: wish.due) }
            wish.due = nil
            return .found(true)
        }
    }
}
