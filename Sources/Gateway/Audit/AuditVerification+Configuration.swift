import Crypto
import Vault

extension AuditVerification {
    /// Checks the log that a configuration names, whether or not a process is writing to it.
    ///
    /// - Parameter first: number of the first line that must be there.
    public static func run(_ configuration: Configuration, first: Int = 1) throws(StartError) -> AuditVerification {
        let path = configuration.audit.path(besides: configuration.vault)
        let key: HMACSHA256
        do { key = try HMACSHA256(key: configuration.vault.key(for: .audit)) } catch { throw StartError("\(error)") }
        var files: [String]
        var verification: AuditVerification
        repeat {
            files = AuditFiles.rotated(path)
            verification = AuditVerification(path: path, key: key, first: first)
            // A file that was set aside while the others were read has been missed.
        } while files != AuditFiles.rotated(path)
        return verification
    }
}
