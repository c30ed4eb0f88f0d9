import Foundation
import JSON
import ProcessTesting
import Testing

/// A disk that is full under the audit log, played by a limit on the size of files: what cannot be recorded is not revealed
/// (docs/architecture.md).
@Suite(.waits) struct FullDiskTests {
    @Test func nothingIsRevealedUntilTheLogHasRoomAgain() throws {
        let workspace = try Setting.workspace(Setting.base + "audit: {file: data/audit.log}\n")
        let gateway = try GatewayProcess(in: workspace)
        let items = (0..<20).map { #"{"value":"planted-\#($0)","format":"UUID"}"# }.joined(separator: ",")
        let made = try gateway.vault("POST", "/aliases", #"{"data":[\#(items)]}"#).json()["data"]?.array ?? []
        let aliases = made.compactMap { $0["aliases"]?.array?.first?.string("alias") }
        #expect(aliases.count == 20)
        let target = "/aliases?q=\(aliases.joined(separator: ","))"
        #expect(try gateway.vault("GET", target).status == 200)

        // Above every file that is there, so that the log alone outgrows it.
        try limitFiles(of: gateway, to: "\(try largestFile(in: workspace) + 16_384):", in: workspace)
        var refusal: Message?
        for _ in 0..<5_000 where refusal == nil {
            let answer = try gateway.vault("GET", target)
            if answer.status != 200 { refusal = answer }
        }
        #expect(refusal?.status == 503 && refusal?.bodyText.contains("planted") == false)
        for _ in 0..<20 {
            let answer = try gateway.vault("GET", target)
            #expect(answer.status == 503 && !answer.bodyText.contains("planted"))
        }
        #expect(try gateway.admin("GET", "/health/live").status == 200)
        #expect(gateway.log.contains("the audit log cannot be written"))

        try limitFiles(of: gateway, to: "unlimited:", in: workspace)
        try eventually("aliases are revealed again") { try gateway.vault("GET", target).status == 200 }
        #expect(try gateway.stop() == .exit(0))
        let verified = try Command.cloakroom(
            ["audit", "verify", "--config", workspace.path(of: "cloakroom.yaml")], in: workspace)
        #expect(verified.end == .exit(0), "\(verified.output) \(verified.errors)")
        let log = workspace.read("data/audit.log")
        #expect(log.contains(#""event":"reveal","outcome":"unrecorded""#) && log.contains(#""event":"resume""#))
    }

    /// While the log cannot be written a copy that is made is not kept, and calls are refused, which it counts.
    @Test func nothingIsDoneWithoutARecord() throws {
        let workspace = try Setting.workspace(Setting.base + "audit: {file: data/audit.log}\n")
        let gateway = try GatewayProcess(in: workspace)
        let made = try gateway.vault("POST", "/aliases", #"{"data":[{"value":"a","format":"UUID"}]}"#).json()
        let alias = try #require(made["data"]?.array?.first?["aliases"]?.array?.first?.string("alias"))
        // So that the log is the largest file, and the only one that cannot grow.
        let other = try largestFile(in: workspace)
        func size() -> Int { workspace.read("data/audit.log").utf8.count }
        while size() < 2 * other { #expect(try gateway.vault("GET", "/aliases/\(alias)").status == 200) }
        try limitFiles(of: gateway, to: "\(size() + 50):", in: workspace)
        let calls = [("GET", ""), ("PUT", #"{"data":{"classifiers":["c"]}}"#), ("DELETE", ""), ("GET", "")]
        for (method, body) in calls { #expect(try gateway.vault(method, "/aliases/\(alias)", body).status == 503) }
        func names() -> Set<String> { Set(workspace.files(in: ".").map(\.name).filter { !$0.hasPrefix("errors-") }) }
        let before = names()
        let backup = try Command.cloakroom(
            ["backup", workspace.path(of: "copy.db"), "--config", workspace.path(of: "cloakroom.yaml")], in: workspace)
        #expect(backup.end == .exit(1) && backup.errors.contains("cannot be recorded"), "\(backup.errors)")
        #expect(names() == before)
        try limitFiles(of: gateway, to: "unlimited:", in: workspace)
        try eventually("the log is written again") { workspace.read("data/audit.log").contains(#""event":"resume""#) }
        #expect(workspace.read("data/audit.log").contains(#""event":"resume","outcome":"done","count":4,"#))
        #expect(!workspace.read("data/audit.log").contains(#""event":"backup","outcome":"done""#))
        #expect(try gateway.stop() == .exit(0))
    }

    /// What has expired is unknown at once, and leaves the vault when its end can be recorded.
    @Test func nothingIsErasedUntilTheLogHasRoomAgain() throws {
        let workspace = try Setting.workspace(Setting.base + "audit: {file: data/audit.log}\n")
        let clock = try ShiftedClock(in: workspace)
        var gateway = try GatewayProcess(in: workspace, environment: clock.environment)
        let items = (0..<20).map { #"{"value":"\#($0)","format":"UUID","ttl":"1d"}"# }.joined(separator: ",")
        let made = try gateway.vault("POST", "/aliases", #"{"data":[\#(items)]}"#).json()["data"]?.array ?? []
        let aliases = made.compactMap { $0["aliases"]?.array?.first?.string("alias") }
        let target = "/aliases?q=\(aliases.joined(separator: ","))"
        func size() -> Int { workspace.read("data/audit.log").utf8.count }
        // So that the log is the largest file by far.
        let other = try largestFile(in: workspace)
        while size() < 2 * other { #expect(try gateway.vault("GET", target).status == 200) }
        // At a start the clock is believed.
        #expect(try gateway.stop() == .exit(0))
        try clock.set(seconds: 2 * 86_400)
        gateway = try GatewayProcess(in: workspace, environment: clock.environment)
        try limitFiles(of: gateway, to: "\(size() + 50):", in: workspace)
        for _ in 0..<20 { _ = try gateway.vault("GET", target) }
        try gateway.waitForLog("the audit log cannot be written")
        #expect(try gateway.vault("GET", "/aliases/\(aliases[0])").status != 200)
        // Longer than from one sweep to the next.
        usleep(16_500_000)
        #expect(try rows(workspace) == 20)
        try limitFiles(of: gateway, to: "unlimited:", in: workspace)
        try eventually("they are erased") {
            workspace.read("data/audit.log").contains(#""event":"expire","outcome":"done","count":20"#)
        }
        #expect(try rows(workspace) == 0)
        #expect(try gateway.stop() == .exit(0))
    }

    private func rows(_ workspace: Workspace) throws -> Int? {
        let count = """
            import sqlite3, sys
            print(*sqlite3.connect(sys.argv[1]).execute("SELECT count(*) FROM value").fetchone())
            """
        return try Command("/usr/bin/python3", ["-c", count, workspace.path(of: "data/vault.db")], in: workspace)
            .lines.first.flatMap { Int($0) }
    }

    /// What could not be recorded before the end is not passed over in silence.
    @Test func whatIsLostAtTheEndIsTold() throws {
        let workspace = try Setting.workspace(Setting.base + "audit: {file: data/audit.log}\n")
        // What the process says is in a file, too.
        let gateway = try GatewayProcess(in: workspace, ["--set", "log.level=warning"])
        let size = workspace.read("data/audit.log").utf8.count
        try limitFiles(of: gateway, to: "\(size + 2_000):", in: workspace)
        for _ in 0..<20 { #expect(try gateway.vault("POST", "/aliases", "{}", as: .reader).status == 403) }
        try gateway.waitForLog("the audit log cannot be written")
        #expect(try gateway.stop() == .exit(1))
        #expect(gateway.log.contains("events could not be written to the audit log, and are lost"))
    }

    private func limitFiles(of gateway: GatewayProcess, to limit: String, in workspace: Workspace) throws {
        let set = try Command(
            "/usr/bin/prlimit", ["--pid", "\(gateway.process.pid)", "--fsize=\(limit)"], in: workspace)
        #expect(set.end == .exit(0), "\(set.errors)")
    }

    private func largestFile(in workspace: Workspace) throws -> Int {
        let folder = workspace.path(of: "data")
        return try FileManager.default.contentsOfDirectory(atPath: folder).reduce(0) { largest, name in
            let attributes = try FileManager.default.attributesOfItem(atPath: "\(folder)/\(name)")
            return max(largest, (attributes[.size] as? Int) ?? 0)
        }
    }
}
