import AuditLogTesting
import Crypto
import FileTesting
import Foundation
import Testing

@testable import AuditLog

/// What a start makes of the files that a power cut, a killed process or a hand has left.
@Suite struct AuditRecoveryTests {
    private let folder: TemporaryFolder
    private var path: String { folder.path + "/audit.log" }
    private var head: String { path + ".head" }

    init() throws {
        folder = try TemporaryFolder()
    }

    /// Runs a log that records `count` reveals; returns where it stood after each of them.
    @discardableResult
    private func run(
        _ count: Int, anchor: AuditPosition? = nil, maxBytes: Int = 1 << 20, at path: String? = nil
    ) async throws -> [AuditPosition] {
        let writer = try AuditWriter(path: path ?? self.path, maxBytes: maxBytes, key: TestAudit.key, anchor: anchor)
        let log = try await AuditLog(writer) { _ in }
        // A child process that another test has just begun holds the lock of the run before until it is another program.
        for _ in 0..<600 where log.failure?.description.contains("in use") == true {
            try await Task.sleep(for: .milliseconds(50))
        }
        var positions: [AuditPosition] = []
        for number in 0..<count {
            try await log.recordDurably(AuditEvent(.reveal, requestID: "r\(number)"))
            positions.append(try #require(log.position))
        }
        await log.close()
        return positions
    }

    private func findings(_ anchor: AuditPosition?) throws -> [String] {
        try AuditVerification(path: path, key: TestAudit.key, anchor: anchor).findings
    }

    private func lines() throws -> [String] {
        try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").map(String.init)
    }

    private func bytes(_ path: String) throws -> [UInt8] { Array(try Data(contentsOf: URL(fileURLWithPath: path))) }

    private func put(_ bytes: [UInt8], _ path: String) throws {
        try Data(bytes).write(to: URL(fileURLWithPath: path))
    }

    private func torn() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.contains(".torn-") }
    }

    /// A log that was cut within a line: the line of the next start is not written into what is left of that.
    @Test func theLineOfTheStartBeginsALine() async throws {
        let anchor = try await run(3)[0]
        let whole = try bytes(path)
        let lineEnds = whole.indices.filter { whole[$0] == 0x0A }
        try put(Array(whole.prefix(lineEnds[2] + 40)), path)
        try await run(1, anchor: anchor)
        #expect(try lines().contains { $0.hasPrefix("{") && $0.contains(#""event":"start","outcome":"cut""#) })
        let found = try findings(anchor)
        #expect(found.contains { $0.contains("at this start the log was found cut") }, "\(found)")
        // What was cut stays as it is, and the log goes on behind it.
        #expect(try Array(bytes(path).prefix(lineEnds[2] + 41)) == Array(whole.prefix(lineEnds[2] + 40)) + [0x0A])
        try await run(1, anchor: anchor)
        #expect(try findings(anchor).count >= found.count)
    }

    /// The current file is known by its path: its name may end as that of one that was set aside does.
    @Test(arguments: ["audit.0000000000000000", "audit.0000000000000003", "audit.9999999999999999"], [1 << 20, 600])
    func aNameLikeThatOfOneSetAside(name: String, maxBytes: Int) async throws {
        let path = folder.path + "/" + name
        var anchor: AuditPosition?
        for _ in 0..<3 { anchor = try await run(8, anchor: anchor, maxBytes: maxBytes, at: path).last }
        let files = AuditFiles.all(path)
        #expect((files.count > 1) == (maxBytes < 1_000))
        let text = try files.map { try String(contentsOfFile: $0, encoding: .utf8) }.joined()
        let starts = text.split(separator: "\n").filter { $0.contains(#""event":"start""#) }
        #expect(starts.count == 3 && starts.allSatisfy { $0.contains(#""outcome":"done""#) }, "\(starts)")
        #expect(try AuditVerification(path: path, key: TestAudit.key, anchor: anchor).findings == [])
    }

    /// A link would be followed for reading alone.
    @Test(arguments: ["", ".head"]) func aLinkIsRefusedAtOnce(suffix: String) throws {
        try folder.write("", to: "other")
        #expect(symlink(folder.path + "/other", path + suffix) == 0)
        let failure = #expect(throws: AuditFailure.self) {
            _ = try AuditWriter(path: path, maxBytes: 1 << 20, key: TestAudit.key)
        }
        #expect(failure?.description.contains("symbolic link") == true)
    }

    /// The head is written without a sync: a power cut leaves any of its sectors.
    @Test(arguments: [0, 20, 100, 150])
    func aTornHeadIsWrittenAgain(length: Int) async throws {
        let anchor = try await run(5)[2]
        try put(Array(try bytes(head).prefix(length)) + [UInt8](repeating: 0, count: 90), head)
        #expect(try findings(anchor) == [])
        let last = try await run(1, anchor: anchor).last
        #expect(try findings(last) == [])
        #expect(try findings(nil) == [])
        #expect(try lines().count == 10)
    }

    /// What no power cut leaves there was put there, to have lines at the end not missed.
    @Test(arguments: ["zzz\n", "{", "0000000000000000000x", "00000000000000000004 \u{1}"])
    func aHeadThatWasChangedIsFound(text: String) async throws {
        let anchor = try await run(5)[2]
        try put(Array(text.utf8), head)
        #expect(try findings(anchor).contains { $0.contains("missing, or changed") })
        try await run(1, anchor: anchor)
        #expect(try lines().contains { $0.contains(#""event":"start","outcome":"headless""#) })
        // One that a power cut may have left is worth a note.
        try put([], head)
        let verification = try AuditVerification(path: path, key: TestAudit.key, anchor: anchor)
        #expect(verification.notes.count == 1)
    }

    /// Of lines that were not synced any sectors may be there: what does not follow from the synced ones is set aside, however much.
    @Test(arguments: [0, 2 << 20, 2 << 20 - 1])
    func linesInPartAreSetAside(more: Int) async throws {
        let positions = try await run(8)
        var content = try bytes(path)
        let start = try lines().prefix(5).map { $0.utf8.count + 1 }.reduce(0, +)
        for index in start + 10..<start + 90 { content[index] = 0 }
        content += [UInt8](repeating: 0, count: more)
        try put(content, path)
        try put([UInt8](repeating: 0, count: 151), head)
        let last = try await run(1, anchor: positions[2]).last
        #expect(try findings(last) == [])
        let outcomes = try lines().filter { $0.contains(#""event":"start""#) }
        #expect(outcomes.count == 2 && outcomes[1].contains(#""outcome":"torn""#))
        let kept = try #require(try torn().first)
        #expect(try bytes(folder.path + "/" + kept) == Array(content[start...]))
    }

    /// Behind an invented line neither a line of the log's own nor a zero byte makes a power cut of it; nor does a line that is repeated.
    @Test(arguments: ["invented, first", "invented, zero", "last", "first"])
    func whatWasAppendedIsForged(_ appended: String) async throws {
        let anchor = try await run(3).last
        let own = try lines()
        let invented =
            #"{"seq":\#(own.count + 1),"event":"reveal","outcome":"done","credential":"mallory","code":"00"}"# + "\n"
        var added = appended.hasPrefix("invented") ? invented : ""
        if appended.hasSuffix("first") { added += own[0] + "\n" }
        if appended.hasSuffix("last") { added += try #require(own.last) + "\n" }
        if appended.hasSuffix("zero") { added += "\0" }
        try put(try bytes(path) + Array(added.utf8), path)
        #expect(try !findings(anchor).isEmpty)
        try await run(1, anchor: anchor)
        #expect(try lines().contains { $0.contains(#""event":"start","outcome":"forged""#) })
        #expect(try torn().isEmpty && !findings(anchor).isEmpty)
    }

    /// What was appended, told at one start, is no news at the next: neither it nor what is cut then is taken for something else.
    @Test(arguments: ["{\"seq\":999}\n", "{\"seq\":9}\n", "{\"seq\":10}\nodd\n"])
    func whatWasAppendedIsToldOnce(_ appended: String) async throws {
        let anchor = try await run(3).last
        try put(try bytes(path) + Array(appended.utf8), path)
        func outcome() throws -> String? {
            try lines().last { $0.contains(#""event":"start""#) }?
                .firstMatch(of: /"outcome":"([a-z]+)"/).map { String($0.output.1) }
        }
        var last = try await run(2, anchor: anchor).last
        #expect(try outcome() == "forged")
        for _ in 0..<3 {
            last = try await run(2, anchor: last).last
            #expect(try outcome() == "done")
        }
        try put(Array(lines().dropLast(4).map { $0 + "\n" }.joined().utf8), path)
        try await run(1, anchor: last)
        #expect(try outcome() == "cut")
    }

    /// Under another number, or gone from between its neighbours, the line that the vault knows is missed.
    @Test(arguments: [
        [#"{"seq":999,"junk":1}"#], [], [#"{"seq":4,"junk":1}"#], [#"{"seq":999,"junk":1}"#, #"{"seq":4,"junk":1}"#],
    ]) func aLineThatTheVaultKnowsIsMissed(_ others: [String]) async throws {
        let anchor = try await run(6)[2]
        var all = try lines()
        all.replaceSubrange(3...3, with: others)
        try put(Array((all.joined(separator: "\n") + "\n").utf8), path)
        try await run(1, anchor: anchor)
        let start = try #require(try lines().last { $0.contains(#""event":"start""#) })
        #expect(start.hasPrefix(#"{"seq":9,"#) && start.contains(#""outcome":"cut""#), "\(start)")
    }

    /// The vault knows a line of a file that was set aside, in which the lines behind it were changed: what the current file holds is the
    /// log's own, and stays.
    @Test(arguments: [true, false]) func linesOfAnEarlierFileThatWereChanged(hasHead: Bool) async throws {
        let anchor = try await run(12, maxBytes: 2_500)[1]
        let earlier = try #require(AuditFiles.setAside(path).last)
        try await run(3)
        let text = try String(contentsOfFile: earlier, encoding: .utf8)
        try put(Array(text.replacing(#""reveal""#, with: #""revealed""#).utf8), earlier)
        if !hasHead { unlink(head) }
        let before = try lines()
        try await run(1, anchor: anchor)
        #expect(try Array(lines().prefix(before.count)) == before)
        #expect(try lines().last { $0.contains(#""event":"start""#) }?.contains(#""outcome":"done""#) == false)
        #expect(try !findings(nil).isEmpty)
    }

    /// Behind a changed line stand others of this log, and perhaps a copy of one: it goes on after them, and no number is used twice.
    @Test(arguments: [false, true]) func theLogGoesOnBehindItsLastLine(hasCopy: Bool) async throws {
        let positions = try await run(6)
        var all = try lines()
        all[5] = all[5].replacing(#""reveal""#, with: #""revealed""#)
        let written = all + (hasCopy ? [all[2]] : [])
        try put(Array((written.joined(separator: "\n") + "\n").utf8), path)
        try put([UInt8](repeating: 0, count: 151), head)
        let last = try await run(1, anchor: positions[1]).last
        let start = try #require(try lines().last { $0.contains(#""event":"start""#) })
        #expect(start.hasPrefix(#"{"seq":\#(all.count + 1),"#) && start.contains(#""outcome":"forged""#), "\(start)")
        try await run(1, anchor: last)
        #expect(try lines().last { $0.contains(#""event":"start""#) }?.contains(#""outcome":"done""#) == true)
        #expect(try findings(last).contains { $0.hasSuffix("the line was changed") })
        #expect(try !findings(last).contains { $0.contains("missing") })
    }

    @Test(arguments: [true, false])
    func aLogThatIsGoneWithItsHeadIsMissed(isRolledBack: Bool) async throws {
        try await run(2)
        let (older, olderHead) = (try bytes(path), try bytes(head))
        let anchor = try #require(try await run(3).last)
        if isRolledBack {
            try put(older, path)
            try put(olderHead, head)
        } else {
            unlink(path)
            unlink(head)
        }
        #expect(try findings(anchor).contains { $0.contains("missing at the end") })
        try await run(1, anchor: anchor)
        #expect(try lines().contains { $0.contains(#""event":"start","outcome":"cut""#) })
        #expect(try !findings(nil).isEmpty)
    }

    /// A line with the right number, but of another run of the log.
    @Test func aLogThatWentOnFromAnOlderCopyIsFound() async throws {
        try await run(2)
        let (older, olderHead) = (try bytes(path), try bytes(head))
        let anchor = try #require(try await run(3).last)
        try put(older, path)
        try put(olderHead, head)
        try await run(6)
        #expect(try findings(anchor).contains { $0.contains("is not the one that was synced") })
        try await run(1, anchor: anchor)
        #expect(try !findings(nil).isEmpty)
    }

    @Test func theAnchorMayStandInAnOlderFile() async throws {
        let anchor = try await run(40, maxBytes: 2_000)[3]
        #expect(AuditFiles.setAside(path).count > 3)
        try put([UInt8](repeating: 0, count: 151), head)
        let last = try await run(1, anchor: anchor, maxBytes: 2_000).last
        #expect(try findings(last) == [])
        // Older files may be kept elsewhere.
        try put([UInt8](repeating: 0, count: 151), head)
        for file in AuditFiles.setAside(path).dropLast() { unlink(file) }
        let first = try #require(AuditFiles.setAside(path).first.flatMap(AuditFiles.lastSequence(ofSetAside:)))
        try await run(1, anchor: AuditPosition(sequence: first, digits: String(repeating: "0", count: 64)))
        #expect(try lines().contains { $0.contains(#""event":"start","outcome":"cut""#) })
    }

    /// Lines are gone that the head knows; the anchor is older, and there.
    @Test(arguments: [true, false])
    func linesBehindTheAnchorAreMissed(isForged: Bool) async throws {
        let anchor = try await run(8)[2]
        let all = try lines()
        let kept = all.prefix(6) + (isForged ? [#"{"seq":7,"junk":1}"#] : [])
        try put(Array((kept.joined(separator: "\n") + "\n").utf8), path)
        try await run(1, anchor: anchor)
        let start = try #require(try lines().last { $0.contains(#""event":"start""#) })
        #expect(start.contains(#""outcome":"\#(isForged ? "forged" : "cut")""#))
        // It goes on behind the lines that are missing.
        #expect(start.hasPrefix(#"{"seq":\#(all.count + 1),"#))
    }

    /// A line that was changed in a file that was set aside: the log goes on behind its last line, not in the middle.
    @Test func aChangedLineInAnOlderFileIsNotTheEnd() async throws {
        let anchor = try await run(40, maxBytes: 2_000)[3]
        let file = AuditFiles.setAside(path)[2]
        let changed = try String(contentsOfFile: file, encoding: .utf8).replacing(
            "\"reveal\"", with: "\"revealed\"", maxReplacements: 1)
        try put(Array(changed.utf8), file)
        try put([UInt8](repeating: 0, count: 151), head)
        try await run(1, anchor: anchor)
        let start = try #require(try lines().last { $0.contains(#""event":"start""#) })
        // The first run's start, reveals and stop were 42 lines.
        #expect(start.hasPrefix(#"{"seq":43,"#) && start.contains(#""outcome":"forged""#), "\(start)")
        #expect(try findings(anchor).contains { $0.hasSuffix("the line was changed") })
    }

    @Test func aNewLogBeginsAtItsOrigin() async throws {
        try await run(1, anchor: .origin)
        #expect(try findings(.origin) == [])
        #expect(try lines().count == 3)
        // What was written first may be there in part, too.
        try put(Array(repeating: 0, count: 300) + Array("\"}\n".utf8), path)
        try put([UInt8](repeating: 0, count: 151), head)
        try await run(1, anchor: .origin)
        #expect(try findings(.origin) == [])
        #expect(try torn().count == 1)
    }

    @Test func aHeadThatIsGoneIsFound() async throws {
        let anchor = try await run(2).last
        unlink(head)
        #expect(try findings(anchor).contains { $0.contains("head: missing") })
        try await run(1, anchor: anchor)
        #expect(try findings(anchor).contains { $0.contains("headless") })
    }

    /// A new vault in the place of one whose log has set files aside: none of them is taken for a part of the new log, at this start or a
    /// later one, and with its own vault the old log can be verified. What is gone was moved away, or set aside by a start that was killed.
    @Test(arguments: [[], ["oldest"], ["current"], ["head"], ["current", "head"]])
    func allFilesOfAForeignLogAreSetAside(gone: [String]) async throws {
        let key = Array(UInt8(1)...32)
        let foreign = try await TestAudit(folder: folder, maxBytes: 2_000, key: key)
        for number in 0..<30 { try await foreign.log.recordDurably(AuditEvent(.create, requestID: "r\(number)")) }
        await foreign.log.close()
        if gone.contains("oldest") { unlink(AuditFiles.all(path)[0]) }
        if gone.contains("current") { unlink(path) }
        if gone.contains("head") { unlink(head) }
        let left = AuditFiles.all(path).count
        #expect(left > 2)
        // What the vault knows where it finds neither the log nor its head.
        var position = try await run(1, anchor: gone.count == 2 ? .origin : nil)[0]
        for _ in 0..<3 {
            #expect(AuditFiles.setAside(path).isEmpty)
            #expect(try findings(position) == ["\(path):1: at this start the log was found foreign"])
            position = try await run(1, anchor: position)[0]
        }
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.contains(".foreign-") }
        let name = try #require(names.first?.firstMatch(of: /^.*\.foreign-\d+/)?.output)
        let other = "\(folder.path)/\(name)"
        #expect(AuditFiles.all(other).count == left)
        if gone.isEmpty { #expect(try AuditVerification(path: other, key: key).findings == []) }
    }
}
