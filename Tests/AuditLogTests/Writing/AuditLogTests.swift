import AuditLogTesting
import Crypto
import FileTesting
import Foundation
import JSON
import Synchronization
import Testing

@testable import AuditLog

@Suite struct AuditLogTests {
    /// A log of `count` reveals that was closed in good order; lines 1 and `count + 2` are its start and its end.
    private func log(_ count: Int, maxBytes: Int = 1 << 20, in folder: TemporaryFolder? = nil) async throws -> TestAudit
    {
        let audit = try await TestAudit(folder: folder, maxBytes: maxBytes)
        for number in 0..<count {
            try await audit.log.recordDurably(
                AuditEvent(.reveal, requestID: "r\(number)", credential: "dev", aliases: ["tok_\(number)", "a\"\\\n"]))
        }
        await audit.log.close()
        return audit
    }

    private func lines(_ path: String) throws -> [String] {
        try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").map(String.init)
    }

    private func put(_ lines: [String], _ path: String) throws {
        try (lines.joined(separator: "\n") + "\n").write(toFile: path, atomically: false, encoding: .utf8)
    }

    private func names(in folder: TemporaryFolder) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path)
    }

    @Test func aLogIsWholeAndPrivate() async throws {
        let audit = try await log(5)
        #expect(try audit.findings == [])
        let written = try lines(audit.path)
        #expect(written.count == 7)
        #expect(
            written[3].contains(#""event":"reveal","outcome":"done","requestId":"r2","credential":"dev","count":2"#))
        let mode = try FileManager.default.attributesOfItem(atPath: audit.path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
    }

    @Test func whatIsWaitedForIsThere() async throws {
        let audit = try await TestAudit()
        try audit.log.record(AuditEvent(.create, requestID: "first"))
        try await audit.log.recordDurably(AuditEvent(.reveal, requestID: "second"))
        let written = try lines(audit.path)
        #expect(written.count == 3)
        #expect(written[1].contains("first") && written[2].contains("second"))
        await audit.log.close()
    }

    @Test(arguments: [
        ("edit", ["line was changed"]), ("cut", ["line 5 stands where 4"]), ("swap", ["stands where"]),
        ("head", ["missing at the end"]), ("half", ["missing at the end"]), ("double", ["stands where"]),
        ("nohead", ["head: missing"]), ("gone", ["there is no log"]), ("end", ["line was changed"]),
    ])
    func damageIsFound(kind: String, findings: [String]) async throws {
        let audit = try await log(8)
        var written = try lines(audit.path)
        switch kind {
        case "edit": written[4] = written[4].replacingOccurrences(of: "\"r3\"", with: "\"r9\"")
        case "cut": written.remove(at: 3)
        case "swap": written.swapAt(3, 4)
        case "head": written.removeLast(2)
        case "end": written[4] = written[4].dropLast(2) + "']"
        case "double": written.insert(written[3], at: 4)
        default: break
        }
        try put(written, audit.path)
        if kind == "half" { truncate(audit.path, off_t(written.joined(separator: "\n").utf8.count - 20)) }
        if kind == "nohead" { unlink(audit.path + ".head") }
        if kind == "gone" { unlink(audit.path) }
        let found = try audit.findings
        for finding in findings { #expect(found.contains { $0.contains(finding) }, "\(found)") }
        // What was done to it does not heal by going on.
        let again = try await log(1, in: audit.folder)
        if kind != "gone" { #expect(try !again.findings.isEmpty) }
    }

    /// Lines with right codes and numbers, but from two runs of the log.
    @Test func linesOfAnotherRunAreFound() async throws {
        let folder = try TemporaryFolder()
        let path = try await log(2, in: folder).path
        let head = path + ".head"
        let (older, olderHead) = try (Data(contentsOf: URL(filePath: path)), Data(contentsOf: URL(filePath: head)))
        let one = try lines(try await log(3, in: folder).path)
        try older.write(to: URL(filePath: path))
        try olderHead.write(to: URL(filePath: head))
        let other = try lines(try await log(3, in: folder).path)
        #expect(one.count == other.count)
        try put(Array(one.prefix(6)) + other.dropFirst(6), path)
        let findings = try AuditVerification(path: path, key: TestAudit.key).findings
        #expect(findings == ["\(path):7: line 7 does not follow from the one before it"])
    }

    @Test func aFileThatWasSetAsideEndsWithAWholeLine() async throws {
        let audit = try await log(20, maxBytes: 2_000)
        let file = AuditFiles.setAside(audit.path)[1]
        truncate(file, off_t(AuditFiles.size(file) - 20))
        #expect(try audit.findings.first?.hasSuffix("the line is cut off") == true)
    }

    /// A log that was moved away goes on in a new file.
    @Test func aLogThatWasMovedIsNotWrittenTo() async throws {
        let audit = try await TestAudit()
        try await audit.log.recordDurably(AuditEvent(.reveal, requestID: "before"))
        let elsewhere = audit.folder.path + "/elsewhere"
        try FileManager.default.moveItem(atPath: audit.path, toPath: elsewhere)
        try await audit.log.recordDurably(AuditEvent(.reveal, requestID: "after"))
        await audit.log.close()
        #expect(try lines(elsewhere).count == 2)
        let written = try lines(audit.path)
        #expect(written.count == 2 && written[0].contains("after"))
        #expect(try AuditVerification(path: audit.path, key: TestAudit.key, first: 3).findings == [])
    }

    @Test func roomHasALimit() async throws {
        let audit = try await TestAudit()
        let large = try audit.log.reserve(65_000)
        #expect(throws: AuditFailure.self) { _ = try audit.log.reserve(1_000) }
        _ = consume large
        _ = try audit.log.reserve(1_000)
        #expect(throws: AuditFailure.self) { _ = try audit.log.reserve(65_537) }
        await audit.log.close()
    }

    /// What the log can no longer hold is at least reported.
    @Test func whatIsLostIsReported() async throws {
        let folder = try TemporaryFolder()
        try FileManager.default.createDirectory(atPath: folder.path + "/audit.log", withIntermediateDirectories: true)
        let notices = Mutex<[String]>([])
        let audit = try await TestAudit(folder: folder) { notice in notices.withLock { $0.append("\(notice)") } }
        try audit.log.record(AuditEvent(.create))
        #expect(await audit.log.close() == false)
        audit.log.fill(0, with: [AuditEvent(.delete)])
        await #expect(throws: AuditFailure.self) { try await audit.log.fillDurably(0, with: [AuditEvent(.update)]) }
        let told = notices.withLock { $0.dropFirst() }
        #expect(
            Array(told) == [
                // The start's line is made by each write; what waits is the event and the stop.
                "2 events could not be written to the audit log, and are lost",
                "done after the audit log was closed: delete done", "done after the audit log was closed: update done",
            ])
    }

    @Test func anotherKeyFindsEveryLineChanged() async throws {
        let audit = try await log(1)
        let other = try AuditVerification(path: audit.path, key: Array(1..<33))
        #expect(other.findings.count == 4)
    }

    @Test func aChainGoesOnOverStartsAndFiles() async throws {
        let folder = try TemporaryFolder()
        for _ in 0..<3 { _ = try await log(20, maxBytes: 2_000, in: folder) }
        let path = folder.path + "/audit.log"
        let files = AuditFiles.setAside(path)
        #expect(files.count > 5)
        let key = TestAudit.key
        #expect(try AuditVerification(path: path, key: key).findings == [])
        let some = try #require(files.dropFirst(2).first)
        let first = try #require(Int(files[1].suffix(16))) + 1
        unlink(files[0])
        unlink(files[1])
        #expect(try AuditVerification(path: path, key: key, first: first).findings == [])
        #expect(try AuditVerification(path: path, key: key).findings.count == 1)
        unlink(some)
        #expect(try AuditVerification(path: path, key: key, first: first).findings.count == 1)
    }

    @Test func aLineThatAKilledProcessBeganIsDropped() async throws {
        let folder = try TemporaryFolder()
        let path = try await log(2, in: folder).path
        let handle = try #require(FileHandle(forWritingAtPath: path))
        try handle.seekToEnd()
        try handle.write(contentsOf: Data(#"{"seq":5,"time":"20"#.utf8))
        try handle.close()
        #expect(try await log(1, in: folder).findings == [])
        #expect(try lines(path).count == 7)
    }

    /// A whole line that this log has not written is nobody's unfinished work: it stays, and is found for good.
    @Test func aForgedLineStays() async throws {
        let folder = try TemporaryFolder()
        let path = try await log(2, in: folder).path
        let handle = try #require(FileHandle(forWritingAtPath: path))
        try handle.seekToEnd()
        try handle.write(contentsOf: Data("{\"seq\":5,\"junk\":1}\n{\"seq\":6".utf8))
        try handle.close()
        for _ in 0..<2 { #expect(try await log(1, in: folder).findings.isEmpty == false) }
        let found = try lines(path)
        #expect(found.contains { $0.contains("junk") } && !found.contains { $0 == #"{"seq":6"# })
        #expect(found.count { $0.contains(#""event":"start","outcome":"forged""#) } == 1)
    }

    @Test func aForeignLogIsSetAside() async throws {
        let folder = try TemporaryFolder(["audit.log": "{\"seq\":1}\n"])
        let audit = try await log(1, in: folder)
        #expect(try audit.findings.count == 1)
        #expect(try names(in: folder).contains { $0.hasPrefix("audit.log.foreign-") })
    }

    /// While the new log cannot be written nothing more is set aside: here because a folder has its place.
    @Test func aForeignLogIsSetAsideOnce() async throws {
        let folder = try TemporaryFolder(["audit.log": "{\"seq\":1}\n"])
        var key = try AuditWriter(path: folder.path + "/audit.log", maxBytes: 1 << 20, key: TestAudit.key)
        var batch = AuditBatch()
        batch.append(members: [UInt8(ascii: "x")])
        try key.write(batch)
        key.close()
        // A second start, again with another key, finds an empty file where its line could not be written.
        try FileManager.default.removeItem(atPath: folder.path + "/audit.log")
        try FileManager.default.removeItem(atPath: folder.path + "/audit.log.head")
        #expect(FileManager.default.createFile(atPath: folder.path + "/audit.log", contents: Data()))
        let audit = try await log(1, in: folder)
        #expect(try audit.findings == [])
        #expect(try names(in: folder).count { $0.contains("foreign") } == 1)
    }

    @Test func whatCannotBeRecordedIsRefused() async throws {
        let folder = try TemporaryFolder()
        try FileManager.default.createDirectory(atPath: folder.path + "/audit.log", withIntermediateDirectories: true)
        let audit = try await TestAudit(folder: folder)
        #expect(audit.log.failure != nil)
        await #expect(throws: AuditFailure.self) { try await audit.log.recordDurably(AuditEvent(.reveal)) }
        try audit.log.record(AuditEvent(.create, requestID: "kept"))
        rmdir(audit.path)
        while audit.log.failure != nil { try await Task.sleep(for: .milliseconds(10)) }
        try await audit.log.recordDurably(AuditEvent(.reveal))
        await audit.log.close()
        #expect(try audit.findings == [])
        let written = try lines(audit.path)
        #expect(written.contains { $0.contains("kept") })
        // The first one was refused at once: it did not wait for the next try, after which it would be recorded as not done.
        #expect(written.count { $0.contains(#""event":"reveal""#) } == 1)
    }

    @Test func theLogSaysHowManyCallsWereRefused() async throws {
        let folder = try TemporaryFolder()
        try FileManager.default.createDirectory(atPath: folder.path + "/audit.log", withIntermediateDirectories: true)
        let audit = try await TestAudit(folder: folder)
        for _ in 0..<3 { audit.log.noteRefusal() }
        rmdir(audit.path)
        while audit.log.failure != nil { try await Task.sleep(for: .milliseconds(10)) }
        // For want of room, say, while it can be written: no line follows that would count it.
        audit.log.noteRefusal()
        await audit.log.close()
        #expect(try lines(audit.path).filter { $0.contains("\"resume\",\"outcome\":\"done\",\"count\":3,") }.count == 1)
        #expect(try audit.findings == [])
    }

    /// What cannot be read for now is not what has lost its lines.
    @Test func aLogThatCannotBeReadIsNotCut() async throws {
        let audit = try await TestAudit()
        try await audit.log.recordDurably(AuditEvent(.reveal))
        await audit.log.close()
        let elsewhere = audit.folder.path + "/elsewhere"
        try FileManager.default.moveItem(atPath: audit.path, toPath: elsewhere)
        try FileManager.default.createDirectory(atPath: audit.path, withIntermediateDirectories: false)
        let again = try await TestAudit(folder: audit.folder)
        #expect(again.log.failure?.description.contains("is not a regular file") == true)
        rmdir(audit.path)
        try FileManager.default.moveItem(atPath: elsewhere, toPath: audit.path)
        while again.log.failure != nil { try await Task.sleep(for: .milliseconds(10)) }
        await again.log.close()
        #expect(try again.findings == [])
        let starts = try lines(audit.path).filter { $0.contains(#""event":"start""#) }
        #expect(starts.count == 2 && starts.allSatisfy { $0.contains(#""outcome":"done""#) }, "\(starts)")
    }

    /// What has begun is recorded before the log ends, and nothing begins meanwhile.
    @Test func aLogIsClosedOnce() async throws {
        let audit = try await TestAudit()
        #expect(await audit.log.close())
        #expect(await audit.log.close() == false)
        #expect(try lines(audit.path).count == 2)
    }

    @Test func theLogClosesBehindWhatIsUnderWay() async throws {
        let audit = try await TestAudit()
        let reservation = try audit.log.reserve()
        async let closed = audit.log.close()
        while (try? audit.log.record(AuditEvent(.delete))) != nil { try await Task.sleep(for: .milliseconds(1)) }
        reservation.record(AuditEvent(.create, requestID: "under way"))
        #expect(await closed)
        #expect(try audit.findings == [])
        let written = try lines(audit.path)
        #expect(written.count { $0.contains("under way") } == 1)
        #expect(written.last?.contains(#""event":"stop""#) == true)
    }

    /// What has been done is told as done, however late; what was to be recorded first has not been done.
    @Test func whatIsDoneIsToldWhenItCanBe() async throws {
        let folder = try TemporaryFolder()
        try FileManager.default.createDirectory(atPath: folder.path + "/audit.log", withIntermediateDirectories: true)
        let audit = try await TestAudit(folder: folder)
        let reservation = try audit.log.reserve(2)
        let events = ["one", "two"].map { AuditEvent(.redact, requestID: $0) }
        do {
            try await reservation.recordDurably(events)
            Issue.record("it was recorded in a folder")
        } catch {}
        rmdir(audit.path)
        while audit.log.failure != nil { try await Task.sleep(for: .milliseconds(10)) }
        await audit.log.close()
        #expect(try audit.findings == [])
        let told = try lines(audit.path).filter { $0.contains(#""event":"redact""#) }
        #expect(told.count == 2 && told.allSatisfy { $0.contains(#""outcome":"done""#) })
    }

    @Test func sumsOfStrangersAreToldBeforeTheEnd() async throws {
        let audit = try await TestAudit()
        for _ in 0..<50 { try audit.log.recordStranger(AuditEvent(.reveal, .unauthorized)) }
        await audit.log.close()
        let told = try lines(audit.path).filter { $0.contains("unauthorized") }
        let sums = told.map { line in line.firstMatch(of: /"count":(\d+)/).flatMap { Int($0.output.1) } ?? 1 }
        #expect(told.count < 50 && sums.reduce(0, +) == 50, "\(told)")
    }

    @Test func aPlaceThatIsNotFilledIsGivenBack() async throws {
        let audit = try await TestAudit()
        for _ in 0..<70_000 { _ = try audit.log.reserve() }
        await audit.log.close()
        #expect(try lines(audit.path).count == 2)
    }

    @Test func aSecondProcessIsKeptAway() async throws {
        let audit = try await TestAudit()
        let other = try await TestAudit(folder: audit.folder)
        #expect(other.log.failure?.description.contains("in use") == true)
        try await audit.log.recordDurably(AuditEvent(.reveal))
        await audit.log.close()
        // Once the first has ended, the second goes on where that one stopped.
        while other.log.failure != nil { try await Task.sleep(for: .milliseconds(10)) }
        try await other.log.recordDurably(AuditEvent(.reveal))
        await other.log.close()
        #expect(try other.findings == [])
    }

    @Test func anotherVaultsProcessTouchesNothing() async throws {
        let audit = try await TestAudit()
        let other = try await TestAudit(folder: audit.folder, key: Array(32..<64))
        #expect(other.log.failure?.description.contains("in use") == true)
        try await audit.log.recordDurably(AuditEvent(.reveal))
        #expect(try audit.findings == [])
        await other.log.close()
        await audit.log.close()
        #expect(try audit.findings == [])
    }

    @Test(arguments: ["precious\n", "SQLite format 3\0", "{\"sequence\":1}\n", "\n\n", "{\n \"seq\": 1\n}", "{\n"])
    func whatIsNoLogStaysWhatItIs(text: String) async throws {
        let folder = try TemporaryFolder(["audit.log": text])
        let audit = try await TestAudit(folder: folder)
        #expect(audit.log.failure?.description.contains("is no audit log") == true)
        await #expect(throws: AuditFailure.self) { try await audit.log.recordDurably(AuditEvent(.reveal)) }
        await audit.log.close()
        #expect(try String(contentsOfFile: audit.path, encoding: .utf8) == text)
        #expect(try names(in: folder).contains { $0.contains("foreign") } == false)
    }
}
