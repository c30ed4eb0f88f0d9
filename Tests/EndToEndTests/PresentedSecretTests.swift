import Dispatch
import Foundation
import JSON
import ProcessTesting
import Synchronization
import Testing

/// Secrets where anyone may call, over a reload, and where they are checked for a while (docs/reference/access.md section 4).
@Suite(.waits) struct PresentedSecretTests {
    private static let secret = "a secret of the shop"
    /// Of this secret, with few rounds and with so many that a check takes some time.
    private static let quick =
        "pbkdf2-sha256$1000$000102030405060708090a0b0c0d0e0f$e550ca5a1eb8774b025fb872b2f9b5e5be263b1706cda90297540d73c0e20876"
    private static let slow =
        "pbkdf2-sha256$200000$000102030405060708090a0b0c0d0e0f$04424d192f176ed00df93532b4ac1150c0f953b0bd90c247aa5cbd1fb7cd82c2"
    private static let form = "form: f\nroute: r\naccess: {send: public, aliases: credential}\nfields: [{name: note}]"

    private static func basic(_ name: String, _ secret: String) -> String {
        "Basic " + Data("\(name):\(secret)".utf8).base64EncodedString()
    }

    private static func workspace(_ upstream: Upstream? = nil, hash: String = quick, more: String = "") throws
        -> Workspace
    {
        let route =
            upstream.map {
                "routes: [{name: r, kind: upstream, url: \"http://127.0.0.1:\($0.port)\", allowPlaintext: true}]\n"
            } ?? "routes: [{name: r, kind: echo}]\n"
        let shop =
            "  - {name: shop, secret: {hash: \"\(hash)\"}, scopes: [\"aliases:create\", \"forms:send\"]\(more)}\n"
        return try Setting.workspace(Setting.base + shop + route, forms: ["f": form])
    }

    private static func send(
        _ gateway: GatewayProcess, _ authorization: String, key: String? = nil, to path: String = "send/a",
        from address: String? = nil
    ) throws -> Message {
        var headers = ["Content-Type": "application/json", "Authorization": authorization]
        headers["Idempotency-Key"] = key
        headers["X-Forwarded-For"] = address
        return try gateway.request("POST", "/v1/forms/f/\(path)", headers, body: #"{"fields":{"note":"a"}}"#)
    }

    /// Who a key belongs to does not depend on what the process has seen before: neither on a restart, nor on a reload, nor on others.
    @Test(arguments: [basic("shop", secret), "Bearer \(secret)", basic("dev", "dev-secret"), "Bearer dev-secret"])
    func aKeyKeepsItsOwner(authorization: String) throws {
        let upstream = try Upstream { upstream, connection in
            _ = try upstream.receive(connection)
            try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}")
        }
        let workspace = try Self.workspace(upstream)
        let first = try GatewayProcess(in: workspace)
        #expect(try Self.send(first, authorization, key: "1").status == 200)
        #expect(try Self.send(first, authorization, to: "aliases").status < 300)
        func repeats(_ gateway: GatewayProcess) throws {
            let again = try Self.send(gateway, authorization, key: "1")
            #expect(again.status == 200 && again["Idempotency-Replayed"] == "true")
            #expect(upstream.requests.count == 1)
        }
        try repeats(first)
        _ = try Command.cloakroom(["reload", "--config", workspace.path(of: "cloakroom.yaml")], in: workspace)
        try repeats(first)
        #expect(try first.stop() == .exit(0))
        let second = try GatewayProcess(in: workspace)
        try repeats(second)
        for number in 0..<9 { _ = try Self.send(second, Self.basic("dev", "wrong \(number)"), to: "aliases") }
        let refused = try Self.send(second, authorization, key: "1")
        #expect(refused.status == 429 || refused["Idempotency-Replayed"] == "true")
        #expect(upstream.requests.count == 1)
    }

