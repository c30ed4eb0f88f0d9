import Access
import AuditLogTesting
import JSON
import Sensitive
import Testing

@testable import Configuration
@testable import Gateway

@Suite struct FormCallsTests {
    private static let good = """
        {"fields":{"card_number":"4539 6001 6659 4134","cvc":"321","note":"n"},"extraData":{"order":{"id":1.10}}}
        """

    @Test(arguments: [
        ("GET /v1/forms/nope", nil, 404, "404/notFound"), ("POST /v1/forms/nope/validate", "{}", 404, "404/notFound"),
        ("GET /nope", nil, 404, "404/notFound"), ("GET /v1/routes/a/b", nil, 401, "1300/invalidAccessToken"),
        ("GET /v1/forms/checkout/validate", nil, 405, "405/methodNotAllowed"),
        ("DELETE /v1/forms", nil, 405, "405/methodNotAllowed"),
        ("PUT /v1/forms/checkout", "{}", 405, "405/methodNotAllowed"),
        ("HEAD /v1/forms/checkout/send/x", nil, 405, "405/methodNotAllowed"),
        ("POST /v1/forms/checkout/validate", nil, 415, "415/unsupportedMediaType"),
        ("POST /v1/forms/checkout/validate", "", 400, "400/malformedRequest"),
        ("POST /v1/forms/checkout/validate", "{\"fields\":{},\"fields\":{}}", 400, "400/malformedRequest"),
        ("POST /v1/forms/checkout/validate", "{\"fields\":{\"cvc\":321}}", 400, "400/malformedRequest"),
        ("POST /v1/forms/checkout/validate", "{\"extraData\":[]}", 400, "400/malformedRequest"),
        ("POST /v1/forms/checkout/validate", "{\"other\":{}}", 400, "400/malformedRequest"),
        ("POST /v1/forms/checkout/validate", "{\"fields\":{\"a\":\"\",\"b\":\"\"}}", 400, "400/unknownField"),
        ("POST /v1/forms/checkout/tokens", "{\"fields\":{}}", 422, "1001/inputDataIsNotValid"),
        ("POST /v1/forms/checkout/aliases", "{\"fields\":{}}", 401, "1300/invalidAccessToken"),
        ("POST /v1/forms/checkout/send/a/../b", "{\"fields\":{}}", 422, "1001/inputDataIsNotValid"),
        ("POST /v1/forms/checkout/send/a/../b", good, 400, "400/malformedRequest"),
        ("POST /v1/forms/checkout/send/a%2f..%2fb", good, 400, "400/malformedRequest"),
    ])
    func refusals(line: String, json: String?, status: Int, problem: String) async throws {
        let answer = try await GatewayFixture().call(line, json: json)
        #expect(answer.status == status)
        #expect(answer.problem == problem)
        #expect(answer["Content-Type"] == "application/problem+json")
        #expect(answer["X-Request-Id"]?.count == 36)
        #expect((answer["Allow"] != nil) == (status == 405))
        // Basic is accepted, but not offered: browsers would open a dialog for it.
        #expect(answer["WWW-Authenticate"] == (status == 401 ? "Bearer realm=\"cloakroom\"" : nil))
        // With its quotes, as the request id may hold the same digits.
        #expect(!answer.body.contains(#""321""#) && !answer.body.contains("6659 4134"))
    }

    @Test func credentialsAndScopesOfAliases() async throws {
        let gateway = try await GatewayFixture()
        let line = "POST /v1/forms/checkout/aliases"
        #expect(try await gateway.call(line, ["Authorization: Bearer x"], json: Self.good).status == 401)
        let forbidden = try await gateway.call(line, [GatewayFixture.nobody], json: Self.good)
        #expect(forbidden.status == 403)
        #expect(forbidden.problem == "403/forbidden")
        #expect(try await gateway.call(line, [GatewayFixture.writer], json: Self.good).status == 201)
    }

    @Test func aliasesTakeThePlaceOfValues() async throws {
        let gateway = try await GatewayFixture()
        let tokens = try await gateway.call("POST /v1/forms/checkout/tokens", json: Self.good)
        #expect(tokens.status == 201)
        let data = try #require(tokens.json?.object?["data"]?.object)
        let alias = try #require(data["card_number"]?.string)
        #expect(alias.hasPrefix("453960") && alias.hasSuffix("4134") && alias != "4539600166594134")
        #expect(data["note"]?.string == "n")
        #expect(tokens.body.contains("\"fieldName\":\"cvc\"") && tokens.body.contains("\"storage\":\"VOLATILE\""))

        let sent = try await gateway.call("PUT /v1/forms/checkout/send/orders?x=1", json: Self.good)
        #expect(sent.status == 200)
        #expect(sent.body.hasPrefix("{\"order\":{\"id\":1.10},\"card_number\":\"\(alias)\",\"cvc\":\"tok_sandbox_"))
        #expect(sent["Cloakroom-Upstream-Status"] == nil)
        #expect(sent["Cache-Control"] == "no-store")
    }

