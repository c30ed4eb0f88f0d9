import AuditLogTesting
import FileTesting
import Interposing
import Testing

@testable import AuditLog

@Suite struct SyncCallTests {
    /// A reveal is on disk before it is sent, and the log keeps its name.
    @Test func whatIsWaitedForIsSynced() async throws {
        let audit = try await TestAudit()
        #expect(interposed_syncs(audit.folder.path) >= 1)
        for number in 1...3 {
            let before = interposed_syncs(audit.path)
            try await audit.log.recordDurably(AuditEvent(.reveal, requestID: "r\(number)"))
            #expect(interposed_syncs(audit.path) == before + 1)
        }
        await audit.log.close()
    }

    @Test func aLogThatIsSetAsideKeepsItsName() async throws {
        let audit = try await TestAudit(maxBytes: 512)
        for number in 0..<4 { try await audit.log.recordDurably(AuditEvent(.reveal, requestID: "r\(number)")) }
        // The first file, each that was set aside, and each new one.
        #expect(interposed_syncs(audit.folder.path) >= 3)
        await audit.log.close()
    }
}
