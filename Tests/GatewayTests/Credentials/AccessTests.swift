import AuditLogTesting
import JSON
import Sensitive
import Testing

@testable import Access
@testable import Configuration
@testable import Gateway

/// Credentials and sessions at the calls themselves (docs/reference/access.md sections 1 and 2).
@Suite struct AccessTests {
    private static let submission = #"{"fields":{"card_number":"4539600166594134","cvc":"123","note":"n"}}"#
    /// Sessions may do what public would allow.
    private static let form = """
        form: checkout
        route: echo
        allowedOrigins: [https://shop.example]
        access: {validate: public, aliases: session, tokens: credential, send: session}
        fields:
          - {name: card_number, type: cardNumber, isRequired: true, isRequiredValidOnly: true, tokenization: {}}
          - {name: cvc, type: cvc, isRequiredValidOnly: true, tokenization: {}}
          - {name: note}
        """

    private func token(
        in gateway: GatewayFixture, id: UInt8 = 1, _ change: (inout SessionClaims) -> Void = { _ in }
    ) throws -> String {
        let now = SystemClock.seconds
        var claims = SessionClaims(
            id: try #require(SessionID(bytes: [UInt8](repeating: id, count: 16))), credential: "dev", form: "checkout",
            operations: [.validate, .aliases, .send], scopes: [], issuedAt: now, expiresAt: now + 60)
        change(&claims)
        return try gateway.sessions.key.token(for: claims)
    }

    private static let changes: [(@Sendable (inout SessionClaims) -> Void, [String], String?)] = [
        ({ _ in }, [], nil),
        (
            {
                $0.issuedAt -= 60
                $0.expiresAt -= 60
            }, [], "expired"
        ),
        ({ $0.form = "other" }, [], "wrongForm"),
        ({ $0.operations = [.validate] }, [], "wrongOperation"),
        ({ $0.credential = "gone" }, [], "notASession"),
        ({ $0.origin = "https://shop.example" }, [], "wrongOrigin"),
        ({ $0.origin = "https://shop.example" }, ["Origin: https://other.example"], "wrongOrigin"),
        ({ $0.origin = "https://shop.example" }, ["Origin: https://shop.example"], nil),
        // The hosted frame is a page of the gateway and names the page around it; others may not.
        (
            { $0.origin = "https://shop.example" },
            ["Origin: http://gateway.example", "Cloakroom-Page-Origin: https://shop.example"], nil
        ),
        (
            { $0.origin = "https://shop.example" },
            ["Origin: https://evil.example", "Cloakroom-Page-Origin: https://shop.example"], "wrongOrigin"
        ),
        (
            { $0.origin = "https://shop.example" },
            ["Origin: http://gateway.example", "Cloakroom-Page-Origin: https://evil.example"], "wrongOrigin"
        ),
    ]

    @Test(arguments: changes.indices) func whatASessionIsFor(index: Int) async throws {
        let (change, headers, reason) = Self.changes[index]
        let gateway = try await GatewayFixture(form: Self.form)
        let token = try token(in: gateway, change)
        let response = try await gateway.call(
            "POST /v1/forms/checkout/aliases", ["Authorization: Bearer \(token)"] + headers, json: Self.submission)
        #expect(response.status == (reason == nil ? 201 : 401))
        let info = response.json?.object?["error"]?.object?["userInfo"]?.object?["extraInfo"]?.object
        #expect(info?["reason"]?.string == reason)
        if reason != nil {
            #expect(response.problem == "1300/invalidAccessToken")
            #expect(response["WWW-Authenticate"]?.contains("invalid_token") == true)
        }
    }

