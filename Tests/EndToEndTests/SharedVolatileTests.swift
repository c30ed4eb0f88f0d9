import Foundation
import JSON
import PostgresTesting
import ProcessTesting
import RedisTesting
import Testing

/// Gateways that share a vault in a PostgreSQL database and its volatile values in a Redis server, as on several machines.
@Suite("Shared volatile values", .waits) struct SharedVolatileTests {
    private static let form =
        #"{"fields":{"card_number":"4111111111111111","card_holder":"Joe","exp_date":"12/39","cvc":"739"}}"#

    private func workspace(_ database: String, redis: String) throws -> Workspace {
        let base = Setting.base.replacing(
            "vault: {sqlite: {path: data/vault.db}, masterKey: {file: data/master.key, generate: true}}",
            with: """
                vault:
                  store: postgres
                  postgres: {url: "\(database)"}
                  masterKey: {file: master.key}
                  volatile: {redis: \(redis)}
                audit: {file: data/audit.log}
                """)
        let workspace = try Setting.workspace(base, forms: Setting.deliveredForms())
        try workspace.write(String(repeating: "0123456789abcdef", count: 4), to: "master.key")
        chmod(workspace.path(of: "master.key"), 0o600)
        return workspace
    }

    private func gateways(_ count: Int, _ redis: RedisServer) throws -> [GatewayProcess] {
        let url = try PostgresServer.shared().database()
        return try (0..<count).map { _ in
            try GatewayProcess(in: workspace(url, redis: "{url: \"\(redis.url)\"}"))
        }
    }

    private func value(of alias: String, _ gateway: GatewayProcess) throws -> String? {
        try gateway.vault("GET", "/aliases/\(alias)").json()["data"]?.array?.first?.string("value")
    }

    private func cvc(_ gateway: GatewayProcess) throws -> String {
        var tokens = try gateway.post("/v1/forms/checkout/tokens", Self.form)
        // On a loaded machine Redis may be late.
        try eventually("there is room") {
            if tokens.status == 503 { tokens = try gateway.post("/v1/forms/checkout/tokens", Self.form) }
            return tokens.status != 503
        }
        #expect(tokens.status == 201)
        return try #require(tokens.json()["data"]?.string("cvc"))
    }

