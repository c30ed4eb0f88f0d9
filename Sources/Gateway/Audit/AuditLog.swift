import EventIO
import Logging
import Synchronization

/// The record of what was done with values and keys. It has a thread of its own, which writes and syncs whatever has
/// gathered meanwhile by one call: no event loop waits for the disk.
///
/// It fails closed (DESIGN section 6): while it cannot be written nothing is revealed, and when too much waits to be
/// written nothing is changed either.
final class AuditLog: Sendable {
    /// Events that wait to be written.
    private static let capacity = 65_536

    /// Events that wait to be written.
    private struct Waiting {
        var batch = AuditBatch()
        /// Those that tell what is done only once they are synced, and where they stand.
        var awaited: [(index: Int, event: AuditEvent)] = []
        /// Who waits for all of them to be synced.
        var waiters: [UnsafeContinuation<Bool, Never>] = []

        /// Puts events in front, which nobody awaits any more.
        mutating func precede(by events: AuditBatch) {
            var batch = events
            batch.append(self.batch)
            self.batch = batch
            for place in awaited.indices { awaited[place].index += events.count }
        }

        mutating func takeAll() -> Waiting {
            var taken = Waiting()
            taken.batch.reserve(like: batch)
            swap(&taken, &self)
            return taken
        }
    }

    private struct Queue {
        var waiting = Waiting()
        var isScheduled = false
        var isUrgent = false
        var failure: AuditFailure?
        var isClosed = false
    }

    private let queue = Mutex(Queue())
    private let thread: AuditThread
    private let logger: Logger

    /// Opens the log and writes that it was opened. If that fails the log says so until it succeeds.
    init(_ writer: consuming sending AuditWriter, logger: Logger) async throws(IOError) {
        self.logger = logger
        thread = try AuditThread(writer)
        await withUnsafeContinuation { continuation in
            thread.loop.execute { [self] in
                flush()
                continuation.resume()
            }
        }
    }

    /// Why it cannot be written; nil if it can.
    var failure: AuditFailure? { queue.withLock { $0.failure } }

    /// Has the event written soon. Throws if too much waits already.
    func record(_ event: AuditEvent) throws(AuditFailure) {
        let members = event.members
        let isFirst: Bool? = queue.withLock { queue in
            guard queue.waiting.batch.count < Self.capacity, !queue.isClosed else { return nil }
            queue.waiting.batch.append(members: members.span)
            defer { queue.isScheduled = true }
            return !queue.isScheduled
        }
        guard let isFirst else { throw failure ?? AuditFailure("too many events wait for the audit log") }
        if isFirst { thread.loop.execute { [self] in thread.scheduleFlush(of: self, soon: true) } }
    }

    /// Returns once the event is synced. Throws if it could not be, or that is known beforehand.
    func recordDurably(_ event: AuditEvent) async throws(AuditFailure) { try await recordDurably([event]) }

    /// Likewise for several, which are synced together.
    func recordDurably(_ events: [AuditEvent]) async throws(AuditFailure) {
        let members = events.map(\.members)
        let isRecorded = await withUnsafeContinuation { continuation in
            // Resumed once: here if the event is not taken, else by the flush that takes it.
            let isUrgent: Bool? = queue.withLock { queue in
                guard queue.failure == nil, !queue.isClosed, !events.isEmpty,
                    queue.waiting.batch.count + events.count <= Self.capacity
                else { return nil }
                for (event, members) in zip(events, members) {
                    queue.waiting.awaited.append((queue.waiting.batch.count, event))
                    queue.waiting.batch.append(members: members.span)
                }
                queue.waiting.waiters.append(continuation)
                defer { queue.isUrgent = true }
                return !queue.isUrgent
            }
            guard let isUrgent else { return continuation.resume(returning: false) }
            if isUrgent { thread.loop.execute { [self] in flush() } }
        }
        if !isRecorded { throw failure ?? AuditFailure("the audit log could not be written") }
    }

    /// Writes what waits, says that the process stops, and takes nothing more.
    func close() async {
        try? record(AuditEvent(.stop))
        await withUnsafeContinuation { continuation in
            thread.loop.execute { [self] in
                flush()
                queue.withLock { $0.isClosed = true }
                thread.writer.close()
                thread.loop.stop()
                continuation.resume()
            }
        }
    }

    /// On the log's own thread: writes everything that waits. What nobody waits for is kept if that fails, and tried again.
    fileprivate func flush() {
        let (taken, failed) = queue.withLock { queue in
            queue.isScheduled = false
            queue.isUrgent = false
            return (queue.waiting.takeAll(), queue.failure)
        }
        defer { if let complaint = thread.writer.takeComplaint() { logger.error("\(complaint)") } }
        do throws(AuditFailure) {
            try thread.writer.write(
                failed == nil ? taken.batch : AuditBatch(AuditEvent(.resume), before: taken.batch))
            if failed != nil { settle(nil) }
            for waiter in taken.waiters { waiter.resume(returning: true) }
        } catch {
            settle(error, keeping: Self.unrecorded(taken))
            for waiter in taken.waiters { waiter.resume(returning: false) }
        }
    }

    /// The events that could not be written, to be tried again: those that were awaited say that nothing happened.
    private static func unrecorded(_ waiting: Waiting) -> AuditBatch {
        var kept = AuditBatch()
        var awaited = waiting.awaited[...]
        for index in 0..<waiting.batch.count {
            if let next = awaited.first, next.index == index {
                awaited.removeFirst()
                kept.append(next.event.unrecorded)
            } else {
                kept.append(members: waiting.batch.text.span.extracting(waiting.batch.range(at: index)))
            }
        }
        return kept
    }

    private func settle(_ failure: AuditFailure?, keeping kept: AuditBatch = AuditBatch()) {
        let isNew = queue.withLock { queue in
            let wasFailing = queue.failure != nil
            queue.failure = failure
            if !kept.isEmpty { queue.waiting.precede(by: kept) }
            if failure != nil { queue.isScheduled = true }
            return wasFailing != (failure != nil)
        }
        if let failure {
            if isNew { logger.error("the audit log cannot be written, nothing is revealed: \(failure)") }
            thread.scheduleFlush(of: self, soon: false)
        } else if isNew {
            logger.info("the audit log is written again")
        }
    }
}

/// The log's thread with what belongs to it alone.
///
/// `@unchecked Sendable`: `writer` and `timer` are touched on the loop's thread only.
private final class AuditThread: @unchecked Sendable {
    /// How long lines that nobody waits for may gather.
    private static let gathering = Duration.milliseconds(10)
    /// When a log that could not be written is tried again.
    private static let patience = Duration.milliseconds(250)

    let loop: EventLoop
    var writer: AuditWriter
    private var timer: Timer?

    init(_ writer: consuming sending AuditWriter) throws(IOError) {
        self.writer = writer
        loop = try EventLoop(name: "audit")
        try loop.start()
    }

    func scheduleFlush(of log: AuditLog, soon: Bool) {
        let timer = timer ?? Timer(on: loop) { [weak log] in log?.flush() }
        self.timer = timer
        timer.schedule(after: soon ? Self.gathering : Self.patience)
    }
}
