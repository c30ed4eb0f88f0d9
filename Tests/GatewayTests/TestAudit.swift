import Crypto
import Logging
import Vault

@testable import Gateway

/// An audit log in a folder of its own, which goes with it.
struct TestAudit: Sendable {
    static let key: [UInt8] = Array(0..<32)

    let folder: TemporaryFolder
    let path: String
    let log: AuditLog

    init(folder: TemporaryFolder? = nil, maxBytes: Int = 1 << 20, key: [UInt8] = key) async throws {
        let folder = try folder ?? TemporaryFolder()
        self.folder = folder
        path = folder.path + "/audit.log"
        var settings = AuditSettings()
        settings.maxBytes = maxBytes
        log = try await AuditLog(
            AuditWriter(settings, path: path, key: key),
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    }

    var findings: [String] {
        get throws { try AuditVerification(path: path, key: HMACSHA256(key: Self.key)).findings }
    }
}
