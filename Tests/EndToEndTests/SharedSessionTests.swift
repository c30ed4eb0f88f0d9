import Foundation
import JSON
import PostgresTesting
import ProcessTesting
import Testing

/// Sessions of gateways that share a vault (docs/reference/access.md section 2).
@Suite(.waits) struct SharedSessionTests {
    private static let form = """
        form: memo
        route: echo
        access: {validate: session, aliases: session, tokens: session, send: session}
        fields: [{name: note}]
        """
    private static let submission = #"{"fields":{"note":"x"}}"#

    private func workspace(_ url: String) throws -> Workspace {
        let base = Setting.base.replacing(
            "vault: {sqlite: {path: data/vault.db}, masterKey: {file: data/master.key, generate: true}}",
            with:
                "vault: {store: postgres, postgres: {url: \"\(url)\", pool: 4}, masterKey: {file: master.key}}\naudit: {file: data/audit.log}"
        ).replacing("\"routes:send\"]", with: "\"routes:send\", \"sessions:create\"]")
        let workspace = try Setting.workspace(base, forms: ["memo": Self.form])
        try workspace.write(String(repeating: "0123456789abcdef", count: 4), to: "master.key")
        chmod(workspace.path(of: "master.key"), 0o600)
        return workspace
    }

    private func session(_ gateway: GatewayProcess, _ body: String) throws -> [String: String] {
        let made = try gateway.post("/v1/sessions", body, as: .dev)
        #expect(made.status == 201, "\(made.bodyText)")
        return [
            "Authorization": "Bearer \(try #require(try made.json().string("session")))",
            "Content-Type": "application/json",
        ]
    }

    @Test func countsAndEndsHoldForAll() throws {
        let url = try PostgresServer.shared().database()
        let gateways = [try GatewayProcess(in: workspace(url)), try GatewayProcess(in: workspace(url))]
        func use(_ session: [String: String], _ gateway: GatewayProcess) throws -> (Int, Bool) {
            let response = try gateway.request("POST", "/v1/forms/memo/validate", session, body: Self.submission)
            return (response.status, response.bodyText.contains("usedUp"))
        }
        // Five uses, whoever gets them.
        let counted = try session(gateways[0], #"{"form":"memo","maxRequests":5}"#)
        var allowed = 0
        for number in 0..<8 { if try use(counted, gateways[number % 2]).0 == 200 { allowed += 1 } }
        #expect(allowed == 5)
        #expect(try use(counted, gateways[1]) == (401, true))

        let ended = try session(gateways[0], #"{"form":"memo"}"#)
        for gateway in gateways { #expect(try use(ended, gateway).0 == 200) }
        #expect(try gateways[0].request("DELETE", "/v1/sessions/current", ended).status == 204)
        #expect(try use(ended, gateways[0]).0 == 401)
        // Half a second between two readings; a loaded machine is given some more here.
        try eventually("the other process knows of the end") { try use(ended, gateways[1]).0 == 401 }

        // A new process knows both at once.
        let third = try GatewayProcess(in: workspace(url))
        #expect(try use(ended, third).0 == 401)
        #expect(try use(counted, third) == (401, true))
        for gateway in gateways + [third] { #expect(try gateway.stop() == .exit(0)) }
    }

    /// A gateway whose clock is a day ahead sweeps away nothing that others go by, and tells of its clock.
    @Test func aClockThatIsADayAhead() throws {
        let url = try PostgresServer.shared().database()
        let first = try GatewayProcess(in: workspace(url))
        let counted = try session(first, #"{"form":"memo","maxRequests":1}"#)
        let ended = try session(first, #"{"form":"memo"}"#)
        func status(_ session: [String: String], _ gateway: GatewayProcess) throws -> Int {
            try gateway.request("POST", "/v1/forms/memo/validate", session, body: Self.submission).status
        }
        #expect(try status(counted, first) == 200)
        #expect(try first.request("DELETE", "/v1/sessions/current", ended).status == 204)
        let other = try workspace(url)
        let clock = try ShiftedClock(in: other)
        try clock.set(seconds: 26 * 3_600)
        let ahead = try GatewayProcess(in: other, environment: clock.environment)
        // Told with the first sweep, and so after it was begun.
        try eventually("it tells of its clock") {
            try ahead.admin("GET", "/metrics").bodyText.contains("cloakroom_clock_difference_seconds 936")
        }
        try eventually("it sweeps") {
            ahead.log.contains("the clock of this process differs from the database server's")
        }
        #expect(try ahead.stop() == .exit(0))
        let third = try GatewayProcess(in: workspace(url))
        for gateway in [first, third] {
            #expect(try status(counted, gateway) == 401)
            #expect(try status(ended, gateway) == 401)
            #expect(try gateway.stop() == .exit(0))
        }
    }

    /// `cloakroom session`, while the vault is served.
    @Test func madeByTheCommand() throws {
        let base = Setting.base.replacing("\"routes:send\"]", with: "\"routes:send\", \"sessions:create\"]")
        let workspace = try Setting.workspace(base, forms: ["memo": Self.form])
        let gateway = try GatewayProcess(in: workspace)
        func session(_ arguments: String...) throws -> Command {
            try Command.cloakroom(
                ["session", "--config", workspace.path(of: "cloakroom.yaml")] + arguments, in: workspace)
        }
        let made = try session("--form", "memo", "--ttl", "15m", "--max-requests", "1")
        #expect(made.end == .exit(0) && made.lines.count == 1, "\(made.errors)")
        let headers = ["Authorization": "Bearer \(made.lines.first ?? "")", "Content-Type": "application/json"]
        for status in [200, 401] {
            let response = try gateway.request("POST", "/v1/forms/memo/send/x", headers, body: Self.submission)
            #expect(response.status == status)
        }
        #expect(try session("--form", "none").end == .exit(1))
        #expect(try session("--form", "memo", "--ttl", "25h").end == .exit(1))
        #expect(try session("--form", "memo", "--credential", "writer").end == .exit(1))
    }

    /// With a vault of its own a process keeps them over a restart.
    @Test func overARestart() throws {
        let base = Setting.base.replacing("\"routes:send\"]", with: "\"routes:send\", \"sessions:create\"]")
        let workspace = try Setting.workspace(base, forms: ["memo": Self.form])
        let first = try GatewayProcess(in: workspace)
        let counted = try session(first, #"{"form":"memo","maxRequests":1}"#)
        let ended = try session(first, #"{"form":"memo"}"#)
        func status(_ session: [String: String], _ gateway: GatewayProcess) throws -> Int {
            try gateway.request("POST", "/v1/forms/memo/validate", session, body: Self.submission).status
        }
        #expect(try status(counted, first) == 200)
        #expect(try first.request("DELETE", "/v1/sessions/current", ended).status == 204)
        first.process.signal(SIGKILL)
        _ = try first.process.wait()
        let second = try GatewayProcess(in: workspace)
        #expect(try status(counted, second) == 401)
        #expect(try status(ended, second) == 401)
        #expect(try second.stop() == .exit(0))

        // An end that somebody has changed in the file is an end.
        try Setting.changeVault(in: workspace, "UPDATE access SET content = x'00' WHERE kind = 2")
        let third = try GatewayProcess(in: workspace)
        #expect(try status(ended, third) == 401)
        try eventually("the log tells of it") { third.log.contains("rows about ended sessions are damaged") }
        #expect(try third.stop() == .exit(0))
    }
}
