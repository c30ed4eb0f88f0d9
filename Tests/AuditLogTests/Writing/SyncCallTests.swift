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

    /// A folder that was made for the log is there after a power cut.
    @Test func foldersAreSynced() throws {
        let folder = try TemporaryFolder()
        AuditFiles.prepareFolder(of: folder.path + "/new/folder/audit.log")
        #expect(interposed_syncs(folder.path) == 1)
        #expect(interposed_syncs(folder.path + "/new") == 1)
    }

    /// A command of an operator's makes files for the process that serves.
    @Test(.enabled(if: geteuid() == 0, "only root can give files away"))
    func newFilesAreOfTheFoldersOwner() async throws {
        let folder = try TemporaryFolder()
        try FileManager.default.createDirectory(atPath: folder.path, withIntermediateDirectories: true)
        #expect(chown(folder.path, 4_711, 4_712) == 0)
        let audit = try await TestAudit(folder: folder, maxBytes: 1_000)
        for number in 0..<20 { try await audit.log.recordDurably(AuditEvent(.reveal, requestID: "r\(number)")) }
        await audit.log.close()
        let files = AuditFiles.all(audit.path) + [AuditFiles.head(of: audit.path)]
        #expect(files.count > 3)
        for file in files {
            var status = stat()
            #expect(stat(file, &status) == 0 && status.st_uid == 4_711 && status.st_gid == 4_712, "\(file)")
        }
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

    /// A file that somebody has cut to nothing (`copytruncate`) is not filled with zeros up to where it was.
    @Test func aFileThatWasCutIsNotMadeLonger() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/audit.log"
        var writer = try AuditWriter(path: path, maxBytes: 1 << 20, key: TestAudit.key)
        var batch = AuditBatch()
        batch.append(members: [UInt8(ascii: "x")])
        for _ in 0..<3 { try writer.write(batch) }
        #expect(truncate(path, 0) == 0)
        interposed_fail_syncs(path, 1)
        #expect(throws: AuditFailure.self) { try writer.write(batch) }
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)).isEmpty)
        try writer.write(batch)
        #expect(try !Data(contentsOf: URL(fileURLWithPath: path)).contains(0))
        writer.close()
    }

    /// The head alone is new, or the log alone: each keeps its name.
    @Test(arguments: ["audit.log", "audit.log.head"])
    func aFileThatWasGoneKeepsItsName(name: String) async throws {
        let audit = try await TestAudit()
        await audit.log.close()
        unlink(audit.folder.path + "/" + name)
        let before = interposed_syncs(audit.folder.path)
        let again = try await TestAudit(folder: audit.folder)
        #expect(interposed_syncs(audit.folder.path) == before + 1)
        await again.log.close()
    }

    /// A full disk is an error, and not one that is tried again at once.
    @Test func aFullDiskIsAnError() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/audit.log"
        var writer = try AuditWriter(path: path, maxBytes: 1 << 20, key: TestAudit.key)
        var batch = AuditBatch()
        batch.append(members: [UInt8(ascii: "x")])
        try writer.write(batch)
        interposed_fail_writes(path, 1)
        let failure = #expect(throws: AuditFailure.self) { try writer.write(batch) }
        #expect(failure?.description.contains("cannot be written") == true)
        try writer.write(batch)
        writer.close()
        #expect(try AuditVerification(path: path, key: TestAudit.key).findings == [])
    }

    /// What had to be recorded first, and was not, is recorded as not done: also what came while the log was failing, behind events that
    /// are kept. The gap is marked.
    @Test func whatCouldNotBeRecordedInTimeIsRecordedAsThat() async throws {
        let audit = try await TestAudit()
        interposed_fail_syncs(audit.path, .max)
        let events = [
            AuditEvent(.reveal, requestID: "first", aliases: ["tok_1", "tok_2"]),
            AuditEvent(.reveal, requestID: "with it"),
        ]
        let first = Task { try? await audit.log.recordDurably(events) }
        while audit.log.failure == nil { try await Task.sleep(for: .milliseconds(1)) }
        try audit.log.record(AuditEvent(.create, requestID: "meanwhile"))
        await #expect(throws: AuditFailure.self) {
            try await audit.log.recordDurably(AuditEvent(.reveal, requestID: "second"))
        }
        #expect(await first.value == nil)
        interposed_fail_syncs(audit.path, 0)
        while audit.log.failure != nil { try await Task.sleep(for: .milliseconds(10)) }
        await audit.log.close()
        #expect(try audit.findings == [])
        let lines = try String(contentsOfFile: audit.path, encoding: .utf8).split(separator: "\n")
        #expect(lines.count { $0.contains(#""event":"resume""#) } == 1)
        let reveals = lines.filter { $0.contains(#""event":"reveal""#) }
        #expect(reveals.count >= 2 && reveals.allSatisfy { $0.contains(#""outcome":"unrecorded""#) }, "\(lines)")
        #expect(reveals.first?.contains(#""requestId":"first","count":2,"aliases":[]"#) == true)
        #expect(lines.count { $0.contains(#""event":"create","outcome":"done","requestId":"meanwhile""#) } == 1)
    }

    /// A reveal that asks while another's record is being synced, and fails: both are recorded as not done, each in its place.
    @Test func whatCameDuringAFailedSyncKeepsItsPlace() async throws {
        // The second has the 50 ms of the failing sync. One that is late is refused at once and leaves no line: then once more.
        for _ in 0..<100 {
            let lines = try await Self.linesOfTwoThatFail()
            guard lines.contains(where: { $0.contains(#""requestId":"second""#) }) else { continue }
            let reveals = lines.filter { $0.contains(#""event":"reveal""#) }
            #expect(reveals.map { $0.contains(#""requestId":"first""#) } == [true, false], "\(lines)")
            #expect(reveals.allSatisfy { $0.contains(#""outcome":"unrecorded""#) }, "\(lines)")
            return
        }
        Issue.record("no reveal came during a sync")
    }

    /// However much comes meanwhile: each try takes all that waits.
    @Test(arguments: [false, true])
    func aLogThatFailsIsTriedAgainAfterAPause(isWaitedFor: Bool) async throws {
        let audit = try await TestAudit()
        let log = audit.log
        let tries = 10
        let end = ContinuousClock.now + AuditThread.retry * (tries - 1)
        // What comes while a sync fails, which takes its time; who waits, at any time.
        let fail = isWaitedFor ? interposed_fail_writes : interposed_fail_syncs
        fail(audit.path, Int32(tries))
        for number in 0..<100 {
            let event = AuditEvent(.create, requestID: "r\(number)")
            if isWaitedFor {
                Task { try? await log.reserve().recordDurably([event]) }
            } else {
                try log.record(event)
            }
            try await Task.sleep(for: .milliseconds(10))
        }
        #expect(audit.log.failure != nil || ContinuousClock.now > end)
        fail(audit.path, 0)
        while audit.log.failure != nil { try await Task.sleep(for: .milliseconds(10)) }
        await audit.log.close()
        #expect(try audit.findings == [])
        let lines = try String(contentsOfFile: audit.path, encoding: .utf8).split(separator: "\n")
        #expect(lines.count { $0.contains(#""event":"create""#) } == 100)
    }

    private static func linesOfTwoThatFail() async throws -> [Substring] {
        let audit = try await TestAudit()
        let size = try Self.size(of: audit.path)
        interposed_fail_syncs(audit.path, .max)
        let first = Task { try? await audit.log.recordDurably(AuditEvent(.reveal, requestID: "first")) }
        while try Self.size(of: audit.path) == size, audit.log.failure == nil { await Task.yield() }
        #expect(await (try? audit.log.recordDurably(AuditEvent(.reveal, requestID: "second"))) == nil)
        #expect(await first.value == nil)
        interposed_fail_syncs(audit.path, 0)
        while audit.log.failure != nil { try await Task.sleep(for: .milliseconds(10)) }
        await audit.log.close()
        #expect(try audit.findings == [])
        return try String(contentsOfFile: audit.path, encoding: .utf8).split(separator: "\n")
    }

    private static func size(of path: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int
    }

    @Test func aLogThatIsSetAsideKeepsItsName() async throws {
        let audit = try await TestAudit(maxBytes: 512)
        for number in 0..<4 { try await audit.log.recordDurably(AuditEvent(.reveal, requestID: "r\(number)")) }
        // The first file, each that was set aside, and each new one.
        #expect(interposed_syncs(audit.folder.path) >= 3)
        await audit.log.close()
    }
}
