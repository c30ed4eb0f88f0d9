import Glibc

/// A state that threads share, and whose change they can wait for: a mutex, and a condition for each thread that sleeps.
///
/// One condition for all of them would lose a wake-up now and then: glibc before 2.41 signals a group of threads in which none sleeps any
/// more (its bug 25847). That takes two threads that sleep on the same condition.
///
/// `@unchecked Sendable`: the state and the list of sleepers are read and changed only under the mutex, which is freed with the monitor.
package final class Monitor<State>: @unchecked Sendable {
    private var state: State
    /// In the order in which they went to sleep.
    private var sleepers: [Sleeper] = []
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>

    package init(_ state: sending State) {
        self.state = state
        mutex = .allocate(capacity: 1)
        mutex.initialize(to: pthread_mutex_t())
        pthread_mutex_init(mutex, nil)
    }

    deinit {
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
    }

    /// Reads or changes the state. Wakes no waiting thread.
    package func withLock<Result>(_ access: (inout State) -> Result) -> Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return access(&state)
    }

    /// Wakes the thread that has slept for longest. It is signalled without the lock: on one core the woken thread runs at once, and would
    /// only wait for it.
    package func wakeOne() {
        pthread_mutex_lock(mutex)
        let sleeper = sleepers.isEmpty ? nil : sleepers.removeFirst()
        pthread_mutex_unlock(mutex)
        sleeper?.wake()
    }

    /// Wakes all threads that sleep.
    package func wakeAll() {
        pthread_mutex_lock(mutex)
        let woken = sleepers
        sleepers = []
        pthread_mutex_unlock(mutex)
        for sleeper in woken { sleeper.wake() }
    }

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
            case .sleep(let time):
                let sleeper = Sleeper()
                sleepers.append(sleeper)
                isDue = sleeper.sleep(until: time, mutex)
                sleepers.removeAll { $0 === sleeper }
            }
        }
    }
}

/// A thread that sleeps, once.
///
/// `@unchecked Sendable`: the pointer never changes, and POSIX allows every thread to use the condition, which is freed with the object. A
/// thread that signals it retains the object: the sleep may end by its time before that.
private final class Sleeper: @unchecked Sendable {
    private let condition: UnsafeMutablePointer<pthread_cond_t>

    init() {
        condition = .allocate(capacity: 1)
        condition.initialize(to: pthread_cond_t())
        var attributes = pthread_condattr_t()
        pthread_condattr_init(&attributes)
        // Deadlines do not move when the wall clock is set.
        pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        pthread_cond_init(condition, &attributes)
        pthread_condattr_destroy(&attributes)
    }

    deinit {
        pthread_cond_destroy(condition)
        condition.deallocate()
    }

    func wake() { pthread_cond_signal(condition) }

    /// Returns once it is woken, or when the time has come, or for no reason. The mutex is held but for the sleep.
    ///
    /// - Returns: whether the time has come.
    func sleep(until time: ContinuousClock.Instant?, _ mutex: UnsafeMutablePointer<pthread_mutex_t>) -> Bool {
        guard let time else {
            pthread_cond_wait(condition, mutex)
            return false
        }
        var deadline = Self.deadline(after: ContinuousClock.now.duration(to: time))
        return pthread_cond_timedwait(condition, mutex, &deadline) == ETIMEDOUT
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