    /// A credential's name is no way to try secrets faster where anyone may call; a name that is none may be meant for the upstream.
    @Test func wrongSecretsCountEverywhere() throws {
        let gateway = try GatewayProcess(in: Self.workspace())
        for number in 0..<20 {
            #expect(try Self.send(gateway, Self.basic("someone", "else \(number)")).status == 200)
            #expect(try Self.send(gateway, "Bearer token\(number)").status == 200)
        }
        let statuses = try (0..<12).map {
            try Self.send(gateway, Self.basic($0 % 2 == 0 ? "shop" : "dev", "\($0)")).status
        }
        #expect(statuses.prefix(4).allSatisfy { $0 == 200 } && statuses.suffix(4).allSatisfy { $0 == 429 })
        let metrics = try gateway.admin("GET", "/metrics").bodyText
        #expect(!metrics.contains("cloakroom_wrong_secrets_total 0\n"))
        #expect(try Self.send(gateway, Self.basic("shop", Self.secret)).status == 429)
    }

    /// What a credential may not do it may not do where anyone may call either, from the first request on.
    @Test func aHashedSecretIsCheckedAtOnce() throws {
        let gateway = try GatewayProcess(in: Self.workspace(more: ", forms: [other]"))
        #expect(try Self.send(gateway, Self.basic("shop", Self.secret)).status == 403)
    }

    /// A reload forgets neither which secrets were right or wrong, nor how many, nor what was used of a limit.
    @Test func aReloadForgetsNothing() throws {
        let workspace = try Self.workspace(more: ", rateLimit: 6")
        let gateway = try GatewayProcess(in: workspace)
        let right = Self.basic("shop", Self.secret)
        #expect(try Self.send(gateway, right, to: "aliases").status < 300)
        for number in 0..<11 { _ = try Self.send(gateway, Self.basic("dev", "wrong \(number)"), to: "aliases") }
        let counter = /cloakroom_wrong_secrets_total (\d+)/
        let before = try gateway.admin("GET", "/metrics").bodyText.firstMatch(of: counter)?.output.1
        let reload = ["reload", "--config", workspace.path(of: "cloakroom.yaml")]
        #expect(try Command.cloakroom(reload, in: workspace).end == .exit(0))
        #expect(try Self.send(gateway, right, to: "aliases").status < 300)
        #expect(try gateway.admin("GET", "/metrics").bodyText.firstMatch(of: counter)?.output.1 == before)
        // With a limit that is forgotten there would be six more behind each reload.
        try eventually("the limit is reached") {
            #expect(try Command.cloakroom(reload, in: workspace).end == .exit(0))
            return try (0..<6).map { _ in try Self.send(gateway, right, to: "aliases").status }.contains(429)
        }
    }