    /// A field's `ttl` counts from the submission.
    @Test func aliasesEndWithTheTTLOfTheirField() async throws {
        let form = """
            form: checkout
            fields:
              - {name: short, tokenization: {format: UUID, ttl: 1h}}
              - {name: long, tokenization: {format: UUID}}
            """
        let gateway = try await GatewayFixture(form: form)
        let before = SystemClock.seconds
        let made = try await gateway.call(
            "POST /v1/forms/checkout/tokens", json: #"{"fields":{"short":"a","long":"b"}}"#)
        let after = SystemClock.seconds
        let data = try #require(made.json?.object?["data"]?.object)
        let (short, long) = (try #require(data["short"]?.string), try #require(data["long"]?.string))
        let read = try await gateway.call("GET /aliases?q=\(short),\(long)", [GatewayFixture.dev])
        let stored = try #require(read.json?.object?["data"]?.object)
        let end = try #require(stored[short]?.object?["expires_at"]?.string.flatMap(Instant.seconds))
        #expect((before + 3_600...after + 3_600).contains(Int64(end)))
        #expect(stored[long]?.object?["expires_at"] == nil)
    }

    @Test func withoutItemsTheAnswerIs200() async throws {
        let gateway = try await GatewayFixture(form: "form: checkout\nfields: [{name: note, tokenization: {}}]\n")
        let answer = try await gateway.call("POST /v1/forms/checkout/tokens", json: "{\"fields\":{\"note\":\"\"}}")
        #expect(answer.status == 200)
        #expect(answer.body == "{\"data\":{},\"aliases\":[]}")
        // A form without a route is sent nowhere.
        #expect(try await gateway.call("POST /v1/forms/checkout/send/x", json: "{}").status == 404)
    }

    @Test func routeIDsAreCheckedOnEveryKindOfRoute() async throws {
        let gateway = try await GatewayFixture()
        let line = "POST /v1/forms/checkout/send/x"
        let refused = try await gateway.call(line, ["VGS-Route-Id: route-1"], json: Self.good)
        #expect(refused.status == 400)
        #expect(refused.problem == "1480/invalidConfigurationURL")
        #expect(try await gateway.call(line, ["VGS-Route-Id:"], json: Self.good).status == 200)
        let uuid = "VGS-Route-Id: 7F3C0A52-41de-4b0c-9a77-0f5d2c9b6e11"
        for twice in [[uuid, uuid], [uuid, "vgs-route-id:"]] {
            #expect(try await gateway.call(line, twice, json: Self.good).problem == "400/malformedRequest")
        }
        #expect(try await gateway.call(line, [uuid], json: Self.good).status == 200)
    }

    /// A header that can't be passed on refuses the call before aliases are made that no response would return.
    @Test func nothingIsStoredForACallThatCannotBeSent() async throws {
        let base = try BaseURL("https://127.0.0.1:1/")
        var route = Route(name: "echo", target: .upstream(base), methods: ["POST"])
        route.forwardHeaders = ["x-note"]
        let gateway = try await GatewayFixture(routes: [route])
        let answer = try await gateway.call(
            "POST /v1/forms/checkout/send/x", ["Content-Type: application/json"],
            opaque: Array("X-Note: ".utf8) + [0xFF], body: Self.good)
        #expect(answer.problem == "400/malformedRequest")
        #expect(try await !gateway.audit.lines().contains { $0.contains(#""event":"create""#) })
    }

    @Test func anUpstreamThatCannotBeReached() async throws {
        let base = try BaseURL("https://127.0.0.1:1/")
        let route = Route(name: "echo", target: .upstream(base), methods: ["POST"])
        let gateway = try await GatewayFixture(routes: [route])
        let answer = try await gateway.call("POST /v1/forms/checkout/send/x", json: Self.good)
        #expect(answer.status == 502)
        #expect(answer.problem == "-1004/cannotConnectToHost")
        let method = try await gateway.call("PUT /v1/forms/checkout/send/x", json: Self.good)
        #expect(method.status == 405)
        #expect(method["Allow"] == "POST, OPTIONS")
    }

    @Test func verdicts() async throws {
        let gateway = try await GatewayFixture()
        let answer = try await gateway.call("POST /v1/forms/checkout/validate", json: "{}")
        #expect(answer.status == 200)
        #expect(answer.json?.object?["nextField"]?.string == "card_number")
    }

    @Test func descriptionsAreNotSentTwice() async throws {
        let gateway = try await GatewayFixture()
        let first = try await gateway.call("GET /v1/forms/checkout")
        let tag = try #require(first["ETag"])
        #expect(first.status == 200)
        let second = try await gateway.call("GET /v1/forms/checkout", ["If-None-Match: \(tag)"])
        #expect(second.status == 304)
        #expect(second.body.isEmpty)
        #expect(try await gateway.call("HEAD /v1/forms").status == 200)
    }

    /// Nothing is stored or sent of what was typed by another description, and its Idempotency-Key stays free.
    @Test(arguments: ["aliases", "tokens", "send/x"]) func submissionsByAnotherDescriptionAreRefused(path: String)
        async throws
    {
        let gateway = try await GatewayFixture()
        let version = try #require(try await gateway.call("GET /v1/forms/checkout")["Cloakroom-Form-Version"])
        let line = "POST /v1/forms/checkout/\(path)"
        let own = ["Authorization: Bearer dev-secret"]
        for key in [[], ["Idempotency-Key: order-0001-\(path.count)"]] {
            let refused = try await gateway.call(line, own + key + ["Cloakroom-Form-Version: 00"], json: Self.good)
            #expect(refused.status == 409 && refused.problem == "409/formChanged", "\(refused.status)")
            let taken = try await gateway.call(
                line, own + key + ["Cloakroom-Form-Version: \(version)"], json: Self.good)
            #expect(taken.status == 201 || taken.status == 200, "\(taken.status)")
        }
        // The repetition of what was carried out is no submission of its own.
        let again = try await gateway.call(
            line, own + ["Idempotency-Key: order-0001-\(path.count)", "Cloakroom-Form-Version: 00"], json: Self.good)
        #expect(again["Idempotency-Replayed"] == "true")
        #expect(
            try await gateway.call("POST /v1/forms/checkout/validate", ["Cloakroom-Form-Version: 00"], json: "{}")
                .status == 200)
    }

    @Test func pagesOfAllowedOriginsMayCall() async throws {
        let gateway = try await GatewayFixture()
        let line = "POST /v1/forms/checkout/validate"
        let allowed = try await gateway.call(line, ["Origin: https://shop.example"], json: "{}")
        #expect(allowed["Access-Control-Allow-Origin"] == "https://shop.example")
        let other = try await gateway.call(line, ["Origin: https://evil.example"], json: "{}")
        #expect(other["Access-Control-Allow-Origin"] == nil)
        #expect(other["Vary"] == "Origin")
        let refused = try await gateway.call(line, ["Origin: https://shop.example"], json: "{")
        #expect(refused.status == 400)
        #expect(refused["Access-Control-Allow-Origin"] == "https://shop.example")
        let preflight = try await gateway.call(
            "OPTIONS /v1/forms/checkout/send/x",
            ["Origin: https://shop.example", "Access-Control-Request-Method: PUT"])
        #expect(preflight.status == 204)
        #expect(preflight["Access-Control-Allow-Methods"] == "GET, POST, PUT, PATCH, DELETE, OPTIONS")
    }

    @Test func pagesReadWhatTheRouteLetsThrough() async throws {
        let common =
            "X-Request-Id, Cloakroom-Upstream-Status, Retry-After, ETag, Cloakroom-Form-Version, Idempotency-Replayed, Idempotent-Replayed"
        var route = Route.builtInEcho
        for (names, limit, more) in [
            (["Content-Type"], nil, ", Content-Type"), (["X-Order", "Location"], nil, ", X-Order, Location"),
            (["Location"], 9, ", x-ratelimit-remaining, RateLimit, RateLimit-Policy, Location"),
        ] {
            route.responseHeaders = names
            let gateway = try await GatewayFixture(routes: [route], rateLimit: .init(global: limit))
            let line = "POST /v1/forms/checkout/send/x"
            let answer = try await gateway.call(line, ["Origin: https://shop.example"], json: Self.good)
            #expect(answer.status == 200 && answer["Access-Control-Expose-Headers"] == common + more)
        }
    }

    /// Also when nothing of the request was looked at but its head.
    @Test(arguments: [
        ("POST /v1/forms/checkout/validate", "Authorization: a", 400),
        ("OPTIONS /v1/forms/checkout/tokens", "X: y", 429), ("POST /v1/forms/checkout/validate", "X: y", 429),
    ])
    func pagesReadWhyTheyAreRefused(line: String, header: String, status: Int) async throws {
        let gateway = try await GatewayFixture(rateLimit: .init(global: status == 429 ? 0 : nil))
        let answer = try await gateway.call(line, [header, header, "Origin: https://shop.example"])
        #expect(answer.status == status && answer["Access-Control-Allow-Origin"] == "https://shop.example")
        #expect(answer.headers.filter { $0.0 == "Vary" }.map(\.1) == ["Origin"])
        let other = try await gateway.call(line, [header, header, "Origin: https://other.example"])
        #expect(other.status == status && other["Access-Control-Allow-Origin"] == nil)
    }

    @Test func namesOfRequestsAreTakenFromTheCallerIfTheyAreSafe() async throws {
        let gateway = try await GatewayFixture()
        #expect(try await gateway.call("GET /v1/forms", ["X-Request-Id: a.b-1"])["X-Request-Id"] == "a.b-1")
        #expect(try await gateway.call("GET /v1/forms", ["X-Request-Id: a b"])["X-Request-Id"]?.count == 36)
    }

    @Test func theLimitOfAMinute() async throws {
        let gateway = try await GatewayFixture(rateLimit: .init(global: 2))
        for (status, remaining) in [(200, "1"), (200, "0"), (429, "0")] {
            let answer = try await gateway.call("GET /v1/forms")
            #expect(answer.status == status)
            #expect(answer["x-ratelimit-remaining"] == remaining)
            #expect(answer["RateLimit"]?.hasPrefix("\"global\";r=\(remaining);t=") == true)
            #expect(answer["RateLimit-Policy"] == "\"global\";q=2;w=60")
            #expect((answer["Retry-After"] != nil) == (answer.status == 429))
        }
    }

    /// Each caller has its own quota, and the strictest limit is the one that is told.
    @Test func limitsOfCallers() async throws {
        var limited = CredentialSettings(
            name: "limited", username: "limited", secrets: [.text(SensitiveText("limited-secret"))],
            scopes: [.createAliases])
        limited.rateLimit = 2
        let gateway = try await GatewayFixture(rateLimit: .init(address: 4), credentials: [limited])
        func call(_ line: String, _ headers: [String]) async throws -> GatewayFixture.Response {
            try await gateway.call(line, headers, json: Self.good)
        }
        let own = ["Authorization: Bearer limited-secret"]
        let first = try await call("POST /v1/forms/checkout/aliases", own)
        #expect(first.status == 201 && first["RateLimit"]?.hasPrefix("\"credential\";r=1") == true)
        #expect(first["RateLimit-Policy"] == "\"address\";q=4;w=60, \"credential\";q=2;w=60")
        #expect(try await call("POST /v1/forms/checkout/aliases", own).status == 201)
        #expect(try await call("POST /v1/forms/checkout/aliases", own).status == 429)
        // What failed before the caller was asked for counts, too; preflights don't.
        for _ in 0..<9 {
            let preflight = [
                "Origin: https://shop.example", "Access-Control-Request-Method: POST",
            ]
            let answer = try await gateway.call("OPTIONS /v1/forms/checkout/aliases", preflight)
            #expect(answer.status == 204 && answer["RateLimit"] == nil)
        }
        #expect(try await call("POST /v1/forms/none/aliases", []).status == 404)
        let last = try await call("POST /v1/forms/checkout/validate", [])
        #expect(last.status == 429 && last["RateLimit"]?.hasPrefix("\"address\";r=0") == true)
    }

    /// Only what is answered as a preflight is free, not what else looks like one: it is carried out like any request.
    @Test(arguments: [
        ("/v1/forms", true), ("/v1/forms/checkout/aliases", true), ("/v1/forms/none/aliases", true),
        ("/v1/sessions/current", true), ("/v1/nothing", true), ("/v1/routes/echo/x", false), ("/v1/routes/none", false),
        ("/aliases", false), ("/aliases/x", false), ("/aliases/delete", false), ("/tokens", false),
        ("/erasures/x", false), ("/v1/sessions", false), ("/oauth/token", false), ("/elements/v1/x.js", false),
        ("/demo", false), ("/docs", false), ("/openapi.json", false),
    ])
    func whatIsAnsweredAsAPreflightIsFree(path: String, isFree: Bool) async throws {
        let gateway = try await GatewayFixture(rateLimit: .init(global: 2))
        let preflight = ["Origin: https://shop.example", "Access-Control-Request-Method: POST"]
        for round in 1...4 {
            let answer = try await gateway.call("OPTIONS \(path)", preflight)
            if isFree {
                #expect(answer.status == 204 && answer["RateLimit"] == nil)
            } else {
                #expect((answer.status == 429) == (round > 2) && answer["RateLimit"] != nil)
            }
        }
    }

    /// What is about no form, or about one that does not exist, is read by pages of all forms (proxy.md section 6).
    @Test(arguments: [
        ("GET /v1/forms", 200, "GET, HEAD, OPTIONS"), ("POST /v1/forms/none/aliases", 404, "POST, OPTIONS"),
        ("GET /v1/forms/none", 404, "GET, HEAD, OPTIONS"), ("DELETE /v1/sessions/current", 401, "DELETE"),
        ("PUT /v1/forms/none/send/x", 404, "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS"),
        ("GET /v1/nothing", 404, "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS"),
    ])
    func pagesReadWhatIsAboutNoForm(line: String, status: Int, methods: String) async throws {
        let gateway = try await GatewayFixture()
        let answer = try await gateway.call(line, ["Origin: https://shop.example"])
        #expect(answer.status == status && answer["Access-Control-Allow-Origin"] == "https://shop.example")
        let other = try await gateway.call(line, ["Origin: https://other.example"])
        #expect(other["Access-Control-Allow-Origin"] == nil && other["Vary"] == "Origin")
        let path = line.split(separator: " ")[1]
        let preflight = try await gateway.call(
            "OPTIONS \(path)", ["Origin: https://shop.example", "Access-Control-Request-Method: POST"])
        #expect(preflight.status == 204)
        #expect(preflight["Access-Control-Allow-Methods"] == methods && preflight["Allow"] == methods)
        guard status != 404 else { return }
        let refused = try await gateway.call("POST \(path)")
        #expect(refused.status == 405 && refused["Allow"] == methods)
    }

    @Test func headersThatPagesMaySend() async throws {
        let gateway = try await GatewayFixture(
            form: GatewayFixture.checkout.replacing(
                "route: echo", with: "route: echo\nallowedHeaders: [X-Csrf-Token, authorization]"))
        let preflight = try await gateway.call(
            "OPTIONS /v1/forms/checkout/send/x",
            ["Origin: https://shop.example", "Access-Control-Request-Method: POST"])
        #expect(
            preflight["Access-Control-Allow-Headers"]
                == "Authorization, Content-Type, Idempotency-Key, VGS-Route-Id, X-Request-Id, Cloakroom-Form-Version, X-Csrf-Token"
        )
    }

