public import AuditLog
public import Configuration
import Vault

extension AuditVerification {
    /// Checks the log that a configuration names, whether or not a process is writing to it.
    ///
    /// - Parameters:
    ///   - first: number of the first line that must be there.
    ///   - report: called now and then with the bytes that were checked and those that there are.
    public static func run(
        _ configuration: Configuration, first: Int = 1, _ report: (_ checked: Int, _ all: Int) -> Void = { _, _ in }
    ) throws(StartError) -> AuditVerification {
        let path = configuration.audit.path(beside: configuration.vault)
        let (key, anchor) = try configuration.vault.auditKey(logAt: path)
        do { return try AuditVerification(path: path, key: key, first: first, anchor: anchor, report: report) } catch {
            throw StartError("\(error)")
        }
    }
}
