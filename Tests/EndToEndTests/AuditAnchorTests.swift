import Foundation
import ProcessTesting
import Testing

/// The vault stores where its audit log stands: a log that was removed or rolled back together with its head is found (SECURITY.md).
@Suite(.waits) struct AuditAnchorTests {
    private static let body = #"{"data":[{"value":"a value","format":"UUID"}]}"#

    private func verify(_ workspace: Workspace) throws -> Command {
        try Command.cloakroom(["audit", "verify", "--config", workspace.path(of: "cloakroom.yaml")], in: workspace)
    }

    @Test(arguments: [true, false])
    func aLogThatIsRemovedOrRolledBackIsFound(isRolledBack: Bool) throws {
        let workspace = try Setting.workspace(Setting.base + "audit: {file: log/audit.log}\n")
        var gateway = try GatewayProcess(in: workspace)
        #expect(try gateway.stop() == .exit(0))
        #expect(try verify(workspace).end == .exit(0))
        let (older, away) = (workspace.path(of: "older"), workspace.path(of: "away"))
        try FileManager.default.copyItem(atPath: workspace.path(of: "log"), toPath: older)

        gateway = try GatewayProcess(in: workspace)
        for _ in 0..<5 { #expect(try gateway.vault("POST", "/aliases", Self.body).status == 201) }
        #expect(try gateway.stop() == .exit(0))
        #expect(try verify(workspace).end == .exit(0))
        try FileManager.default.moveItem(atPath: workspace.path(of: "log"), toPath: away)
        if isRolledBack {
            try FileManager.default.moveItem(atPath: older, toPath: workspace.path(of: "log"))
        } else {
            try FileManager.default.createDirectory(
                atPath: workspace.path(of: "log"), withIntermediateDirectories: true)
        }
        let found = try verify(workspace)
        #expect(found.end == .exit(1) && found.output.contains("missing at the end"), "\(found.output)")

        gateway = try GatewayProcess(in: workspace)
        try gateway.waitForLog("lines are missing at the end of the audit log")
        #expect(try gateway.stop() == .exit(0))
        #expect(try verify(workspace).end == .exit(1))
        #expect(workspace.read("log/audit.log").contains(#""event":"start","outcome":"cut""#))
    }

    /// The vault is behind the log by a second at most, also when the process is killed.
    @Test func aKilledProcessHasLeftAnAnchor() throws {
        let workspace = try Setting.workspace(Setting.base + "audit: {file: log/audit.log}\n")
        let gateway = try GatewayProcess(in: workspace)
        #expect(try gateway.vault("POST", "/aliases", Self.body).status == 201)
        let lines = workspace.read("log/audit.log").split(separator: "\n").count
        Thread.sleep(forTimeInterval: 2.5)
        gateway.process.signal(SIGKILL)
        #expect(try gateway.process.wait() == .signal(SIGKILL))
        for name in ["audit.log", "audit.log.head"] { unlink(workspace.path(of: "log/\(name)")) }
        let found = try verify(workspace)
        #expect(found.output.contains("lines 1 to \(max(lines, 2)) are missing"), "\(found.output)")
    }
}
