import Glibc

/// A state that threads share, and whose change they can wait for: a mutex and a condition of POSIX.
///
/// `@unchecked Sendable`: the state is touched only under the mutex, which lives, like the condition, at an address of its own for as
/// long as the monitor.
package final class Monitor<State>: @unchecked Sendable {
    private var state: State
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let condition: UnsafeMutablePointer<pthread_cond_t>

    package init(_ state: sending State) {
        self.state = state
        mutex = .allocate(capacity: 1)
        condition = .allocate(capacity: 1)
        mutex.initialize(to: pthread_mutex_t())
        condition.initialize(to: pthread_cond_t())
        pthread_mutex_init(mutex, nil)
        var attributes = pthread_condattr_t()
        pthread_condattr_init(&attributes)
        // Deadlines do not move when the wall clock is set.
        pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        pthread_cond_init(condition, &attributes)
        pthread_condattr_destroy(&attributes)
    }

    deinit {
        pthread_cond_destroy(condition)
        pthread_mutex_destroy(mutex)
        condition.deallocate()
        mutex.deallocate()
    }

    /// Reads or changes the state. Nobody who waits is woken by it.
    package func withLock<Result>(_ access: (inout State) -> Result) -> Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return access(&state)
    }

    /// Wakes one of the threads that wait. Called without the lock: on one core the woken thread runs at once, and would only wait for it.
    package func wakeOne() { pthread_cond_signal(condition) }

    /// Wakes all threads that wait.
    package func wakeAll() { pthread_cond_broadcast(condition) }

    /// What comes of a look at the state.
    package enum Look<Result> {
        /// The wait is over.
        case found(Result)
        /// Sleep until the thread is woken, or until then.
        case sleep(until: ContinuousClock.Instant?)
    }

    /// Looks at the state, and again each time that the thread is woken or its time has come, until something is found. The lock is held
    /// while it looks, not while it sleeps.
    ///
    /// - Parameter look: is told whether the time of its last sleep has come.
    package func wait<Result>(_ look: (inout State, _ isDue: Bool) -> Look<Result>) -> Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        var isDue = false
        while true {
            switch look(&state, isDue) {
            case .found(let result): return result
            case .sleep(until: nil):
                pthread_cond_wait(condition, mutex)
                isDue = false
            case .sleep(until: let time?):
                var deadline = Self.deadline(after: ContinuousClock.now.duration(to: time))
                isDue = pthread_cond_timedwait(condition, mutex, &deadline) == ETIMEDOUT
            }
        }
    }

    private static func deadline(after delay: Duration) -> timespec {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        let (seconds, attoseconds) = max(delay, .zero).components
        // Rounded up, so that the thread does not wake before its time.
        let nanoseconds = time.tv_nsec + Int(attoseconds / 1_000_000_000) + 1
        time.tv_sec += Int(seconds) + nanoseconds / 1_000_000_000
        time.tv_nsec = nanoseconds % 1_000_000_000
        return time
    }
}
