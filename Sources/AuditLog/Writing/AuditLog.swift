import Synchronization

/// The record of what was done with values and keys. It has a thread of its own, which writes and syncs everything that has
/// gathered meanwhile by one call: no event loop waits for the disk.
///
/// It fails closed: while it cannot be written nothing is revealed, and when too much waits to be written nothing is changed
/// either, because every change sets room aside for its event first.
public final class AuditLog: Sendable {
    /// Events that wait to be written.
    private static let capacity = 65_536

    /// Events that wait to be written.
    private struct Waiting {
        var batch = AuditBatch()
        /// Events of things that are done only once the events are synced, and where they stand.
        var awaited: [(index: Int, event: AuditEvent)] = []
        /// Callers that wait for all of them to be synced.
        var waiters: [UnsafeContinuation<Bool, Never>] = []

        /// Puts events in front that no caller waits for any more.
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
        var reserved = 0
        var isScheduled = false
        var isUrgent = false
        var failure: AuditFailure?
        /// Calls that were refused while the log could not be written, and that no line tells of yet.
        var refused = 0
        var position: AuditPosition?
        var phase = Phase.open
        /// The caller of ``AuditLog/close()``.
        var closing: UnsafeContinuation<Bool, Never>?

        /// False if the log is closed.
        mutating func fill(_ count: Int, with events: [AuditEvent]) -> Bool {
            reserved -= count
            guard phase != .closed else { return false }
            for event in events { waiting.batch.append(event) }
            return true
        }

        func hasRoom(for count: Int) -> Bool {
            phase == .open && waiting.batch.count + beingWritten + reserved + count <= AuditLog.capacity
        }
    }

    private enum Phase {
        case open
        /// Nothing new is accepted; what is under way may still be recorded.
        case closing
        case closed
    }

    private let queue = Mutex(Queue())
    private let strangers = Mutex(RefusalTally())
    /// What `audit.keep` may remove.
    let removals: AuditRemovals
    private let thread: AuditThread
    private let report: @Sendable (AuditNotice) -> Void

    /// Opens the log and writes that it was opened. If that fails the log says so until it succeeds.
    ///
    /// - Parameters:
    ///   - writer: of the log; the thread takes it over.
    ///   - report: called with what the operator should know, on any thread. It must not block.
    public init(
        _ writer: consuming sending AuditWriter, report: @escaping @Sendable (AuditNotice) -> Void
    ) async throws(AuditFailure) {
        self.report = report
        removals = writer.removals()
        thread = AuditThread(writer)
        try thread.start(for: self)
        _ = await withUnsafeContinuation { continuation in
            queue.withLock { $0.waiting.waiters.append(continuation) }
            thread.scheduleFlush(after: .zero)
        }
    }

    deinit { thread.abandon() }

    /// Why it cannot be written; nil if it can.
    public var failure: AuditFailure? { queue.withLock { $0.failure } }

    /// The last line that was synced; nil before the first one.
    public var position: AuditPosition? { queue.withLock { $0.position } }

    /// Notes that a call was refused because it could not be recorded: once the log can be written again, it says how many were.
    public func noteRefusal() { queue.withLock { if $0.failure != nil { $0.refused += 1 } } }

    /// Has the event written soon. Throws if too much waits already.
    public func record(_ event: AuditEvent) throws(AuditFailure) { try reserve().record(event) }

    /// Sets room aside for the events of something that is about to be done. Throws if too much waits already.
    public func reserve(_ count: Int = 1) throws(AuditFailure) -> AuditReservation {
        let hasRoom = queue.withLock { queue in
            guard queue.hasRoom(for: count) else { return false }
            queue.reserved += count
            return true
        }
        guard hasRoom else { throw failure ?? AuditFailure("too many events wait for the audit log") }
        return AuditReservation(in: self, for: count)
    }

    /// Gives room back that ``AuditReservation`` has not used.
    func giveBack(_ count: Int) { queue.withLock { $0.reserved -= count } }

    /// Uses the room of an ``AuditReservation``; the events are written soon.
    func fill(_ count: Int, with events: [AuditEvent]) {
        let isFirst: Bool? = queue.withLock { queue in
            guard queue.fill(count, with: events) else { return nil }
            defer { queue.isScheduled = true }
            return !queue.isScheduled
        }
        guard let isFirst else { return complain(ofLate: events) }
        if isFirst { thread.scheduleFlush(after: AuditThread.gathering) }
    }

    /// Uses the room of an ``AuditReservation``; returns once the events are synced.
    func fillDurably(_ count: Int, with events: [AuditEvent]) async throws(AuditFailure) {
        try await flushed { queue in
            if queue.fill(count, with: events) { return true }
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
            if isUrgent { thread.scheduleFlush(after: .zero) }
        }
        if !isRecorded { throw failure ?? AuditFailure("the audit log could not be written") }
    }

    /// What was begun before the log was closed and ended afterwards is at least reported.
    private func complain(ofLate events: [AuditEvent]) {
        for event in events { report(.late(event)) }
    }

