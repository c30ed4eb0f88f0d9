public import AuditLog
public import FileTesting
import Foundation

/// An audit log in a folder of its own, which is removed with it.
public struct TestAudit: Sendable {
    public static let key: [UInt8] = Array(0..<32)

    public let folder: TemporaryFolder
    public let path: String
    public let log: AuditLog

    public init(
        folder: TemporaryFolder? = nil, maxBytes: Int = 1 << 20, key: [UInt8] = key,
        report: @escaping @Sendable (AuditNotice) -> Void = { _ in }
    ) async throws(any Error) {
        let folder = try folder ?? TemporaryFolder()
        self.folder = folder
        path = folder.path + "/audit.log"
        log = try await AuditLog(AuditWriter(path: path, maxBytes: maxBytes, key: key), report: report)
    }

    /// The lines by now, after everything that was recorded without waiting for it.
    public func lines() async throws(any Error) -> [String] {
        try? await log.recordDurably(AuditEvent(.rotateKey))
        return try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").map(String.init)
    }

    /// What a verification finds.
    public var findings: [String] {
        get throws { try AuditVerification(path: path, key: Self.key).findings }
    }
}
