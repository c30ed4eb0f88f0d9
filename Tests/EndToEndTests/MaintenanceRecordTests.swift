import Foundation
import JSON
import ProcessTesting
import Testing

/// What is done with keys and files is in the audit log when it is done, with who did it.
@Suite(.waits) struct MaintenanceRecordTests {
    private static let setting = Setting.base + "audit: {file: data/audit.log}\n"

    /// Event, outcome and credential of each line that is no matter of the log itself or of requests.
    private func records(_ workspace: Workspace) throws -> [[String]] {
        try workspace.read("data/audit.log").split(separator: "\n").compactMap { line in
            let event = try JSONValue.parse(Array(line.utf8))
            let name = event.string("event") ?? ""
            guard name.hasPrefix("keys.") || ["backup", "compact", "expire"].contains(name) else { return nil }
            return [name, event.string("outcome") ?? "-", event.string("credential") ?? "-"]
        }
    }

    @Test(arguments: [true, false])
    func commandsAreRecordedBeforeTheyEnd(isServed: Bool) throws {
        let workspace = try Setting.workspace(Self.setting)
        let gateway = try GatewayProcess(in: workspace)
        let body = #"{"data":[{"value":"a","format":"UUID"}]}"#
        #expect(try gateway.vault("POST", "/aliases", body).status == 201)
        if !isServed { #expect(try gateway.stop() == .exit(0)) }
        let next = workspace.path(of: "next.key")
        try workspace.write(String(repeating: "0123456789abcdef", count: 4), to: "next.key")
        chmod(next, 0o600)
        // A key that others may read, and a file in a folder that does not exist.
        let open = workspace.path(of: "open.key")
        try workspace.write(String(repeating: "fedcba9876543210", count: 4), to: "open.key")
        chmod(open, 0o644)
        let user = try #require(getpwuid(getuid()).map { String(cString: $0.pointee.pw_name) })
        let commands: [(arguments: [String], event: String?, outcomes: [String])] = [
            (["keys", "status"], nil, []), (["keys", "rotate"], "keys.rotate", ["done"]),
            (["keys", "rotate", "--fingerprints"], "keys.rotate", ["done"]),
            (["keys", "rewrap"], "keys.rewrap", ["begun", "done"]), (["compact"], "compact", ["begun", "done"]),
            (["backup", workspace.path(of: "copy.db")], "backup", ["done"]),
            (["backup", workspace.path(of: "no/copy.db")], "backup", ["failed"]),
            (["keys", "master", "--new-file", open], nil, ["refused"]),
            (["keys", "master", "--new-file", next], "keys.master", ["begun"]),
        ]
        var expected: [[String]] = []
        for command in commands {
            let run = try Command.cloakroom(
                command.arguments + ["--config", workspace.path(of: "cloakroom.yaml")], in: workspace)
            let isFine = !["failed", "refused"].contains(command.outcomes.last)
            #expect(run.end == .exit(isFine ? 0 : 1), "\(command.arguments): \(run.errors)")
            if let event = command.event { expected += command.outcomes.map { [event, $0, "operator \(user)"] } }
            #expect(try records(workspace) == expected, "\(command.arguments)")
        }
        if isServed { #expect(try gateway.stop() == .exit(0)) }
        try theChangeIsCompletedByAStart(workspace, next, expected)
    }

    /// A command with the new key changes nothing: the old one still opens the vault until it is served with the new one.
    private func theChangeIsCompletedByAStart(_ workspace: Workspace, _ next: String, _ recorded: [[String]]) throws {
        let options = ["--config", workspace.path(of: "cloakroom.yaml")]
        let new = ["--set", "vault.masterKey.file=\(next)", "--set", "vault.masterKey.generate=false"]
        for arguments in [options + new, options] {
            let run = try Command.cloakroom(["keys", "status"] + arguments, in: workspace)
            #expect(run.end == .exit(0) && run.output.contains(" changing to "), "\(run.output)\(run.errors)")
        }
        #expect(try records(workspace) == recorded)
        let gateway = try GatewayProcess(in: workspace, new)
        #expect(try gateway.stop() == .exit(0))
        #expect(try records(workspace) == recorded + [["keys.master", "done", "automatic"]])
        #expect(try Command.cloakroom(["keys", "status"] + options, in: workspace).end == .exit(1))
        let done = try Command.cloakroom(["keys", "status"] + options + new, in: workspace)
        #expect(done.end == .exit(0) && !done.output.contains(" changing to "), "\(done.output)\(done.errors)")
    }

    /// A command that does not find the log begins no second one: the first would seem to be cut from then on.
    @Test func aCommandBeginsNoSecondLog() throws {
        let workspace = try Setting.workspace(Self.setting)
        let gateway = try GatewayProcess(in: workspace)
        #expect(try gateway.vault("POST", "/aliases", #"{"data":[{"value":"a","format":"UUID"}]}"#).status == 201)
        #expect(try gateway.stop() == .exit(0))
        let options = ["--config", workspace.path(of: "cloakroom.yaml")]
        let other = ["--set", "audit.file=\(workspace.path(of: "data/other.log"))"]
        for command in [["keys", "status"], ["keys", "rotate"], ["compact"]] {
            let run = try Command.cloakroom(command + options + other, in: workspace)
            #expect(run.end == .exit(1) && run.errors.contains("the log of this vault is not at"), "\(run.errors)")
        }
        #expect(!workspace.files(in: "data").contains { $0.name.hasPrefix("other.log") })
        #expect(try Command.cloakroom(["audit", "verify"] + options, in: workspace).end == .exit(0))
    }

    /// A process that is told to stop while it erases what has expired records what it has erased.
    @Test func aStopDuringASweepLeavesNothingUnrecorded() throws {
        let workspace = try Setting.workspace(Self.setting)
        let clock = try ShiftedClock(in: workspace)
        var gateway = try GatewayProcess(in: workspace, environment: clock.environment)
        let total = 2_400
        for first in stride(from: 0, to: total, by: 20) {
            let items = (first..<first + 20).map { #"{"value":"\#($0)","format":"UUID","ttl":"1d"}"# }
            let body = #"{"data":[\#(items.joined(separator: ","))]}"#
            #expect(try gateway.vault("POST", "/aliases", body).status == 201)
        }
        let deadline = ContinuousClock.now + .seconds(60)
        // Creations are written a little later than they are done.
        let isCreation = { (line: Substring) in line.contains(#""event":"create""#) }
        while workspace.read("data/audit.log").split(separator: "\n").count(where: isCreation) < total / 20,
            ContinuousClock.now < deadline
        { usleep(50_000) }
        // At a start the clock is believed.
        #expect(try gateway.stop() == .exit(0))
        try clock.set(seconds: 2 * 86_400)
        gateway = try GatewayProcess(in: workspace, environment: clock.environment)
        // Within a second, all is erased: so the stop must come soon after the first event.
        let (log, written) = (workspace.path(of: "data/audit.log"), workspace.read("data/audit.log").utf8.count)
        var status = stat()
        while stat(log, &status) == 0, status.st_size <= written, ContinuousClock.now < deadline { usleep(500) }
        #expect(try gateway.stop() == .exit(0))
        let count = """
            import sqlite3, sys
            print(*sqlite3.connect(sys.argv[1]).execute("SELECT count(*) FROM value").fetchone())
            """
        let left = try Command("/usr/bin/python3", ["-c", count, workspace.path(of: "data/vault.db")], in: workspace)
        let recorded = try workspace.read("data/audit.log").split(separator: "\n").reduce(0) { sum, line in
            let event = try JSONValue.parse(Array(line.utf8))
            guard event.string("event") == "expire", case .number(let count)? = event["count"] else { return sum }
            return sum + (count.int ?? 0)
        }
        #expect(left.lines == ["\(total - recorded)"] && recorded > 0)
    }

    /// Values that cannot be sealed again are left, and the record says so.
    @Test func rewrappingThatLeavesValuesIsRecordedAsSuch() throws {
        let workspace = try Setting.workspace(Self.setting)
        let gateway = try GatewayProcess(in: workspace)
        let body = #"{"data":[{"value":"a","format":"UUID"},{"value":"b","format":"UUID"}]}"#
        #expect(try gateway.vault("POST", "/aliases", body).status == 201)
        #expect(try gateway.stop() == .exit(0))
        try Setting.changeVault(in: workspace, "UPDATE value SET sealed = zeroblob(length(sealed)) WHERE id = 1")
        for (command, status) in [("rotate", Int32(0)), ("rewrap", 1)] {
            let run = try Command.cloakroom(
                ["keys", command, "--config", workspace.path(of: "cloakroom.yaml")], in: workspace)
            #expect(run.end == .exit(status), "\(run.errors)")
        }
        let recorded = try records(workspace).map { Array($0.prefix(2)) }
        #expect(recorded == [["keys.rotate", "done"], ["keys.rewrap", "begun"], ["keys.rewrap", "incomplete"]])
        // The gateway starts, tells who asks for it, and is ready for all else.
        let again = try GatewayProcess(in: workspace)
        let retry = try again.vault("POST", "/aliases", #"{"data":[{"value":"b","format":"UUID"}]}"#)
        #expect(retry.status == 201)
        let damaged = try again.vault("POST", "/aliases", #"{"data":[{"value":"a","format":"UUID"}]}"#)
        #expect(damaged.status == 503 && damaged.bodyText.contains("Damaged"))
        let ready = try again.admin("GET", "/health/ready")
        #expect(ready.status == 200 && ready.bodyText == #"{"status":"ready","damaged":1}"#)
        #expect(try again.admin("GET", "/metrics").bodyText.contains("\ncloakroom_damaged_reads_total 1\n"))
        #expect(try again.stop() == .exit(0))
    }

    /// Files of the log beyond what `audit.keep` allows go while the gateway runs, and the rest verifies.
    @Test func oldFilesOfTheLogAreRemoved() throws {
        let workspace = try Setting.workspace(
            Setting.base + "audit: {file: data/audit.log, maxBytes: 64KiB, keep: 128KiB}\n")
        func names() -> [String] {
            workspace.files(in: "data").map(\.name).filter { $0.hasPrefix("audit.log.0") }.sorted()
        }
        // Where this takes long, none is removed meanwhile.
        var gateway = try GatewayProcess(in: workspace, ["--set", "audit.keep=1TiB"])
        let made = try gateway.vault("POST", "/aliases", #"{"data":[{"value":"a","format":"UUID"}]}"#).json()
        let alias = try #require(made["data"]?.array?.first?["aliases"]?.array?.first?.string("alias"))
        for _ in 0..<1_500 { #expect(try gateway.vault("GET", "/aliases/\(alias)").status == 200) }
        #expect(try gateway.stop() == .exit(0))
        let before = names()
        #expect(before.count > 3, "\(before)")
        // At start, and every half a minute.
        gateway = try GatewayProcess(in: workspace)
        try eventually("the oldest are gone") { names().count < before.count }
        #expect(try gateway.stop() == .exit(0))
        let left = names()
        #expect(!left.contains(before[0]) && left.contains(before[before.count - 1]), "\(before), \(left)")
        #expect(workspace.read("data/audit.log").contains(#""event":"drop","outcome":"done""#))
        let verified = try Command.cloakroom(
            ["audit", "verify", "--config", workspace.path(of: "cloakroom.yaml")], in: workspace)
        #expect(verified.end == .exit(0) && verified.output.contains("as audit.keep says"), "\(verified.output)")
    }

    /// A key that the vault makes by itself is recorded too: soon, and before the process ends at the latest.
    @Test(arguments: [true, false])
    func automaticRotationsAreRecorded(isStoppedAtOnce: Bool) throws {
        let workspace = try Setting.workspace(Self.setting)
        let clock = try ShiftedClock(in: workspace)
        let gateway = try GatewayProcess(in: workspace, environment: clock.environment)
        #expect(try gateway.vault("POST", "/aliases", #"{"data":[{"value":"a","format":"UUID"}]}"#).status == 201)
        try clock.set(seconds: 10 * 366 * 86_400)
        #expect(try gateway.vault("POST", "/aliases", #"{"data":[{"value":"b","format":"UUID"}]}"#).status == 201)
        if isStoppedAtOnce {
            #expect(try gateway.stop() == .exit(0))
        } else {
            try eventually("the new key is recorded") { try !records(workspace).isEmpty }
        }
        #expect(try records(workspace) == [["keys.rotate", "done", "automatic"]])
    }
}
