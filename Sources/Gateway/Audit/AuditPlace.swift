/// A place in the audit log, taken before something is done: so nothing is done that finds no room to be told of.
struct AuditPlace: ~Copyable, Sendable {
    private let log: AuditLog
    private var isFilled = false

    /// - Parameter log: has set the place aside.
    init(in log: AuditLog) { self.log = log }

    /// Has written soon what was done, or was not.
    consuming func record(_ event: AuditEvent) {
        isFilled = true
        log.fillPlace(event)
    }

    deinit { if !isFilled { log.giveBackPlace() } }
}