    /// Where a session is asked for, a Bearer token that is none is told so; elsewhere it is an unknown secret.
    @Test func whatIsNoSession() async throws {
        let gateway = try await GatewayFixture(form: Self.form)
        let foreign = try SessionKey([UInt8](repeating: 9, count: 32)).token(
            for: SessionClaims(
                id: try #require(SessionID(bytes: [UInt8](repeating: 1, count: 16))), credential: "dev",
                form: "checkout", operations: [.aliases], scopes: [], issuedAt: 1, expiresAt: 1 << 40))
        let cases: [(operation: String, header: String?, reason: String?)] = [
            ("aliases", "Bearer \(foreign)", "notASession"), ("send/x", "Bearer \(foreign)", "notASession"),
            ("aliases", "Bearer junk", "notASession"), ("aliases", "bearer a.b.c", "notASession"),
            ("aliases", "Bearer ", nil), ("aliases", "Basic ZGV2Ong=", nil), ("aliases", nil, nil),
            ("tokens", "Bearer junk", nil),
        ]
        for (operation, header, reason) in cases {
            let response = try await gateway.call(
                "POST /v1/forms/checkout/\(operation)", header.map { ["Authorization: \($0)"] } ?? [],
                json: Self.submission)
            #expect(response.problem == "1300/invalidAccessToken", "\(operation) \(header ?? "")")
            let info = response.json?.object?["error"]?.object?["userInfo"]?.object?["extraInfo"]?.object
            #expect(info?["reason"]?.string == reason, "\(operation) \(header ?? "")")
            #expect(response["WWW-Authenticate"]?.contains("invalid_token") == (reason != nil))
        }
        // On the vault plane too, where Basic is offered beside.
        for (token, isRefused) in [(try token(in: gateway) { _ in }, true), ("junk", false)] {
            let vault = try await gateway.call("POST /aliases", ["Authorization: Bearer \(token)"], json: "{}")
            #expect(vault.status == 401 && vault["WWW-Authenticate"]?.hasPrefix("Basic") == true)
            #expect(vault["WWW-Authenticate"]?.contains("invalid_token") == isRefused)
        }
    }

    /// Who may call without a secret is served with a wrong one; that one was tried is recorded all the same.
    @Test func wrongSecretsWhereAnyoneMayCall() async throws {
        let gateway = try await GatewayFixture(form: Self.form)
        // dev:wrong
        for header in ["Basic ZGV2Ondyb25n", "Bearer junk"] {
            let response = try await gateway.call(
                "POST /v1/forms/checkout/validate", ["Authorization: \(header)"], json: Self.submission)
            #expect(response.status == 200)
        }
        #expect(try await gateway.audit.lines().count { $0.contains(#""outcome":"unauthorized""#) } == 1)
    }

