/// Room in the audit log's queue, set aside before something is done: so nothing is done that cannot be recorded. Room that is
/// not used is given back when the value is destroyed.
public struct AuditReservation: ~Copyable, Sendable {
    private let log: AuditLog
    private let count: Int
    private var isFilled = false

    /// - Parameters:
    ///   - log: has set it aside.
    ///   - count: of events.
    init(in log: AuditLog, for count: Int) {
        self.log = log
        self.count = count
    }

    /// Has the event written soon.
    public consuming func record(_ event: AuditEvent) {
        isFilled = true
        log.fill(count, with: [event])
    }

    /// Returns once the events are synced. If it throws, they are kept and tried again, because what they say has been done.
    public consuming func recordDurably(_ events: [AuditEvent]) async throws(AuditFailure) {
        isFilled = true
        try await log.fillDurably(count, with: events)
    }

    deinit { if !isFilled { log.giveBack(count) } }
}