    /// A secret that was wrong may be right with the credentials of a reload.
    @Test func aReloadMakesASecretRight() throws {
        let workspace = try Self.workspace(hash: Self.quick.dropLast() + (Self.quick.last == "0" ? "1" : "0"))
        let gateway = try GatewayProcess(in: workspace)
        let right = Self.basic("shop", Self.secret)
        for _ in 0..<2 { #expect(try Self.send(gateway, right, to: "aliases").status == 401) }
        let text = try Self.workspace().read("cloakroom.yaml")
        try workspace.write(text, to: "cloakroom.yaml")
        let reload = ["reload", "--config", workspace.path(of: "cloakroom.yaml")]
        #expect(try Command.cloakroom(reload, in: workspace).end == .exit(0))
        #expect(try Self.send(gateway, right, to: "aliases").status < 300)
    }

    /// What was ended is nobody's: it uses up nothing of its owner.
    @Test func anEndedTokenUsesUpNothing() throws {
        let gateway = try GatewayProcess(in: Self.workspace(more: ", rateLimit: 20"))
        let token = try gateway.request(
            "POST", "/oauth/token",
            [
                "Authorization": Self.basic("shop", Self.secret), "Content-Type": "application/x-www-form-urlencoded",
            ], body: "grant_type=client_credentials")
        let bearer = "Bearer \(try #require(token.json()["access_token"]?.string))"
        #expect(try gateway.request("DELETE", "/v1/sessions/current", ["Authorization": bearer]).status == 204)
        for _ in 0..<30 { #expect(try Self.send(gateway, bearer, to: "aliases").status == 401) }
        #expect(try Self.send(gateway, Self.basic("shop", Self.secret), to: "aliases").status < 300)
    }

    /// RFC 6749 section 2.3.1: both parts are encoded as form values before they become HTTP Basic.
    @Test func anEncodedSecretIsNoWrongOne() throws {
        let names = (0..<8).map { "svc\($0)@shop.example" }
        let credentials = names.map {
            "  - {name: \"\($0)\", secret: {hash: \"\(Self.quick)\"}, scopes: [\"aliases:create\"]}\n"
        }
        let gateway = try GatewayProcess(in: Setting.workspace(Setting.base + credentials.joined()))
        for name in names {
            let encoded = Self.basic(name.replacing("@", with: "%40"), Self.secret.replacing(" ", with: "+"))
            let token = try gateway.request(
                "POST", "/oauth/token",
                ["Authorization": encoded, "Content-Type": "application/x-www-form-urlencoded"],
                body: "grant_type=client_credentials")
            #expect(token.status == 200)
        }
        #expect(try gateway.admin("GET", "/metrics").bodyText.contains("cloakroom_wrong_secrets_total 0\n"))
    }

    /// Requests that wait for a check of theirs delay no other, and are no reason to refuse it.
    @Test func checksAreNoOverload() throws {
        let workspace = try Self.workspace(hash: Self.slow)
        let gateway = try GatewayProcess(
            in: workspace, ["--set", "server.workers=1", "--set", "server.trustedProxies=127.0.0.1"])
        let isOver = Atomic(false)
        let group = DispatchGroup()
        for stranger in 0..<16 {
            let thread = Thread {
                defer { group.leave() }
                var number = 0
                while !isOver.load(ordering: .relaxed) {
                    number += 1
                    _ = try? Self.send(
                        gateway, Self.basic("shop", "\(stranger) \(number)"), to: "aliases",
                        from: "198.51.\(number % 200).\(stranger)")
                }
            }
            group.enter()
            thread.start()
        }
        var statuses: [Int] = []
        for _ in 0..<30 {
            statuses.append(try Self.send(gateway, User.dev.authorization, from: "203.0.113.7").status)
            usleep(50_000)
        }
        isOver.store(true, ordering: .relaxed)
        group.wait()
        #expect(statuses.allSatisfy { $0 == 200 }, "\(statuses)")
    }

    /// Whoever uses a session that was ended is named.
    @Test func anEndedSessionIsNamed() throws {
        let session = "access: {send: session, aliases: session}\n"
        let workspace = try Setting.workspace(
            Setting.base.replacing("\"routes:send\"]", with: "\"routes:send\", \"sessions:create\"]")
                + "audit: {file: log/audit.log}\n",
            forms: ["f": "form: f\nroute: echo\n\(session)fields: [{name: note}]"])
        let gateway = try GatewayProcess(in: workspace)
        let made = try gateway.request(
            "POST", "/v1/sessions",
            ["Authorization": User.dev.authorization, "Content-Type": "application/json"], body: #"{"form":"f"}"#)
        let token = try #require(made.json()["session"]?.string)
        let bearer = "Bearer \(token)"
        #expect(try Self.send(gateway, bearer).status == 200)
        #expect(try gateway.request("DELETE", "/v1/sessions/current", ["Authorization": bearer]).status == 204)
        let refused = try Self.send(gateway, bearer)
        #expect(refused.status == 401 && refused.bodyText.contains("notASession"))
        #expect(try gateway.request("DELETE", "/v1/sessions/current", ["Authorization": bearer]).status == 401)
        #expect(try gateway.stop() == .exit(0))
        let lines = workspace.read("log/audit.log").split(separator: "\n").filter { $0.contains(#""unauthorized""#) }
        #expect(
            lines.count == 2 && lines.allSatisfy { $0.contains(#""credential":"dev""#) && $0.contains(#""session":"#) })
    }
}
