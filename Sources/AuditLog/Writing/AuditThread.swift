import Glibc

/// The audit log's thread. It sleeps until a flush or a sum is due, and does it.
///
/// `@unchecked Sendable`: `due` is touched only under the mutex, which lives, like the condition, at an address of its own for
/// as long as this object; `writer` is touched on the thread only.
final class AuditThread: @unchecked Sendable {
    /// How long lines may wait for others, if no caller waits for them.
    static let gathering = Duration.milliseconds(10)
    /// When a log that could not be written is tried again.
    static let retry = Duration.milliseconds(250)

    /// What the thread does next.
    private enum Task { case flush, recordSums, finish }

    /// When things are to be done; nil where they are not.
    private struct Due {
        var flush: ContinuousClock.Instant?
        var sums: ContinuousClock.Instant?
        /// The log is closed: the thread flushes once more and ends.
        var isFinishing = false
        /// The log is gone: the thread ends.
        var isAbandoned = false
    }

    var writer: AuditWriter
    private var due = Due()
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let condition: UnsafeMutablePointer<pthread_cond_t>

    init(_ writer: consuming sending AuditWriter) {
        self.writer = writer
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

    /// Starts the thread, which retains this object until it ends, but not the log.
    func start(for log: AuditLog) throws(AuditFailure) {
        let box = Unmanaged.passRetained(Body { [self, weak log] in run { log } })
        var thread = pthread_t()
        // The thread takes over the one reference that is passed here.
        let result = pthread_create(
            &thread, nil,
            { argument in
                if let argument { Unmanaged<Body>.fromOpaque(argument).takeRetainedValue().run() }
                return nil
            }, box.toOpaque())
        guard result == 0 else {
            box.release()
            throw AuditFailure("no thread for the audit log: \(String(cString: strerror(result)))")
        }
        pthread_detach(thread)
    }

    private final class Body: Sendable {
        let run: @Sendable () -> Void

        init(run: @escaping @Sendable () -> Void) {
            self.run = run
        }
    }

    /// Has what waits written after `delay`, or earlier if that was asked for already.
    func scheduleFlush(after delay: Duration) {
        let time = ContinuousClock.now + delay
        update { $0.flush = min($0.flush ?? time, time) }
    }

    /// Has the sum of refused callers recorded when their interval is over.
    func scheduleSums(after delay: Duration) {
        let time = ContinuousClock.now + delay
        update { $0.sums = time }
    }

    /// Has what waits written, and ends the thread.
    func finish() { update { $0.isFinishing = true } }

    /// Ends the thread.
    func abandon() { update { $0.isAbandoned = true } }

    private func update(_ change: (inout Due) -> Void) {
        pthread_mutex_lock(mutex)
        change(&due)
        pthread_mutex_unlock(mutex)
        // The mutex is free by now: on one core the thread runs at once, and would only wait again.
        pthread_cond_signal(condition)
    }

    private func run(_ log: () -> AuditLog?) {
        while let task = next() {
            switch task {
            case .flush: log()?.flush()
            case .recordSums: log()?.recordSums()
            case .finish: return log()?.finish() ?? ()
            }
        }
    }

    /// Waits until something is to be done; nil if the thread is to end.
    private func next() -> Task? {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        while true {
            if due.isAbandoned { return nil }
            if due.isFinishing { return .finish }
            let now = ContinuousClock.now
            if let time = due.flush, time <= now {
                due.flush = nil
                return .flush
            }
            if let time = due.sums, time <= now {
                due.sums = nil
                return .recordSums
            }
            guard let first = [due.flush, due.sums].compactMap(\.self).min() else {
                pthread_cond_wait(condition, mutex)
                continue
            }
            var deadline = Self.deadline(after: now.duration(to: first))
            pthread_cond_timedwait(condition, mutex, &deadline)
        }
    }

    private static func deadline(after delay: Duration) -> timespec {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        let (seconds, attoseconds) = delay.components
        // Rounded up, so that the thread does not wake before its time.
        let nanoseconds = time.tv_nsec + Int(attoseconds / 1_000_000_000) + 1
        time.tv_sec += Int(seconds) + nanoseconds / 1_000_000_000
        time.tv_nsec = nanoseconds % 1_000_000_000
        return time
    }
}
