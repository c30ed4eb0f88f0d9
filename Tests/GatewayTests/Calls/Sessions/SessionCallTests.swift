import AuditLog
import AuditLogTesting
import Foundation
import JSON
import Sensitive
import Testing
import Vault
import VaultTesting

@testable import Access
@testable import Configuration
@testable import Gateway

/// Making and ending sessions (docs/reference/access.md section 2).
@Suite struct SessionCallTests {
    private static let submission = #"{"fields":{"card_number":"4539600166594134","cvc":"123","note":"n"}}"#
    static let form = """
        form: checkout
        route: echo
        allowedOrigins: [https://shop.example]
        access: {validate: public, aliases: session, tokens: credential, send: session}
        fields:
          - {name: card_number, type: cardNumber, isRequired: true, isRequiredValidOnly: true, tokenization: {}}
          - {name: cvc, type: cvc, isRequiredValidOnly: true, tokenization: {}}
          - {name: note}
        """

    static func backend(
        _ name: String = "backend",
        scopes: Set<Scope> = [.createSessions, .createAliases, .sendForms],
        _ change: (inout CredentialSettings) -> Void = { _ in }
    ) -> CredentialSettings {
        var credential = CredentialSettings(
            name: name, username: name, secrets: [.text(SensitiveText("\(name)-secret"))],
            scopes: scopes)
        change(&credential)
        return credential
    }

    private static let bearer = "Authorization: Bearer backend-secret"

    private func make(_ gateway: GatewayFixture, _ body: String) async throws -> [String] {
        let made = try await gateway.call("POST /v1/sessions", [Self.bearer], json: body)
        #expect(made.status == 201, "\(made.body)")
        return ["Authorization: Bearer \(try #require(made.json?.object?["session"]?.string))"]
    }

    private func reason(_ response: GatewayFixture.Response) -> String? {
        response.json?.object?["error"]?.object?["userInfo"]?.object?["extraInfo"]?.object?["reason"]?.string
    }

    /// The early end of a session is one of the requests of who made it.
    @Test func endsCountForTheRateLimit() async throws {
        let gateway = try await GatewayFixture(
            rateLimit: .init(session: 1), credentials: [Self.backend("shop")])
        let made = try await gateway.call(
            "POST /v1/sessions", ["Authorization: Bearer shop-secret"], json: #"{"form":"checkout"}"#)
        let token = try #require(made.json?.object?["session"]?.string)
        let bearer = "Authorization: Bearer \(token)"
        #expect(
            try await gateway.call("POST /v1/forms/checkout/validate", [bearer], json: Self.submission).status == 200)
        #expect(try await gateway.call("DELETE /v1/sessions/current", [bearer]).status == 429)
    }

