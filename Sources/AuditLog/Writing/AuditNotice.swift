/// What the audit log has to say about itself to the operator, in one line each.
public enum AuditNotice: Sendable, CustomStringConvertible {
    /// The log as it was found at start is not as it was left.
    case found(String)
    /// It can no longer be written.
    case failing(AuditFailure)
    /// It can be written again.
    case writtenAgain
    /// Something was done after the log was closed.
    case late(AuditEvent)
    /// So many events could not be written before the log was closed.
    case lost(Int)

    public var description: String {
        switch self {
        case .found(let complaint): complaint
        case .failing(let failure): "the audit log cannot be written, nothing is revealed: \(failure)"
        case .writtenAgain: "the audit log is written again"
        case .late(let event): "done after the audit log was closed: \(event.action.rawValue) \(event.outcome.rawValue)"
        case .lost(let count): "\(count) events could not be written to the audit log, and are lost"
        }
    }
}
