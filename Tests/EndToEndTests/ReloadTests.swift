import Foundation
import JSON
import ProcessTesting
import Synchronization
import Testing

/// Taking the configuration again (docs/reference/access.md section 6).
@Suite(.waits) struct ReloadTests {
    private static let audited = Setting.base + "audit: {file: log/audit.log}\n"

    private func reload(_ workspace: Workspace) throws -> Command {
        try Command.cloakroom(["reload", "--config", workspace.path(of: "cloakroom.yaml")], in: workspace)
    }

    @Test func theThreeOutcomes() throws {
        let workspace = try Setting.workspace(Self.audited, forms: ["memo": Setting.memo])
        let gateway = try GatewayProcess(in: workspace)
        func ready() throws -> String { try gateway.admin("GET", "/health/ready").bodyText }
        func metrics() throws -> String { try gateway.admin("GET", "/metrics").bodyText }
        #expect(try !ready().contains("reload"))
        #expect(try reload(workspace).output == "nothing has changed\n")

        // Credentials, routes and forms at once.
        let more = Self.audited.replacing(
            "credentials:\n",
            with: "credentials:\n  - {name: new, username: new, secret: new-secret, scopes: [\"aliases:create\"]}\n")
        try workspace.write(more, to: "cloakroom.yaml")
        try workspace.write(Setting.nowhere, to: "forms/nowhere.yaml")
        let body = #"{"data":[{"value":"1","format":"UUID"}]}"#
        func create() throws -> Int {
            try gateway.request(
                "POST", "/aliases", ["Authorization": "Bearer new-secret", "Content-Type": "application/json"],
                body: body
            ).status
        }
        #expect(try create() == 401)
        let taken = try reload(workspace)
        #expect(taken.end == .exit(0), "\(taken.errors)")
        #expect(taken.lines == ["taken: credentials", "taken: forms"])
        #expect(try create() == 201)
        #expect(try gateway.request("GET", "/v1/forms/nowhere").status == 200)
        #expect(try ready().contains(#""reload":{"outcome":"taken","taken":["credentials","forms"]"#))

        try workspace.write(more.replacing("workers: 2", with: "workers: 1, rateLimit: 1000"), to: "cloakroom.yaml")
        let partly = try reload(workspace)
        #expect(partly.end == .exit(0))
        #expect(partly.lines == ["taken: server.rateLimit", "needs a restart: server.workers"])
        #expect(try ready().contains(#""needsRestart":["server.workers"]"#))
        #expect(try metrics().contains("cloakroom_keys_that_need_restart 1\n"))

        try workspace.write(
            Self.audited.replacing("workers: 2", with: "workers: many"), to: "cloakroom.yaml")
        let refused = try reload(workspace)
        #expect(refused.end == .exit(1))
        #expect(refused.errors.contains("server.workers"))
        #expect(try ready().contains(#""outcome":"refused""#))
        #expect(try ready().contains(#""needsRestart":["server.workers"]"#))
        #expect(try metrics().contains("cloakroom_reloads_total{outcome=\"refused\"} 1\n"))
        #expect(try metrics().contains("cloakroom_reload_successful 0\n"))
        // All of the old one is in use.
        #expect(try create() == 201)
        #expect(try gateway.stop() == .exit(0))
        let audit = workspace.read("log/audit.log")
        let person = #""credential":"operator "#
        let events = audit.split(separator: "\n").filter { $0.contains(#""event":"reload""#) }
        #expect(events.allSatisfy { $0.contains(person) })
        #expect(
            events.contains { $0.contains(#""outcome":"done""#) && $0.contains(#""keys":["credentials","forms"]"#) })
        #expect(events.contains { $0.contains(#""outcome":"failed""#) })
        #expect(!audit.contains("new-secret"))
    }

    /// What is known of an upstream goes on where its route is as it was.
    @Test func circuitsOfOtherRoutesStayOpen() throws {
        func text(_ header: String, failures: Int = 2) -> String {
            Setting.base + """
                routes:
                  - {name: a, kind: upstream, url: "http://127.0.0.1:1", allowPlaintext: true, breaker: {failures: \(failures), rest: 1h}}
                  - {name: b, kind: upstream, url: "http://127.0.0.1:1", allowPlaintext: true, headers: {X: "\(header)"}}

                """
        }
        let form = "form: memo\nroute: a\naccess: {send: public}\nfields: [{name: n}]\n"
        let workspace = try Setting.workspace(text("1"), forms: ["memo": form])
        let gateway = try GatewayProcess(in: workspace)
        func send() throws -> (Int, Bool) {
            let response = try gateway.post("/v1/forms/memo/send/x", #"{"fields":{"n":"1"}}"#)
            return (response.status, response.bodyText.contains("circuit"))
        }
        for _ in 0..<2 { #expect(try send().0 == 502) }
        let open = try send()
        #expect(open.0 == 503)
        try workspace.write(text("2"), to: "cloakroom.yaml")
        #expect(try reload(workspace).lines == ["taken: routes"])
        #expect(try send() == open)
        #expect(
            try gateway.admin("GET", "/metrics").bodyText.contains("cloakroom_upstream_rests_total{route=\"a\"} 1\n"))
        try workspace.write(text("2", failures: 3), to: "cloakroom.yaml")
        #expect(try reload(workspace).lines == ["taken: routes"])
        #expect(try send().0 == 502)
        #expect(try gateway.stop() == .exit(0))
    }

    /// Limits on guessing are taken, for what was counted before, too.
    @Test func limitsOnGuessing() throws {
        func text(_ limit: Int) -> String {
            Setting.base.replacing("vault: {", with: "vault: {guessing: {limit: \(limit)}, ")
        }
        let workspace = try Setting.workspace(text(3))
        let gateway = try GatewayProcess(in: workspace)
        func statuses(_ numbers: ClosedRange<Int>) throws -> [Int] {
            try numbers.map { number in
                try gateway.request(
                    "POST", "/aliases",
                    ["Authorization": User.dev.authorization, "Content-Type": "application/json"],
                    body: #"{"data":[{"value":"45396000000\#(number)4134","format":"FPE_SIX_T_FOUR"}]}"#
                ).status
            }
        }
        #expect(try statuses(1...4) == [201, 201, 201, 429])
        try workspace.write(text(5), to: "cloakroom.yaml")
        #expect(try reload(workspace).lines == ["taken: vault.guessing"])
        #expect(try statuses(4...6) == [201, 201, 429])
        try workspace.write(text(2), to: "cloakroom.yaml")
        #expect(try reload(workspace).lines == ["taken: vault.guessing"])
        #expect(try statuses(1...1) == [201])
        #expect(try statuses(7...7) == [429])
        #expect(try gateway.stop() == .exit(0))
    }

    /// What cannot be read leads to no process: the command says that the gateway knows nothing of it, and tells it where systemd says
    /// which process that is.
    @Test(arguments: ["server: [", "vault: {sqlite: {path: other/vault.db}}\n"])
    func aFileThatDoesNotLeadToTheGateway(text: String) throws {
        let workspace = try Setting.workspace(Self.audited)
        let gateway = try GatewayProcess(in: workspace)
        try workspace.write(text, to: "cloakroom.yaml")
        let unasked = try reload(workspace)
        #expect(unasked.end == .exit(1) && unasked.errors.contains("was not asked"), "\(unasked.errors)")
        #expect(try !gateway.admin("GET", "/health/ready").bodyText.contains("reload"))
        let asked = try Command(
            Place.binary, ["reload", "--config", workspace.path(of: "cloakroom.yaml")], in: workspace,
            environment: ["MAINPID": "\(gateway.process.pid)"])
        #expect(asked.end == .exit(1) && asked.errors.contains("by SIGHUP"), "\(asked.errors)")
        try gateway.waitForLog("configuration read again")
        #expect(try gateway.admin("GET", "/health/ready").bodyText.contains("reload"))
        #expect(try gateway.stop() == .exit(0))
    }

    @Test func theLogLevelChangesWhileItRuns() throws {
        let workspace = try Setting.workspace(Setting.base + "log: {level: error}\n", forms: ["memo": Setting.memo])
        let gateway = try GatewayProcess(in: workspace)
        #expect(try gateway.request("GET", "/v1/forms").status == 200)
        #expect(!gateway.log.contains("/v1/forms"))
        try workspace.write(Setting.base + "log: {level: info}\n", to: "cloakroom.yaml")
        #expect(try reload(workspace).lines == ["taken: log.level"])
        #expect(try gateway.request("GET", "/v1/forms").status == 200)
        try gateway.waitForLog("/v1/forms")
    }

    @Test func nobodyServes() throws {
        let workspace = try Setting.workspace()
        #expect(try reload(workspace).end == .exit(1))
        let gateway = try GatewayProcess(in: workspace)
        #expect(try gateway.admin("POST", "/reload").status == 403)
        #expect(try gateway.admin("GET", "/reload").status == 405)
    }

    /// Mistakes of each kind, and good configurations between them, while requests run: none of them fails.
    @Test func underLoad() throws {
        let workspace = try Setting.workspace(Self.audited, forms: ["memo": Setting.memo])
        let gateway = try GatewayProcess(in: workspace)
        let statuses = Mutex<[Int: Int]>([:])
        let isOver = Atomic(false)
        let group = DispatchGroup()
        for _ in 0..<3 {
            DispatchQueue.global().async(group: group) {
                while !isOver.load(ordering: .relaxed) {
                    let status = try? gateway.post("/v1/forms/memo/send/x", #"{"fields":{"note":"x","secret":"y"}}"#)
                        .status
                    statuses.withLock { $0[status ?? 0, default: 0] += 1 }
                }
            }
        }
        // The senders' threads may begin late on a machine that does much else.
        for _ in 0..<6_000 where statuses.withLock({ $0.isEmpty }) { usleep(10_000) }
        let mistakes: [(file: String, text: String)] = [
            ("cloakroom.yaml", "server: ["), ("cloakroom.yaml", Setting.base + "routes: [{name: r, kind: upstream}]\n"),
            ("cloakroom.yaml", Setting.base.replacing("secret: dev-secret", with: "secret: {file: none}")),
            ("cloakroom.yaml", Setting.base.replacing("workers: 2", with: "tls: {certificate: none, key: none}")),
            ("cloakroom.yaml", Setting.base + "unknown: 1\n"),
            ("forms/memo.yaml", "form: memo\nfields: [{name: a, type: b}]"),
            ("forms/memo.yaml", "\u{0}"), ("forms/other.yaml", "form: memo\nfields: [{name: a}]"),
        ]
        var reloads = 0
        for mistake in mistakes {
            let before = workspace.read(mistake.file)
            for text in [mistake.text, before] {
                try workspace.write(text.isEmpty ? "form: other\nfields: [{name: a}]" : text, to: mistake.file)
                gateway.process.signal(SIGHUP)
                try gateway.waitForLog("configuration read again", moreThan: reloads)
                reloads += 1
            }
        }
        isOver.store(true, ordering: .relaxed)
        group.wait()
        #expect(statuses.withLock { Array($0.keys) } == [200])
        #expect(gateway.log.ranges(of: "configuration read again and refused").count == mistakes.count)
        #expect(try gateway.stop() == .exit(0))
        #expect(workspace.read("log/audit.log").ranges(of: #""credential":"SIGHUP""#).count == 2 * mistakes.count)
    }

    /// Another master key under the name of the one that is in use: the next start could not open the vault.
    @Test func anotherMasterKeyUnderItsNameNeedsARestart() throws {
        let workspace = try Setting.workspace()
        let gateway = try GatewayProcess(in: workspace)
        let own = workspace.read("data/master.key")
        let other = String(repeating: "0123456789abcdef", count: 4)
        for (reload, (key, waiting)) in [(own, 0), (other, 1), (other, 1), (own, 0)].enumerated() {
            try workspace.write(key, to: "data/master.key")
            chmod(workspace.path(of: "data/master.key"), 0o600)
            gateway.process.signal(SIGHUP)
            try gateway.waitForLog("configuration read again", moreThan: reload)
            #expect(
                try gateway.admin("GET", "/metrics").bodyText.contains("cloakroom_keys_that_need_restart \(waiting)\n"))
            let named = try gateway.admin("GET", "/health/ready").bodyText.contains(
                #""needsRestart":["vault.masterKey"]"#)
            #expect(named == (waiting > 0))
        }
        #expect(!gateway.log.contains(other) && !gateway.log.contains(own.filter { !$0.isWhitespace }))
        #expect(try gateway.stop() == .exit(0))
    }
}