    @Test func aSessionOfAllThatTheFormHas() async throws {
        let gateway = try await GatewayFixture(form: Self.form, credentials: [Self.backend()])
        let before = SystemClock.seconds
        let made = try await gateway.call("POST /v1/sessions", [Self.bearer], json: #"{"form":"checkout"}"#)
        let after = SystemClock.seconds
        #expect(made.status == 201)
        #expect(made["Cache-Control"] == "no-store")
        let body = try #require(made.json?.object)
        #expect(body["form"]?.string == "checkout")
        #expect(body["operations"]?.array?.compactMap(\.string) == ["validate", "aliases", "send"])
        let end = try #require(body["expiresAt"]?.string.flatMap { Instant.seconds(of: $0) })
        #expect((before + 900...after + 901).contains(Int64(end)))
        let token = try #require(body["session"]?.string)
        #expect(token.split(separator: ".").count == 3)
        let use = try await gateway.call(
            "POST /v1/forms/checkout/aliases", ["Authorization: Bearer \(token)"], json: Self.submission)
        #expect(use.status == 201)
        await gateway.audit.log.close()
        let events = try String(contentsOfFile: gateway.audit.path, encoding: .utf8)
        #expect(events.contains(#""event":"sessions.create","outcome":"done""#))
        #expect(events.contains(#""credential":"backend""#))
        #expect(!events.contains(token))
    }

    @Test func whatItIsLimitedTo() async throws {
        let gateway = try await GatewayFixture(form: Self.form, credentials: [Self.backend()])
        let counted = try await make(gateway, #"{"form":"checkout","maxRequests":2,"operations":["aliases"]}"#)
        for (status, why) in [(201, nil), (201, nil), (401, "usedUp")] as [(Int, String?)] {
            let response = try await gateway.call("POST /v1/forms/checkout/aliases", counted, json: Self.submission)
            #expect(response.status == status)
            #expect(reason(response) == why)
        }
        let other = try await gateway.call("POST /v1/forms/checkout/validate", counted, json: Self.submission)
        #expect(reason(other) == "wrongOperation")
        let bound = try await make(
            gateway, #"{"form":"checkout","origin":"https://shop.example","paths":["/orders/17"]}"#)
        for (path, origin, why) in [
            ("orders/17", "https://shop.example", nil), ("orders/18", "https://shop.example", "wrongOperation"),
            ("orders/17", "https://evil.example", "wrongOrigin"),
        ] as [(String, String, String?)] {
            let response = try await gateway.call(
                "POST /v1/forms/checkout/send/\(path)", bound + ["Origin: \(origin)"], json: Self.submission)
            #expect(response.status == (why == nil ? 200 : 401))
            #expect(reason(response) == why)
        }
    }

    /// The response to a session's last request may be lost on its way: its repetition gets it, and nothing else is carried out.
    @Test(arguments: ["aliases", "send/orders/17"])
    func repetitionsNeedNoUse(operation: String) async throws {
        let gateway = try await GatewayFixture(form: Self.form, credentials: [Self.backend()])
        let session = try await make(gateway, #"{"form":"checkout","maxRequests":1}"#)
        func call(_ key: String?, _ body: String = Self.submission) async throws -> GatewayFixture.Response {
            try await gateway.call(
                "POST /v1/forms/checkout/\(operation)", session + (key.map { ["Idempotency-Key: \($0)"] } ?? []),
                json: body)
        }
        let first = try await call("1")
        #expect(first.status < 300)
        for _ in 0..<2 {
            let again = try await call("1")
            #expect(again.status == first.status && again.body == first.body && again["Idempotency-Replayed"] == "true")
        }
        for key in ["2", nil, "2"] { #expect(reason(try await call(key)) == "usedUp") }
        #expect(try await call("1", #"{"fields":{}}"#).problem == "422/idempotencyKeyReused")
        #expect(try await call(String(repeating: "k", count: 256)).status == 400)
        let refused = try await gateway.audit.lines().filter { $0.contains("unauthorized") }
        #expect(refused.count == 3)
    }

    private static let refusals: [(String, Int)] = [
        ("{}", 400), ("[]", 400), ("{", 400), (#"{"form":"none"}"#, 400), (#"{"form":"checkout","x":1}"#, 400),
        (#"{"form":"checkout","ttl":"25h"}"#, 400), (#"{"form":"checkout","ttl":"0s"}"#, 400),
        (#"{"form":"checkout","maxRequests":0}"#, 400), (#"{"form":"checkout","operations":[]}"#, 400),
        (#"{"form":"checkout","operations":["reveal"]}"#, 400), (#"{"form":"checkout","paths":["x"]}"#, 400),
        (#"{"form":"checkout","origin":"https://shop.example/x"}"#, 400),
    ]

    @Test(arguments: refusals.indices) func malformedRequests(index: Int) async throws {
        let (body, status) = Self.refusals[index]
        let gateway = try await GatewayFixture(form: Self.form, credentials: [Self.backend()])
        let response = try await gateway.call("POST /v1/sessions", [Self.bearer], json: body)
        #expect(response.status == status, "\(body)")
        #expect(response.problem == "400/malformedRequest")
    }

    private static let callers: [(CredentialSettings, String, Int)] = [
        (backend(scopes: [.createAliases]), #"{"form":"checkout"}"#, 403),
        (backend { $0.forms = .matching([NamePattern("other")].compactMap(\.self)) }, #"{"form":"checkout"}"#, 403),
        // It must have what it gives away.
        (backend(scopes: [.createSessions]), #"{"form":"checkout","operations":["aliases"]}"#, 403),
        (backend(scopes: [.createSessions]), #"{"form":"checkout","operations":["validate"]}"#, 201),
        (backend(scopes: [.createSessions]), #"{"form":"checkout"}"#, 201),
        (backend { $0.expires = 1_000_000_000 }, #"{"form":"checkout"}"#, 401),
    ]

    @Test(arguments: callers.indices) func whoMayMakeOne(index: Int) async throws {
        let (credential, body, status) = Self.callers[index]
        let gateway = try await GatewayFixture(form: Self.form, credentials: [credential])
        #expect(try await gateway.call("POST /v1/sessions", [Self.bearer], json: body).status == status)
        #expect(try await gateway.call("POST /v1/sessions", json: body).status == 401)
        #expect(try await gateway.call("GET /v1/sessions", [Self.bearer]).status == 405)
    }

    @Test func aSessionMakesNoOther() async throws {
        let gateway = try await GatewayFixture(form: Self.form, credentials: [Self.backend()])
        let session = try await make(gateway, #"{"form":"checkout"}"#)
        let response = try await gateway.call("POST /v1/sessions", session, json: #"{"form":"checkout"}"#)
        #expect(response.status == 401)
        #expect(reason(response) == "wrongOperation")
    }

    /// Only a session can be ended: everything else that was presented is told that it is none.
    @Test func onlyASessionIsEnded() async throws {
        let gateway = try await GatewayFixture(form: Self.form, credentials: [Self.backend()])
        for (header, expected) in [
            (Self.bearer, "notASession"), ("Authorization: Bearer junk", "notASession"),
            ("Authorization: bearer a.b.c", "notASession"), ("Authorization: Basic ZGV2Ong=", nil), (nil, nil),
        ] {
            let response = try await gateway.call("DELETE /v1/sessions/current", header.map { [$0] } ?? [])
            #expect(response.problem == "1300/invalidAccessToken", "\(header ?? "")")
            #expect(reason(response) == expected, "\(header ?? "")")
        }
    }

    /// An access token lasts 20 minutes, and a session that it makes may last longer, but not longer than the credential.
    @Test func aSessionEndsWithItsCredential() async throws {
        let end = Int(SystemClock.seconds) + 600
        let gateway = try await GatewayFixture(
            form: Self.form, credentials: [Self.backend { $0.expires = end }, Self.backend("lasting")])
        for name in ["backend", "lasting"] {
            let issued = try await gateway.call(
                "POST /oauth/token", ["Content-Type: application/x-www-form-urlencoded"],
                body: "grant_type=client_credentials&client_id=\(name)&client_secret=\(name)-secret")
            let token = try #require(issued.json?.object?["access_token"]?.string)
            let before = Int(SystemClock.seconds)
            let made = try await gateway.call(
                "POST /v1/sessions", ["Authorization: Bearer \(token)"], json: #"{"form":"checkout","ttl":"1h"}"#)
            let after = Int(SystemClock.seconds)
            #expect(made.status == 201)
            let expires = try #require(made.json?.object?["expiresAt"]?.string.flatMap { Instant.seconds(of: $0) })
            let ends = name == "backend" ? end...end : before + 3_600...after + 3_600
            #expect(ends.contains(Int(expires)), "\(name)")
        }
    }

    @Test func theEndIsTheEnd() async throws {
        let gateway = try await GatewayFixture(form: Self.form, credentials: [Self.backend()])
        let session = try await make(gateway, #"{"form":"checkout"}"#)
        #expect(try await gateway.call("DELETE /v1/sessions/current", session).status == 204)
        for line in ["POST /v1/forms/checkout/aliases", "POST /v1/forms/checkout/validate"] {
            let response = try await gateway.call(line, session, json: Self.submission)
            #expect(response.status == 401)
            #expect(reason(response) == "notASession")
        }
        #expect(try await gateway.call("DELETE /v1/sessions/current", session).status == 401)
        #expect(try await gateway.call("DELETE /v1/sessions/current", [Self.bearer]).status == 401)
        #expect(try await gateway.call("DELETE /v1/sessions/current").status == 401)
        // Another process of the vault reads it.
        let ended = EndedSessions()
        let exchange = AccessExchange(
            gateway.vault, ended: ended, guesses: nil, telemetry: gateway.telemetry)
        try await exchange.readAll()
        #expect(ended.count == 1)
        await gateway.audit.log.close()
        let events = try String(contentsOfFile: gateway.audit.path, encoding: .utf8)
        #expect(events.split(separator: "\n").count { $0.contains(#""event":"sessions.end","outcome":"done""#) } == 1)
    }

    /// A refused end is recorded as one, not as a session that was to be made: without a token, with one that is no session, with a wrong
    /// secret.
    @Test(arguments: ["", "Bearer backend-secret", "Bearer unknown", "Basic YmFja2VuZDp3cm9uZw=="])
    func refusedEndsAreRecorded(authorization: String) async throws {
        let headers = authorization.isEmpty ? [] : ["Authorization: \(authorization)"]
        let gateway = try await GatewayFixture(form: Self.form, credentials: [Self.backend()])
        #expect(try await gateway.call("DELETE /v1/sessions/current", headers).status == 401)
        await gateway.audit.log.close()
        let events = try String(contentsOfFile: gateway.audit.path, encoding: .utf8).split(separator: "\n")
        #expect(events.count { $0.contains(#""event":"sessions.end","outcome":"unauthorized""#) } == 1)
        #expect(!events.contains { $0.contains(#""event":"sessions.create""#) })
    }

    /// What one process has counted another one knows after an exchange, and a restart knows it, too. Their times are the vault's, whatever
    /// the process's clock says.
    @Test(arguments: [0, -172_800] as [Int64]) func guessesAreExchanged(seconds: Int64) async throws {
        let clock = VaultClock.system.ahead(by: seconds)
        let gateway = try await GatewayFixture(clock: clock)
        let counters = try (0..<2).map { _ in try GuessCounter(key: [UInt8](repeating: 1, count: 32), limit: 3) }
        let pattern = GuessPattern(format: "FPE_SIX_T_FOUR", length: 16, kept: "4111111111")
        let caller = [CallerKey.credential("shop")]
        for value in ["1", "2", "3"] {
            #expect(try counters[0].submit(value, for: [pattern], by: caller, at: .now(by: clock)) == .allowed)
        }
        let first = AccessExchange(
            gateway.vault, ended: EndedSessions(), guesses: counters[0], telemetry: gateway.telemetry)
        await first.stop()
        let second = AccessExchange(
            gateway.vault, ended: EndedSessions(), guesses: counters[1], telemetry: gateway.telemetry)
        try await second.readAll()
        #expect(try counters[1].submit("2", for: [pattern], by: caller, at: .now(by: clock)) == .allowed)
        #expect(try counters[1].submit("4", for: [pattern], by: caller, at: .now(by: clock)) != .allowed)
    }
}
