public import AuditLog
public import Configuration
import Vault

extension AuditVerification {
    /// Checks the log that a configuration names, whether or not a process is writing to it.
    ///
    /// - Parameter first: number of the first line that must be there.
    public static func run(_ configuration: Configuration, first: Int = 1) throws(StartError) -> AuditVerification {
        let path = configuration.audit.path(besides: configuration.vault)
        let (key, anchor) = try configuration.vault.auditKey(logAt: path)
        do { return try AuditVerification(path: path, key: key, first: first, anchor: anchor) } catch {
            throw StartError("\(error)")
        }
    }
}
