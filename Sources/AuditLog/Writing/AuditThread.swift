import Threads

/// The audit log's thread. It sleeps until a flush or a sum is due, and does it.
///
/// `@unchecked Sendable`: `writer` is touched on the thread only.
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
        /// No flush is due before: the last one has failed.
        var earliestFlush: ContinuousClock.Instant?
        var sums: ContinuousClock.Instant?
        /// The log is closed: the thread flushes once more and ends.
        var isFinishing = false
        /// The log is gone: the thread ends.
        var isAbandoned = false
    }

    var writer: AuditWriter
    private let due = Monitor(Due())

    init(_ writer: consuming sending AuditWriter) {
        self.writer = writer
    }

    /// Starts the thread, which retains this object until it ends, but not the log.
    func start(for log: AuditLog) throws(AuditFailure) {
        let worker = Worker { [self, weak log] in run { log } }
        guard worker != nil else { throw AuditFailure("the system gives no thread for the audit log") }
    }

    /// Has what waits written after `delay`, or earlier if that was asked for already; but not before a log that could not be written is
    /// tried again.
    func scheduleFlush(after delay: Duration) {
        let time = ContinuousClock.now + delay
        update { due in
            due.flush = min(due.flush ?? time, time)
            if let earliest = due.earliestFlush { due.flush = max(due.flush ?? earliest, earliest) }
        }
    }

    /// Has a log that could not be written tried again, and not earlier whatever comes meanwhile: each try takes all that waits.
    func scheduleRetry() {
        let time = ContinuousClock.now + Self.retry
        update { due in
            due.flush = time
            due.earliestFlush = time
        }
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
        due.withLock(change)
        due.wakeOne()
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
        due.wait { due, _ in
            if due.isAbandoned { return .found(nil) }
            if due.isFinishing { return .found(.finish) }
            let now = ContinuousClock.now
            if let time = due.flush, time <= now {
                due.flush = nil
                return .found(.flush)
            }
            if let time = due.sums, time <= now {
                due.sums = nil
                return .found(.recordSums)
            }
            return .sleep(until: [due.flush, due.sums].compactMap(\.self).min())
        }
    }
}
