import Foundation
import JSON
import ProcessTesting
import Testing

/// What is done with keys and files is in the audit log when it is done, with who did it.
@Suite struct MaintenanceRecordTests {
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
        let commands: [(arguments: [String], event: String?, outcome: String)] = [
            (["keys", "status"], nil, ""), (["keys", "rotate"], "keys.rotate", "done"),
            (["keys", "rotate", "--fingerprints"], "keys.rotate", "done"), (["keys", "rewrap"], "keys.rewrap", "done"),
            (["compact"], "compact", "done"), (["backup", workspace.path(of: "copy.db")], "backup", "done"),
            (["backup", workspace.path(of: "no/copy.db")], "backup", "failed"),
            (["keys", "master", "--new-file", open], nil, "refused"),
            (["keys", "master", "--new-file", next], "keys.master", "done"),
        ]
        var expected: [[String]] = []
        for command in commands {
            let run = try Command.cloakroom(
                command.arguments + ["--config", workspace.path(of: "cloakroom.yaml")], in: workspace)
            let isFine = command.outcome == "done" || command.outcome.isEmpty
            #expect(run.end == .exit(isFine ? 0 : 1), "\(command.arguments): \(run.errors)")
            if let event = command.event { expected.append([event, command.outcome, "operator \(user)"]) }
            #expect(try records(workspace) == expected, "\(command.arguments)")
        }
        if isServed { #expect(try gateway.stop() == .exit(0)) }
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
