import EventIO
import Logging
import Synchronization

/// The record of what was done with values and keys. It has a thread of its own, which writes and syncs whatever has
/// gathered meanwhile by one call: no event loop waits for the disk.
///
/// It fails closed (DESIGN section 6): while it cannot be written nothing is revealed, and when too much waits to be
/// written nothing is changed either: whoever changes something takes a place for its event first.
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
        /// Events that are being written.
        var beingWritten = 0
        /// Room that is set aside for others, in events.
        var places = 0
        var isScheduled = false
        var isUrgent = false
        var failure: AuditFailure?
        var phase = Phase.open

        /// False if the log is closed.
        mutating func fill(_ places: Int, with events: [AuditEvent]) -> Bool {
            self.places -= places
            guard phase != .closed else { return false }
            for event in events { waiting.batch.append(event) }
            return true
        }

        func hasRoom(for count: Int) -> Bool {
            phase == .open && waiting.batch.count + beingWritten + places + count <= AuditLog.capacity
        }
    }

    private enum Phase {
        case open
        /// No more is begun; what is under way may still be recorded.
        case closing
        case closed
    }

    private let queue = Mutex(Queue())
    private let strangers = Mutex(RefusalTally())
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
    func record(_ event: AuditEvent) throws(AuditFailure) { try place().record(event) }

    /// Sets room aside for the events of something that is about to be done. Throws if too much waits already.
    func place(for count: Int = 1) throws(AuditFailure) -> AuditPlace {
        let hasRoom = queue.withLock { queue in
            guard queue.hasRoom(for: count) else { return false }
            queue.places += count
            return true
        }
        guard hasRoom else { throw failure ?? AuditFailure("too many events wait for the audit log") }
        return AuditPlace(in: self, for: count)
    }

    /// For ``AuditPlace`` alone, as the next two.
    func giveBack(_ places: Int) { queue.withLock { $0.places -= places } }

    func fill(_ places: Int, with events: [AuditEvent]) {
        let isFirst: Bool? = queue.withLock { queue in
            guard queue.fill(places, with: events) else { return nil }
            defer { queue.isScheduled = true }
            return !queue.isScheduled
        }
        guard let isFirst else { return complain(ofLate: events) }
        if isFirst { thread.loop.execute { [self] in thread.scheduleFlush(of: self, soon: true) } }
    }

    func fillDurably(_ places: Int, with events: [AuditEvent]) async throws(AuditFailure) {
        try await flushed { queue in
            if queue.fill(places, with: events) { return true }
            complain(ofLate: events)
            return false
        }
    }

    /// Returns once what `take` puts into the queue is synced. Throws if it is not, or nothing was put there.
    private func flushed(_ take: (inout Queue) -> Bool) async throws(AuditFailure) {
        let isRecorded = await withUnsafeContinuation { continuation in
            // Resumed once: here if nothing is taken, else by the flush that takes the events.
            let isUrgent: Bool? = queue.withLock { queue in
                guard take(&queue) else { return nil }
                queue.waiting.waiters.append(continuation)
                defer { queue.isUrgent = true }
                return !queue.isUrgent
            }
            guard let isUrgent else { return continuation.resume(returning: false) }
            if isUrgent { thread.loop.execute { [self] in flush() } }
        }
        if !isRecorded { throw failure ?? AuditFailure("the audit log could not be written") }
    }

    /// What was begun in time and has ended after the log is told here, at least.
    private func complain(ofLate events: [AuditEvent]) {
        for event in events {
            logger.error(
                "done after the audit log was closed: \(event.action.rawValue) \(event.outcome.rawValue)",
                metadata: ["requestId": "\(event.requestID ?? "-")", "count": "\(event.count)"])
        }
    }

    /// Records that somebody without a credential was turned away: of many in a second, most of them as a sum.
    func recordStranger(_ event: AuditEvent) throws(AuditFailure) {
        switch strangers.withLock({ $0.take(event.action, now: .now) }) {
        case .record: try record(event)
        case .count: break
        case .beginSum: thread.loop.execute { [self] in thread.scheduleSums(of: self) }
        }
    }

    /// Records how many were turned away besides. Of a log that has no room for it, its own warnings tell.
    func recordSums() { for event in takeSums() { try? record(event) } }

    private func takeSums() -> [AuditEvent] {
        strangers.withLock { $0.takeSums() }.map { AuditEvent($0.action, .unauthorized, count: $0.count) }
    }

    /// Returns once the event is synced. Throws if it could not be, or that is known beforehand.
    func recordDurably(_ event: AuditEvent) async throws(AuditFailure) { try await recordDurably([event]) }

    /// Likewise for several, which are synced together.
    func recordDurably(_ events: [AuditEvent]) async throws(AuditFailure) {
        let members = events.map(\.members)
        try await flushed { queue in
            guard queue.failure == nil, !events.isEmpty, queue.hasRoom(for: events.count) else { return false }
            for (event, members) in zip(events, members) {
                queue.waiting.awaited.append((queue.waiting.batch.count, event))
                queue.waiting.batch.append(members: members.span)
            }
            return true
        }
    }

    /// How long what is under way may take to be recorded when the log closes.
    private static let closing = Duration.seconds(5)

    /// Lets what is under way be recorded, says that the process stops, writes all of it, and takes nothing more. Whether all of
    /// it could be written: what could not is lost.
    @discardableResult
    func close() async -> Bool {
        queue.withLock { $0.phase = .closing }
        let deadline = MonotonicTime.now + Self.closing
        while queue.withLock({ $0.places > 0 }), MonotonicTime.now < deadline {
            await thread.loop.sleep(for: .milliseconds(5))
        }
        let last = takeSums() + [AuditEvent(.stop)]
        return await withUnsafeContinuation { continuation in
            thread.loop.execute { [self] in
                queue.withLock { queue in
                    for event in last { queue.waiting.batch.append(event) }
                    queue.phase = .closed
                }
                flush()
                let lost = queue.withLock { $0.waiting.batch.count }
                if lost > 0 { logger.error("\(lost) events could not be written to the audit log, and are lost") }
                thread.writer.close()
                thread.loop.stop()
                continuation.resume(returning: lost == 0)
            }
        }
    }

    /// On the log's own thread: writes everything that waits. What nobody waits for is kept if that fails, and tried again.
    func flush() {
        let (taken, failed) = queue.withLock { queue in
            queue.isScheduled = false
            queue.isUrgent = false
            queue.beingWritten = queue.waiting.batch.count
            return (queue.waiting.takeAll(), queue.failure)
        }
        defer { queue.withLock { $0.beingWritten = 0 } }
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
