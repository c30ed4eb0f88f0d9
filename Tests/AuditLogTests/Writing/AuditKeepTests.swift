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
        let files = AuditFiles.setAside(audit.path)
        #expect(files.count > 5)
        let last = try #require(try await audit.log.drop(at: audit.path, keeping: .size(10_000), now: 0))
        let left = AuditFiles.setAside(audit.path)
        // No more than had to go.
        #expect(left.count >= 3 && left.count < files.count && last > 10)
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
        let files = AuditFiles.setAside(audit.path)
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

    /// What counts is when the last line of a file was written.
    @Test func filesThatAreOldAreRemoved() async throws {
        let audit = try await TestAudit(maxBytes: 2_000)
        let now = Int(Date().timeIntervalSince1970)
        // A line a minute, two hours long.
        for number in 0..<120 {
            try await audit.log.recordDurably(
                AuditEvent(.reveal, requestID: "r\(number)", time: Int64(now - 7_200 + 60 * number) * 1_000))
        }
        let files = AuditFiles.setAside(audit.path)
        let ages = try files.map { file in
            let line = try #require(try text(file).split(separator: "\n").last)
            return now - 7_200 + 60
                * (try #require(Int(line.split(separator: "requestId\":\"r")[1].prefix { $0.isNumber })))
        }
        for index in [2, 4] {
            let last = try await audit.log.drop(at: audit.path, keeping: .age(3_600), now: ages[index] + 3_600)
            #expect(last == AuditFiles.lastSequence(ofSetAside: files[index - 1]))
            #expect(AuditFiles.setAside(audit.path).first == files[index])
            #expect(try audit.findings == [])
        }
        await audit.log.close()
        // The process after it goes on with the record of what is missing.
        let next = try await TestAudit(folder: audit.folder, maxBytes: 2_000)
        try await next.log.drop(at: next.path, keeping: .age(3_600), now: ages[6] + 3_600)
        #expect(AuditFiles.setAside(next.path).first == files[6])
        let verified = try AuditVerification(path: next.path, key: TestAudit.key)
        let last = try #require(AuditFiles.lastSequence(ofSetAside: files[5]))
        #expect(verified.findings == [] && verified.notes == ["lines 1 to \(last) were removed, as audit.keep says"])
        await next.log.close()
    }

    private func text(_ path: String) throws -> String { try String(contentsOfFile: path, encoding: .utf8) }

    /// Who can write to the folder, but has no key, gets no line signed that hides others: nothing is removed.
    @Test(arguments: Forgery.allCases) func whatIsNotAsTheLogLeftItIsNoReasonToRemove(forgery: Forgery) async throws {
        let audit = try await log()
        let files = AuditFiles.setAside(audit.path)
        let day = Int(Date().timeIntervalSince1970) + 86_400
        try forgery.make(files, audit.path)
        let before = AuditFiles.setAside(audit.path)
        for keep in [AuditKeep.age(172_800), .age(3_600), .size(100_000)] where forgery.isReason(keep) {
            if forgery.isTime {
                #expect(try await audit.log.drop(at: audit.path, keeping: keep, now: day) == nil)
            } else {
                await #expect(throws: AuditFailure.self) {
                    try await audit.log.drop(at: audit.path, keeping: keep, now: day)
                }
            }
        }
        #expect(AuditFiles.setAside(audit.path) == before)
        await audit.log.close()
    }

    enum Forgery: CaseIterable, Sendable {
        case time, copyOfALine, copiesOfFiles, changedLine, missingFile, bytes, anotherNumber, lowerNumber

        var isTime: Bool { self == .time }

        func isReason(_ keep: AuditKeep) -> Bool {
            switch self {
            case .time: keep == .age(172_800)
            case .copiesOfFiles, .bytes: keep == .size(100_000)
            default: keep == .age(3_600)
            }
        }

        func make(_ files: [String], _ path: String) throws {
            let manager = FileManager.default
            switch self {
            case .time:
                for file in files {
                    try manager.setAttributes([.modificationDate: Date(timeIntervalSince1970: 0)], ofItemAtPath: file)
                }
            case .copyOfALine:
                let line = try String(contentsOfFile: files[2], encoding: .utf8).split(separator: "\n")[1]
                let number = try #require(AuditLine.number(Array(line.utf8)[...]))
                try (line + "\n").write(
                    toFile: AuditFiles.setAside(path, endingAt: number), atomically: false, encoding: .utf8)
            case .copiesOfFiles:
                // The first lines over and over again, in files of their own.
                let lines = try files.map { try String(contentsOfFile: $0, encoding: .utf8) }.joined().split(
                    separator: "\n")
                for count in 1...lines.count
                where !manager.fileExists(atPath: AuditFiles.setAside(path, endingAt: count)) {
                    try (lines[..<count].joined(separator: "\n") + "\n").write(
                        toFile: AuditFiles.setAside(path, endingAt: count), atomically: false, encoding: .utf8)
                }
            case .changedLine:
                let text = try String(contentsOfFile: files[0], encoding: .utf8)
                try text.replacing("\"r2\"", with: "\"rX\"").write(toFile: files[0], atomically: false, encoding: .utf8)
            case .missingFile: unlink(files[2])
            case .bytes: truncate(files[3], 1 << 40)
            case .anotherNumber: rename(files[0], AuditFiles.setAside(path, endingAt: 9_999))
            case .lowerNumber: rename(files[0], AuditFiles.setAside(path, endingAt: 1))
            }
        }
    }

    /// What was moved elsewhere by hand is not said to be removed by the log.
    @Test func whatWasMissingStaysMissing() async throws {
        let audit = try await log()
        let files = AuditFiles.setAside(audit.path)
        let last = try files.map { try #require(AuditFiles.lastSequence(ofSetAside: $0)) }
        unlink(files[0])
        #expect(try await audit.log.drop(at: audit.path, keeping: .size(6_000), now: 0) != nil)
        await audit.log.close()
        let verified = try AuditVerification(path: audit.path, key: TestAudit.key)
        #expect(verified.findings.count == 1)
        #expect(verified.findings[0].contains("lines 1 to \(last[0]) are missing, which audit.keep has not removed"))
        #expect(verified.notes.count == 1 && verified.notes[0].hasPrefix("lines \(last[0] + 1) to "))
        #expect(try AuditVerification(path: audit.path, key: TestAudit.key, first: last[0] + 1).findings == [])
    }

    @Test func aFileThatIsGoneIsFound() async throws {
        let audit = try await log()
        unlink(AuditFiles.setAside(audit.path)[0])
        await audit.log.close()
        #expect(try audit.findings.count == 1)
    }
}
