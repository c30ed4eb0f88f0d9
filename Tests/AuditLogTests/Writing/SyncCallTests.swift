import AuditLogTesting
import FileTesting
import Foundation
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

    /// What a failed sync has left in the cache is taken back at once: a reader must not find what was said not to be there.
    @Test func whatCouldNotBeSyncedIsTakenBack() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/audit.log"
        var writer = try AuditWriter(path: path, maxBytes: 1 << 20, key: TestAudit.key)
        var batch = AuditBatch()
        batch.append(members: [UInt8(ascii: "x")])
        try writer.write(batch)
        let before = try Data(contentsOf: URL(fileURLWithPath: path))
        interposed_fail_syncs(path, 1)
        #expect(throws: AuditFailure.self) { try writer.write(batch) }
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == before)
        try writer.write(batch)
        writer.close()
        #expect(try AuditVerification(path: path, key: TestAudit.key).findings == [])
    }

    @Test func aLogThatIsSetAsideKeepsItsName() async throws {
        let audit = try await TestAudit(maxBytes: 512)
        for number in 0..<4 { try await audit.log.recordDurably(AuditEvent(.reveal, requestID: "r\(number)")) }
        // The first file, each that was set aside, and each new one.
        #expect(interposed_syncs(audit.folder.path) >= 3)
        await audit.log.close()
    }
}
