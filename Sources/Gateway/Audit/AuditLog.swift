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

    private struct Entry {
        var event: AuditEvent
        /// Whether what it tells is done only once it is synced.
        var isAwaited = false
        /// Who waits for it, and for those before it, to be synced.
        var waiter: UnsafeContinuation<Bool, Never>?
    }

    private struct Queue {
        var entries: [Entry] = []
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
        if let complaint = writer.complaint { logger.error("\(complaint)") }
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
        let isFirst: Bool? = queue.withLock { queue in
            guard queue.entries.count < Self.capacity, !queue.isClosed else { return nil }
            queue.entries.append(Entry(event: event))
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
        let isRecorded = await withUnsafeContinuation { continuation in
            // Resumed once: here if the event is not taken, else by the flush that takes it.
            let isUrgent: Bool? = queue.withLock { queue in
                guard queue.failure == nil, !queue.isClosed, !events.isEmpty,
                    queue.entries.count + events.count <= Self.capacity
                else { return nil }
                queue.entries += events.map { Entry(event: $0, isAwaited: true) }
                queue.entries[queue.entries.count - 1].waiter = continuation
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
        var (entries, failed) = queue.withLock { queue in
            defer {
                queue.entries = []
                queue.isScheduled = false
                queue.isUrgent = false
            }
            return (queue.entries, queue.failure)
        }
        do throws(AuditFailure) {
            let resumed = failed == nil ? [] : [AuditEvent(.resume)]
            try thread.writer.write(resumed + entries.map(\.event))
            if failed != nil { settle(nil) }
            for entry in entries { entry.waiter?.resume(returning: true) }
        } catch {
            let waiters = entries.compactMap(\.waiter)
            for index in entries.indices where entries[index].isAwaited {
                entries[index] = Entry(event: entries[index].event.unrecorded)
            }
            settle(error, keeping: entries)
            for waiter in waiters { waiter.resume(returning: false) }
        }
    }

    private func settle(_ failure: AuditFailure?, keeping entries: [Entry] = []) {
        let isNew = queue.withLock { queue in
            let wasFailing = queue.failure != nil
            queue.failure = failure
            queue.entries = entries + queue.entries
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
