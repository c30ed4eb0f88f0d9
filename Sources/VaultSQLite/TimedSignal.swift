import Glibc

/// What a thread waits for: to be needed now, or at a time.
///
/// `@unchecked Sendable`: what it holds is touched only under the mutex, which lives, like the condition, at an address of its own for as
/// long as the signal.
final class TimedSignal: @unchecked Sendable {
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let condition: UnsafeMutablePointer<pthread_cond_t>
    private var isRaised = false
    /// On the monotonic clock.
    private var due: timespec?

    init() {
        mutex = .allocate(capacity: 1)
        condition = .allocate(capacity: 1)
        mutex.initialize(to: pthread_mutex_t())
        condition.initialize(to: pthread_cond_t())
        pthread_mutex_init(mutex, nil)
        var attributes = pthread_condattr_t()
        pthread_condattr_init(&attributes)
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

    /// Ends the wait now.
    func raise() {
        locked {
            isRaised = true
            pthread_cond_signal(condition)
        }
    }

    /// Ends the wait in so many seconds, or earlier, if that was asked for.
    func raise(after seconds: Double) {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        let nanoseconds = time.tv_nsec + Int(seconds * 1e9)
        time.tv_sec += nanoseconds / 1_000_000_000
        time.tv_nsec = nanoseconds % 1_000_000_000
        locked {
            if let due, (due.tv_sec, due.tv_nsec) <= (time.tv_sec, time.tv_nsec) { return }
            due = time
            pthread_cond_signal(condition)
        }
    }

    /// Waits; `true` if it was for a time that has come.
    func wait() -> Bool {
        locked {
            while !isRaised {
                guard var until = due else {
                    pthread_cond_wait(condition, mutex)
                    continue
                }
                guard pthread_cond_timedwait(condition, mutex, &until) == ETIMEDOUT else { continue }
                due = nil
                return true
            }
            isRaised = false
            return false
        }
    }

    private func locked<Result>(_ access: () -> Result) -> Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return access()
    }
}