    /// Tries of secrets cost the address that makes them ever longer waits (PCI DSS 8.3.4).
    @Test func wrongSecretsMustWait() async throws {
        let gateway = try await GatewayFixture(trustedProxies: ["127.0.0.1"])
        func status(_ secret: String, from address: String) async throws -> Int {
            try await gateway.call(
                "POST /v1/forms/checkout/aliases",
                ["Authorization: Bearer \(secret)", "X-Forwarded-For: \(address)"], json: Self.good
            ).status
        }
        var statuses: [Int] = []
        for number in 0..<8 { statuses.append(try await status("wrong-\(number)", from: "192.0.2.1")) }
        #expect(statuses == [401, 401, 401, 401, 401, 401, 429, 429])
        #expect(try await status("dev-secret", from: "192.0.2.1") == 429)
        // The same wrong secret again is no new try.
        #expect(try await status("wrong-0", from: "192.0.2.1") == 401)
        for _ in 0..<20 { #expect(try await status("wrong", from: "192.0.2.3") == 401) }
        #expect(try await status("dev-secret", from: "192.0.2.3") == 201)
        #expect(try await status("dev-secret", from: "192.0.2.2") == 201)
    }

    /// A compressed body is not read as if it were none (RFC 9110 section 15.5.16).
    @Test(arguments: [("gzip", 415), ("identity, br", 415), ("identity", 200), ("", 200)])
    func aContentCodingIsNotRead(_ coding: String, status: Int) async throws {
        let answer = try await GatewayFixture().call(
            "POST /v1/forms/checkout/validate", ["Content-Encoding: \(coding)"], json: #"{"fields":{}}"#)
        #expect(answer.status == status)
    }
}