    @Test func whatOneTakesAnyReveals() throws {
        let redis = try RedisServer()
        defer { redis.remove() }
        let gateways = try gateways(3, redis)
        for (number, gateway) in gateways.enumerated() {
            let alias = try cvc(gateway)
            for other in gateways { #expect(try value(of: alias, other) == "739") }
            let (next, last) = (gateways[(number + 1) % 3], gateways[(number + 2) % 3])
            let both =
                #"{"data":[{"alias":"\#(alias)","format":"RAW_UUID"},{"value":"planted-62951","format":"UUID","storage":"VOLATILE"}]}"#
            let added = try next.vault("POST", "/aliases", both).json()["data"]?.array
            #expect(added?.first?["aliases"]?.array?.count == 2)
            #expect(
                try last.vault("PUT", "/aliases/\(alias)", #"{"data":{"classifiers":["c"]}}"#).status == 204)
            #expect(
                try gateway.vault("GET", "/aliases/\(alias)").json()["data"]?.array?.first?["classifiers"]?.array?.count
                    == 1)
            #expect(try last.vault("DELETE", "/aliases/\(alias)").status == 204)
            for other in gateways { #expect(try other.vault("GET", "/aliases/\(alias)").status == 404) }
        }
        // Narrow formats have no room for all processes.
        let narrow = #"{"data":[{"value":"739","format":"NUM_LENGTH_PRESERVING","storage":"VOLATILE"}]}"#
        #expect(try gateways[0].vault("POST", "/aliases", narrow).status == 400)
        try redis.run("BGSAVE")
        try eventually("a dump, which the gateway cannot prevent") {
            FileManager.default.fileExists(atPath: redis.folder + "/dump.rdb")
        }
        for text in ["planted-62951", "tok_sandbox_", "739\""] { #expect(!redis.filesHold(text), "\(text)") }
        for gateway in gateways {
            #expect(try gateway.admin("GET", "/health/ready").status == 200)
            let metrics = try gateway.admin("GET", "/metrics").bodyText
            #expect(metrics.contains("\ncloakroom_volatile_available 1\n"))
            #expect(try gateway.stop() == .exit(0))
        }
    }

    /// Without Redis cards are stored and revealed, CVCs are refused, and it recovers by itself.
    @Test func aServerThatIsGonePausedOrFull() throws {
        let redis = try RedisServer()
        defer { redis.remove() }
        let gateway = try gateways(1, redis)[0]
        let card = #"{"data":[{"value":"4111111111111111","format":"FPE_SIX_T_FOUR"}]}"#
        let alias = try #require(
            gateway.vault("POST", "/aliases", card).json()["data"]?.array?.first?["aliases"]?.array?.first?
                .string("alias"))
        for (fault, reason, break_, mend) in [
            ("killed", "connection", { redis.kill() }, { try redis.start() }),
            ("paused", "too long", { redis.pause(true) }, { redis.pause(false) }),
            (
                "filled", "no memory", { try redis.run("CONFIG", "SET", "maxmemory", "1mb") },
                { try redis.run("CONFIG", "SET", "maxmemory", "0") }
            ),
            (
                "made to write", "appendonly", { try redis.run("CONFIG", "SET", "appendonly", "yes") },
                { try redis.run("CONFIG", "SET", "appendonly", "no") }
            ),
        ] as [(String, String, () throws -> Void, () throws -> Void)] {
            let earlier = try cvc(gateway)
            try break_()
            try eventually("refused while it is \(fault)") {
                let refused = try gateway.post("/v1/forms/checkout/tokens", Self.form)
                return refused.status == 503 && refused["Retry-After"] != nil
                    && refused["Content-Type"] == "application/problem+json"
            }
            if fault != "filled" { #expect(try gateway.vault("GET", "/aliases/\(earlier)").status == 503, "\(fault)") }
            #expect(try value(of: alias, gateway) == "4111111111111111", "\(fault)")
            #expect(try gateway.vault("POST", "/aliases", card).status == 201, "\(fault)")
            let ready = try gateway.admin("GET", "/health/ready")
            #expect(ready.status == 503 && ready.bodyText.contains("VOLATILE"), "\(fault): \(ready.bodyText)")
            #expect(
                ready.bodyText.contains(reason) || ready.bodyText.contains("reached"), "\(fault): \(ready.bodyText)")
            try mend()
            try eventually("well again after it was \(fault)") {
                try gateway.admin("GET", "/health/ready").status == 200
            }
            #expect(try value(of: cvc(gateway), gateway) == "739", "\(fault)")
            #expect(!redis.filesHold("739\""))
        }
        #expect(try gateway.stop() == .exit(0))
    }

    /// The server must be the one that the URL names; the password goes to no other.
    @Test func theServerIsVerified() throws {
        let place = try Workspace()
        let (own, foreign) = (try Certificates(in: place), try Certificates(in: Workspace()))
        try own.issue("redis", for: "DNS:localhost")
        let redis = try RedisServer(
            RedisServer.inMemory + ["--requirepass", "geheim"],
            certificate: (place.path(of: "redis.pem"), place.path(of: "redis.key")))
        defer { redis.remove() }
        let database = try PostgresServer.shared().database()
        func settings(_ host: String, _ authority: String, name: String? = nil) -> String {
            let name = name.map { ", serverName: \($0)" } ?? ""
            return
                "{url: \"rediss://\(host):\(redis.securePort)/1\", password: {file: redis.password}, tls: {ca: \"\(authority)\"\(name)}}"
        }
        func serve(_ settings: String) throws -> Workspace {
            let workspace = try workspace(database, redis: settings)
            try workspace.write("geheim\n", to: "redis.password")
            return workspace
        }
        for accepted in [
            settings("localhost", own.authority), settings("127.0.0.1", own.authority, name: "localhost"),
        ] {
            let gateway = try GatewayProcess(in: serve(accepted))
            #expect(try value(of: cvc(gateway), gateway) == "739")
            #expect(try gateway.stop() == .exit(0))
        }
        for refused in [
            settings("127.0.0.1", own.authority), settings("localhost", foreign.authority),
            settings("localhost", own.authority, name: "redis.example"),
        ] {
            let other = try serve(refused)
            let start = try Command.cloakroom(["serve", "--config", other.path(of: "cloakroom.yaml")], in: other)
            #expect(start.end == .exit(1) && start.errors.contains("vault.volatile.redis: Redis cannot be reached"))
        }
    }

    @Test func aServerThatWouldWriteIsRefused() throws {
        let redis = try RedisServer(["--save", "60 1", "--appendonly", "no"])
        defer { redis.remove() }
        let other = try workspace(PostgresServer.shared().database(), redis: "{url: \"\(redis.url)\"}")
        let start = try Command.cloakroom(["serve", "--config", other.path(of: "cloakroom.yaml")], in: other)
        #expect(start.end == .exit(1) && start.errors.contains("set save \"\""), "\(start.errors)")
    }

    @Test(arguments: [
        ("{}", "vault.volatile.redis.url"), ("{url: 'http://r'}", "vault.volatile.redis.url"),
        ("{url: 'redis://r:0'}", "vault.volatile.redis.url"), ("{url: 'redis://r/x'}", "vault.volatile.redis.url"),
        ("{url: 'redis://r', size: 1}", "vault.volatile.redis.size"),
        ("{url: 'redis://r', password: {env: NOT_THERE}}", "vault.volatile.redis.password"),
        ("{url: 'redis://r', username: u}", "vault.volatile.redis"),
        ("{url: {env: NOT_THERE}}", "vault.volatile.redis.url"),
        ("{url: 'redis://u:p@r', username: u}", "vault.volatile.redis.username"),
        ("{url: 'redis://127.0.0.1', tls: {minimumVersion: '1.3'}}", "vault.volatile.redis.tls"),
    ])
    func mistakesAreTold(settings: String, path: String) throws {
        let workspace = try workspace("postgresql://127.0.0.1/vault", redis: settings)
        let check = try Command.cloakroom(["check", "--config", workspace.path(of: "cloakroom.yaml")], in: workspace)
        let mistakes = check.lines.filter { $0.contains("cloakroom.yaml:") }
        #expect(mistakes.count == 1 && mistakes.first?.contains(path) == true, "\(settings): \(mistakes)")
    }
}