    @Test func aSessionIsNotMoreThanItWasMadeFor() async throws {
        let gateway = try await GatewayFixture(form: Self.form)
        let bearer = ["Authorization: Bearer \(try token(in: gateway) { $0.paths = ["/orders/17"] })"]
        for (line, status) in [
            ("POST /v1/forms/checkout/send/orders/17", 200), ("POST /v1/forms/checkout/send/orders/18", 401),
            ("POST /v1/forms/checkout/tokens", 401), ("POST /v1/forms/checkout/validate", 200), ("POST /aliases", 401),
            ("GET /aliases/x", 401), ("POST /v1/routes/x/y", 401),
        ] {
            let response = try await gateway.call(
                line, bearer, json: line.hasPrefix("GET") ? nil : Self.submission)
            #expect(response.status == status, "\(line)")
        }
        // Nothing is not enough where a session is asked for, and a changed session is none even where anyone may call.
        #expect(
            try await gateway.call("POST /v1/forms/checkout/aliases", json: Self.submission).status == 401)
        #expect(
            try await gateway.call("POST /v1/forms/checkout/aliases", [GatewayFixture.dev], json: Self.submission)
                .status == 201)
        #expect(
            try await gateway.call("POST /v1/forms/checkout/validate", [bearer[0] + "A"], json: Self.submission)
                .status == 401)
    }

    @Test func usesAndEnds() async throws {
        let gateway = try await GatewayFixture(form: Self.form)
        func status(_ token: String) async throws -> (Int, String?) {
            let response = try await gateway.call(
                "POST /v1/forms/checkout/aliases", ["Authorization: Bearer \(token)"], json: Self.submission)
            let info = response.json?.object?["error"]?.object?["userInfo"]?.object?["extraInfo"]?.object
            return (response.status, info?["reason"]?.string)
        }
        let counted = try token(in: gateway) { $0.maxRequests = 2 }
        #expect(try await status(counted) == (201, nil))
        #expect(try await status(counted) == (201, nil))
        #expect(try await status(counted) == (401, "usedUp"))
        var claims: SessionClaims?
        let other = try token(in: gateway, id: 2) { claims = $0 }
        #expect(try await status(other) == (201, nil))
        gateway.sessions.ended.merge([SessionEnding(of: try #require(claims))], at: nil)
        #expect(try await status(other) == (401, "notASession"))
    }

    private func credential(_ change: (inout CredentialSettings) -> Void) -> CredentialSettings {
        var credential = CredentialSettings(
            name: "limited", username: "limited", secrets: [.text(SensitiveText("limited-secret"))],
            scopes: Set(Scope.allCases))
        change(&credential)
        return credential
    }

    private static func names(_ pattern: String) -> NameSet { .matching([NamePattern(pattern)].compactMap(\.self)) }

    private static let limits: [(@Sendable (inout CredentialSettings) -> Void, String, Int)] = [
        ({ $0.forms = names("check*") }, "POST /v1/forms/checkout/aliases", 201),
        ({ $0.forms = names("other") }, "POST /v1/forms/checkout/aliases", 403),
        ({ $0.expires = 4_000_000_000 }, "POST /v1/forms/checkout/aliases", 201),
        ({ $0.expires = 1_000_000_000 }, "POST /v1/forms/checkout/aliases", 401),
        ({ $0.addresses = [Network("127.0.0.0/8")].compactMap(\.self) }, "POST /v1/forms/checkout/aliases", 201),
        ({ $0.addresses = [Network("10.0.0.0/8")].compactMap(\.self) }, "POST /v1/forms/checkout/aliases", 403),
        ({ $0.routes = names("a*") }, "POST /v1/routes/b/x", 403),
        ({ $0.routes = names("a*") }, "POST /v1/routes/ab/x", 404),
    ]

    @Test(arguments: limits.indices) func whatACredentialMayDo(index: Int) async throws {
        let (change, line, status) = Self.limits[index]
        let gateway = try await GatewayFixture(credentials: [credential(change)])
        let response = try await gateway.call(line, ["Authorization: Bearer limited-secret"], json: Self.submission)
        #expect(response.status == status)
        if status == 401 {
            #expect(response.body.contains(#""reason":"expired""#))
        }
    }

    /// Behind a trusted proxy an address is what the proxy says it is, and a forged element left of it does not count.
    @Test func addressesBehindProxies() async throws {
        let limited = credential { $0.addresses = [Network("10.0.0.0/8")].compactMap(\.self) }
        let gateway = try await GatewayFixture(credentials: [limited], trustedProxies: ["127.0.0.1"])
        for (header, status) in [
            ("X-Forwarded-For: 10.1.2.3", 201), ("X-Forwarded-For: 10.1.2.3, 192.0.2.1", 403),
            ("Forwarded: for=10.1.2.3", 201), ("X-Forwarded-For: rubbish", 403), ("X-Other: 10.1.2.3", 403),
        ] {
            let response = try await gateway.call(
                "POST /v1/forms/checkout/aliases", ["Authorization: Bearer limited-secret", header],
                json: Self.submission)
            #expect(response.status == status, "\(header)")
        }
    }

    /// A stranger can hide behind a proxy by a header that it writes itself. It uses up nothing of the programs beside the proxy then.
    @Test(arguments: [
        ["X-Forwarded-For: 192.0.2.1", "Forwarded: for=6.6.6.6"], ["X-Forwarded-For: 192.0.2.1", "Forwarded: rubbish"],
        ["X-Forwarded-For: 192.0.2.1", "Forwarded: for=127.0.0.1"], ["X-Forwarded-For: rubbish"],
        ["Forwarded: for=_hidden"],
    ])
    func strangersWhoHideBehindAProxy(headers: [String]) async throws {
        let limited = try await GatewayFixture(rateLimit: .init(address: 3), trustedProxies: ["127.0.0.1"])
        for status in [200, 200, 200, 429] {
            #expect(try await limited.call("GET /v1/forms", headers).status == status)
        }
        #expect(try await limited.call("GET /v1/forms").status == 200)
        let gateway = try await GatewayFixture(trustedProxies: ["127.0.0.1"])
        func status(_ authorization: String, _ headers: [String] = []) async throws -> Int {
            try await gateway.call(
                "POST /v1/forms/checkout/aliases", [authorization] + headers, json: Self.submission
            ).status
        }
        for number in 0..<7 { _ = try await status("Authorization: Bearer wrong-\(number)", headers) }
        #expect(try await status(GatewayFixture.dev, headers) == 429)
        #expect(try await status(GatewayFixture.dev) == 201)
    }

    /// So does one whose headers could not be read.
    @Test func headersThatCouldNotBeRead() {
        let proxies = TrustedProxies(["127.0.0.1"].compactMap { Network($0) })
        #expect(!proxies.client(of: nil, from: (0, 0xFFFF_7F00_0001)).isProven)
        #expect(proxies.client(of: nil, from: (0, 0xFFFF_C000_0201)).isProven)
    }

    @Test func valuesOutOfReach() async throws {
        let limited = credential { $0.classifiers = ["mine"] }
        let gateway = try await GatewayFixture(credentials: [limited])
        let bearer = ["Authorization: Bearer limited-secret"]
        func alias(_ classifiers: String) async throws -> String {
            let made = try await gateway.call(
                "POST /aliases", [GatewayFixture.dev],
                json:
                    #"{"data":[{"value":"value of \#(classifiers.utf8.count)","format":"UUID","classifiers":[\#(classifiers)]}]}"#
            )
            let stored = made.json?.object?["data"]?.array?.first?.object
            return try #require(stored?["aliases"]?.array?.first?.object?["alias"]?.string)
        }
        let mine = try await alias(#""x","mine""#)
        for other in [try await alias(#""theirs""#), try await alias("")] {
            for (line, body) in [
                ("GET /aliases/\(other)", nil), ("GET /aliases?aliases=\(mine),\(other)", nil),
                ("PUT /aliases/\(other)", #"{"data":{"classifiers":["mine"]}}"#), ("DELETE /aliases/\(other)", nil),
                ("POST /aliases/delete", #"{"data":["\#(mine)","\#(other)"]}"#),
                ("POST /aliases", #"{"data":[{"alias":"\#(other)","format":"RAW_UUID"}]}"#),
            ] {
                let response = try await gateway.call(line, bearer, json: body)
                #expect(response.status == 403, "\(line)")
                #expect(!response.body.contains("value of"))
            }
        }
        // Nor does who sends a value again bring it into its reach.
        func send(_ value: Int, _ more: String) async throws -> Int {
            let json = #"{"data":[{"value":"value of \#(value)","format":"UUID"\#(more)}]}"#
            return try await gateway.call("POST /aliases", bearer, json: json).status
        }
        let theirs = #""theirs""#.utf8.count
        #expect(try await send(theirs, #","classifiers":["mine"]"#) == 403)
        #expect(try await send(0, #","classifiers":["mine"]"#) == 403)
        #expect(try await send(theirs, "") == 201)
        #expect(try await send(#""x","mine""#.utf8.count, #","classifiers":["more"]"#) == 201)
        #expect(try await send(1_000, #","classifiers":["mine"]"#) == 201)
        // It does not learn how others have labelled a value; its own labels it sees, also where it may not reach them.
        for (value, more, shown) in [
            (theirs, "", "[]"), (theirs, #","classifiers":["theirs"]"#, #"["theirs"]"#),
            (2_000, #","classifiers":["a","b"]"#, #"["a","b"]"#),
            (#""x","mine""#.utf8.count, "", #"["x","mine","more"]"#),
        ] {
            let json = #"{"data":[{"value":"value of \#(value)","format":"UUID"\#(more)}]}"#
            let response = try await gateway.call("POST /aliases", bearer, json: json)
            #expect(response.status == 201 && response.body.contains(#""classifiers":\#(shown),"#), "\(response.body)")
        }
        #expect(try await gateway.call("GET /aliases/\(mine)", bearer).status == 200)
        #expect(try await gateway.call("DELETE /aliases/\(mine)", bearer).status == 204)
    }
}
