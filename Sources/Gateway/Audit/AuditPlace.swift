/// Room in the audit log, set aside before something is done: so nothing is done that finds no room to be told of.
struct AuditPlace: ~Copyable, Sendable {
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

    /// Has written soon what was done, or was not.
    consuming func record(_ event: AuditEvent) {
        isFilled = true
        log.fill(count, with: [event])
    }

    /// Returns once what was done is synced. Throws if it could not be: it is told as soon as it can, for it has been done.
    consuming func recordDurably(_ events: [AuditEvent]) async throws(AuditFailure) {
        isFilled = true
        try await log.fillDurably(count, with: events)
    }

    deinit { if !isFilled { log.giveBack(count) } }
}
