import AuditLogTesting
import FileTesting
import Foundation
import Testing

@testable import AuditLog

/// `audit.keep`: the oldest files are removed, and the rest can still be verified.
@Suite struct AuditKeepTests {
    /// A log of several files.
    private func log() async throws -> TestAudit {
        let audit = try await TestAudit(maxBytes: 2_000)
        for number in 0..<60 { try await audit.log.recordDurably(AuditEvent(.reveal, requestID: "r\(number)")) }
        return audit
    }

    @Test func filesBeyondASizeAreRemoved() async throws {
        let audit = try await log()
        let files = AuditFiles.rotated(audit.path)
        #expect(files.count > 5)
        let last = try #require(try await audit.log.drop(at: audit.path, keeping: .size(6_000), now: 0))
        let left = AuditFiles.rotated(audit.path)
        #expect(left.count >= 2 && left.count < files.count && last > 10)
        let verified = try AuditVerification(path: audit.path, key: TestAudit.key)
        #expect(verified.findings == [])
        #expect(verified.notes == ["lines 1 to \(last) were removed, as audit.keep says"])
        #expect(try await audit.log.drop(at: audit.path, keeping: .size(1 << 30), now: 0) == nil)
        // What is removed by hand is missed, and so is more than the log says.
        unlink(try #require(left.first))
        #expect(try audit.findings.contains { $0.contains("stands where 1 should") })
        await audit.log.close()
    }

    /// A process that is killed while it removes several files leaves the later ones.
    @Test func aRemovalThatWasNotFinished() async throws {
        let audit = try await log()
        let files = AuditFiles.rotated(audit.path)
        let contents = try files.map { try Data(contentsOf: URL(fileURLWithPath: $0)) }
        try await audit.log.drop(at: audit.path, keeping: .size(6_000), now: 0)
        await audit.log.close()
        let removed = files.filter { !FileManager.default.fileExists(atPath: $0) }
        #expect(removed.count >= 3)
        for index in removed.indices.dropFirst().reversed() {
            try contents[index].write(to: URL(fileURLWithPath: files[index]))
            let verified = try AuditVerification(path: audit.path, key: TestAudit.key)
            #expect(verified.findings == [] && verified.notes.count == 1)
        }
        // One from amid them is missing.
        unlink(files[2])
        #expect(try audit.findings.isEmpty == false)
    }

    @Test func filesThatAreOldAreRemoved() async throws {
        let audit = try await log()
        let now = Int(Date().timeIntervalSince1970)
        let files = AuditFiles.rotated(audit.path)
        for file in files.prefix(3) {
            try FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSinceNow: -90_000)], ofItemAtPath: file)
        }
        try await audit.log.drop(at: audit.path, keeping: .age(86_400), now: now)
        #expect(AuditFiles.rotated(audit.path).first == files[3])
        #expect(try audit.findings == [])
        // A second time, behind the first.
        for file in files[3...4] {
            try FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSinceNow: -90_000)], ofItemAtPath: file)
        }
        try await audit.log.drop(at: audit.path, keeping: .age(86_400), now: now)
        await audit.log.close()
        #expect(try audit.findings == [])
    }

    @Test func aFileThatIsGoneIsFound() async throws {
        let audit = try await log()
        unlink(AuditFiles.rotated(audit.path)[0])
        await audit.log.close()
        #expect(try audit.findings.count == 1)
    }
}
