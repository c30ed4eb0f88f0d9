/// Why the audit log cannot be written, in one line for the log and for whoever asks whether the process is ready.
struct AuditFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
