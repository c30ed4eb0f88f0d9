/// Why the audit log cannot be written, in one line for the log and for the readiness check.
public struct AuditFailure: Error, CustomStringConvertible {
    public let description: String

    init(_ description: String) {
        self.description = description
    }
}