    /// Records that a caller without a credential was refused: of many in a second, most of them as a sum.
    public func recordStranger(_ event: AuditEvent) throws(AuditFailure) {
        switch strangers.withLock({ $0.take(event.action, now: .now) }) {
        case .record: try record(event)
        case .count: break
        case .beginSum: thread.scheduleSums(after: RefusalTally.interval)
        }
    }

    /// Records how many more were refused. If there is no room for it, the log is failing, which is reported.
    func recordSums() { for event in takeSums() { try? record(event) } }

    private func takeSums() -> [AuditEvent] {
        strangers.withLock { $0.takeSums() }.map { AuditEvent($0.action, .unauthorized, count: $0.count) }
    }

    /// Returns once the event is synced. Throws if it could not be, or if the log is failing already.
    public func recordDurably(_ event: AuditEvent) async throws(AuditFailure) { try await recordDurably([event]) }

    /// Returns once the events are synced, all by one call. Throws if they could not be, or if the log is failing already.
    public func recordDurably(_ events: [AuditEvent]) async throws(AuditFailure) {
        let members = await Self.members(of: events)
        try await flushed { queue in
            guard queue.failure == nil, !events.isEmpty, queue.hasRoom(for: events.count) else { return false }
            for (event, members) in zip(events, members) {
                queue.waiting.awaited.append((queue.waiting.batch.count, event))
                queue.waiting.batch.append(members: members)
            }
            return true
        }
    }

    /// Events of one call whose lines are written on its own thread: a microsecond for each.
    private static let fewEvents = 128

    private static func members(of events: [AuditEvent]) async -> [[UInt8]] {
        guard events.count > fewEvents else { return events.map(\.members) }
        return await withTaskExecutorPreference(globalConcurrentExecutor) { events.map(\.members) }
    }

    /// How long what is under way may take to be recorded when the log closes.
    private static let closing = Duration.seconds(5)

    /// Lets what is under way be recorded, records that the process stops, writes everything, and accepts nothing more. Returns
    /// whether everything could be written: what could not is lost. A second call returns false at once.
    @discardableResult
    public func close() async -> Bool {
        let isOpen = queue.withLock { queue in
            guard queue.phase == .open else { return false }
            queue.phase = .closing
            return true
        }
        guard isOpen else { return false }
        let deadline = ContinuousClock.now + Self.closing
        while queue.withLock({ $0.reserved > 0 }), ContinuousClock.now < deadline {
            try? await Task.sleep(for: .milliseconds(5))
        }
        let last = takeSums() + [AuditEvent(.stop)]
        return await withUnsafeContinuation { continuation in
            queue.withLock { queue in
                for event in last { queue.waiting.batch.append(event) }
                queue.closing = continuation
                queue.phase = .closed
            }
            thread.finish()
        }
    }

    /// On the log's own thread: writes what waits for the last time and resumes ``close()``.
    func finish() {
        flush()
        let (lost, closing) = queue.withLock { ($0.waiting.batch.count, $0.closing.take()) }
        if lost > 0 { report(.lost(lost)) }
        thread.writer.close()
        closing?.resume(returning: lost == 0)
    }

    /// On the log's own thread: writes everything that waits. If that fails, events that no caller waits for are kept and tried
    /// again.
    func flush() {
        let (taken, failed, refused) = queue.withLock { queue in
            queue.isScheduled = false
            queue.isUrgent = false
            queue.beingWritten = queue.waiting.batch.count
            return (queue.waiting.takeAll(), queue.failure, queue.refused)
        }
        defer { queue.withLock { $0.beingWritten = 0 } }
        defer { if let complaint = thread.writer.takeComplaint() { report(.found(complaint)) } }
        do throws(AuditFailure) {
            try thread.writer.write(
                failed == nil ? taken.batch : AuditBatch(AuditEvent(.resume, count: refused), before: taken.batch))
            queue.withLock { queue in
                queue.position = thread.writer.position
                if failed != nil { queue.refused -= refused }
            }
            if failed != nil { settle(nil) }
            for waiter in taken.waiters { waiter.resume(returning: true) }
        } catch {
            settle(error, keeping: Self.unrecorded(taken))
            for waiter in taken.waiters { waiter.resume(returning: false) }
        }
    }

    /// The events that could not be written, to be tried again: those that a caller waits for now say that nothing happened.
    private static func unrecorded(_ waiting: Waiting) -> AuditBatch {
        var kept = AuditBatch()
        var awaited = waiting.awaited[...]
        for index in 0..<waiting.batch.count {
            if let next = awaited.first, next.index == index {
                awaited.removeFirst()
                kept.append(next.event.unrecorded)
            } else {
                kept.append(members: waiting.batch.members(at: index))
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
            if isNew { report(.failing(failure)) }
            thread.scheduleRetry()
        } else if isNew {
            report(.writtenAgain)
        }
    }
}
