import AuditLog
import AuditLogTesting
import Foundation
import JSON
import Sensitive
import Testing

@testable import Access
@testable import Configuration
@testable import Gateway

/// The token endpoint (docs/reference/access.md section 3; RFC 6749 sections 4.4 and 5.2).
@Suite struct AccessTokenCallTests {
    private static let type = "Content-Type: application/x-www-form-urlencoded"
    private static let grant = "grant_type=client_credentials"
    private static let paths = ["/oauth/token", "/auth/realms/vgs/protocol/openid-connect/token"]
    private static let create = #"{"data":[{"value":"4539600166594134","format":"UUID"}]}"#

    private func token(_ gateway: GatewayFixture, _ path: String, _ body: String, _ headers: [String] = []) async throws
        -> JSONObject
    {
        let response = try await gateway.call("POST \(path)", [Self.type] + headers, body: body)
        #expect(response.status == 200, "\(response.body)")
        #expect(response["Cache-Control"] == "no-store")
        return try #require(response.json?.object)
    }

    @Test(arguments: paths) func forAllThatTheCredentialMay(path: String) async throws {
        let gateway = try await GatewayFixture(form: SessionCallTests.form)
        for (body, headers) in [
            ("\(Self.grant)&client_id=dev&client_secret=dev-secret", []), (Self.grant, [GatewayFixture.dev]),
        ] {
            let made = try await token(gateway, path, body, headers)
            #expect(made["token_type"]?.string == "Bearer")
            #expect(made["expires_in"]?.int64 == 1_200)
            #expect(made["scope"]?.string?.contains("aliases:reveal") == true)
            let bearer = ["Authorization: Bearer \(try #require(made["access_token"]?.string))"]
            let stored = try await gateway.call("POST /aliases", bearer, json: Self.create)
            #expect(stored.status == 201)
            let alias = try #require(
                stored.json?.object?["data"]?.array?.first?.object?["aliases"]?.array?.first?.object?["alias"]?.string)
            #expect(try await gateway.call("GET /aliases/\(alias)", bearer).status == 200)
            let submission = #"{"fields":{"card_number":"4539600166594134","cvc":"123","note":"n"}}"#
            #expect(try await gateway.call("POST /v1/forms/checkout/tokens", bearer, json: submission).status == 201)
        }
    }

    @Test func fewerScopes() async throws {
        let gateway = try await GatewayFixture()
        let made = try await token(
            gateway, Self.paths[0], "\(Self.grant)&client_id=dev&client_secret=dev-secret&scope=aliases%3Acreate")
        #expect(made["scope"]?.string == "aliases:create")
        let bearer = ["Authorization: Bearer \(try #require(made["access_token"]?.string))"]
        #expect(try await gateway.call("POST /aliases", bearer, json: Self.create).status == 201)
        #expect(try await gateway.call("GET /aliases/x", bearer).status == 403)
    }

    /// The last is the outcome that is recorded: without name and secret nothing was tried.
    private static let errors: [(String, [String], Int, String, String?)] = [
        ("client_id=dev&client_secret=dev-secret", [], 400, "invalid_request", nil),
        ("grant_type=password&client_id=dev&client_secret=dev-secret", [], 400, "unsupported_grant_type", nil),
        (grant, [], 401, "invalid_client", nil),
        ("\(grant)&client_id=dev&client_secret=wrong", [], 401, "invalid_client", "unauthorized"),
        ("\(grant)&client_id=no&client_secret=dev-secret", [], 401, "invalid_client", "unauthorized"),
        ("\(grant)&\(grant)&client_id=dev&client_secret=dev-secret", [], 400, "invalid_request", nil),
        (grant, ["Authorization: Basic ZGV2Ondyb25n"], 401, "invalid_client", "unauthorized"),
        (grant, ["Authorization: Bearer dev-secret"], 401, "invalid_client", nil),
        ("\(grant)&client_secret=dev-secret", [GatewayFixture.dev], 400, "invalid_request", nil),
        ("\(grant)&client_id=dev&client_secret=dev-secret&scope=all", [], 400, "invalid_scope", nil),
        ("\(grant)&client_id=nobody&client_secret=n", [], 400, "unauthorized_client", "forbidden"),
        ("\(grant)&client_id=writer&client_secret=w&scope=aliases:reveal", [], 400, "invalid_scope", "forbidden"),
        ("\(grant)&client_id=old&client_secret=old-secret", [], 401, "invalid_client", "forbidden"),
        ("\(grant)&client_id=far&client_secret=far-secret", [], 400, "unauthorized_client", "forbidden"),
    ]

    @Test(arguments: errors.indices) func errorsOfTheGrant(index: Int) async throws {
        let (body, headers, status, code, outcome) = Self.errors[index]
        let old = SessionCallTests.backend("old") { $0.expires = 1_000_000_000 }
        let far = SessionCallTests.backend("far") { $0.addresses = [Network("10.0.0.0/8")].compactMap(\.self) }
        let gateway = try await GatewayFixture(credentials: [old, far])
        let response = try await gateway.call("POST /oauth/token", [Self.type] + headers, body: body)
        #expect(response.status == status, "\(response.body)")
        #expect(response.json?.object?["error"]?.string == code)
        #expect((response["WWW-Authenticate"] != nil) == (status == 401))
        #expect(!response.body.contains("secret="))
        await gateway.audit.log.close()
        let events = try String(contentsOfFile: gateway.audit.path, encoding: .utf8)
        let outcomes = events.split(separator: "\n").filter { $0.contains(#""event":"sessions.create""#) }.map {
            $0.contains(#""outcome":"unauthorized""#) ? "unauthorized" : $0.contains("forbidden") ? "forbidden" : "done"
        }
        #expect(outcomes == (outcome.map { [$0] } ?? []))
    }

    /// A request for a token is one of the credential's own.
    @Test func theRateLimitOfTheCredential() async throws {
        let limited = SessionCallTests.backend("limited") { $0.rateLimit = 2 }
        let gateway = try await GatewayFixture(credentials: [limited])
        let body = "\(Self.grant)&client_id=limited&client_secret=limited-secret"
        for left in [1, 0] {
            let response = try await gateway.call("POST /oauth/token", [Self.type], body: body)
            #expect(response.status == 200 && response["RateLimit"]?.hasPrefix("\"credential\";r=\(left)") == true)
        }
        let refused = try await gateway.call("POST /oauth/token", [Self.type], body: body)
        #expect(refused.status == 429 && refused["Retry-After"] != nil)
        // As clients of OAuth read it: `error` is a text (RFC 6749 section 5.2).
        #expect(refused.json?.object?["error"]?.string == "temporarily_unavailable")
        #expect(refused["Content-Type"] == "application/json")
    }

    /// One wrong secret is tried again by each new way to write it: with every letter plain or as %xx, it is another text before it is
    /// decoded and the same one after.
    @Test(arguments: ["dev", "nobody"]) func oneWrongSecretInManySpellings(name: String) async throws {
        let gateway = try await GatewayFixture()
        var statuses: [Int] = []
        for spelling in 1..<9 {
            let secret = "wrong".utf8.enumerated().map { place, letter in
                spelling >> place & 1 == 1 ? "%" + String(letter, radix: 16) : String(UnicodeScalar(letter))
            }
            statuses.append(try await status(of: "\(name):\(secret.joined())", gateway))
        }
        // Five failures of an address are free, and the sixth makes it wait.
        #expect(statuses == [401, 401, 401, 401, 401, 401, 429, 429])
    }

    /// A right secret is found in whichever reading it has, and what the other reading is does not count.
    @Test func aRightSecretInManySpellings() async throws {
        let gateway = try await GatewayFixture()
        for place in 0..<8 {
            let secret = "dev-secret".utf8.enumerated().map {
                $0 == place ? "%" + String($1, radix: 16) : String(UnicodeScalar($1))
            }
            #expect(try await status(of: "dev:\(secret.joined())", gateway) == 200)
        }
        #expect(try await status(of: "dev:wrong", gateway) == 401)
        #expect(try await status(of: "writer:w", gateway) == 200)
    }

    private func status(of client: String, _ gateway: GatewayFixture) async throws -> Int {
        let basic = "Authorization: Basic \(Data(client.utf8).base64EncodedString())"
        return try await gateway.call("POST /oauth/token", [Self.type, basic], body: Self.grant).status
    }

    @Test func otherRequests() async throws {
        let gateway = try await GatewayFixture()
        let read = try await gateway.call("GET /oauth/token")
        #expect(read.status == 405 && read["Allow"] == "POST")
        #expect(read.json?.object?["error"]?.string == "invalid_request")
        let twice = try await gateway.call(
            "POST /oauth/token", [Self.type, GatewayFixture.dev, GatewayFixture.dev], body: Self.grant)
        #expect(twice.status == 400 && twice.json?.object?["error"]?.string == "invalid_request")
        for (body, detail) in [
            (String(repeating: "a", count: 8_193), "8192 bytes"), (String(repeating: "a=1&", count: 2), "twice"),
        ] {
            let refused = try await gateway.call("POST /oauth/token", [Self.type], body: body)
            #expect(refused.status == 400)
            #expect(refused.json?.object?["error_description"]?.string?.contains(detail) == true, "\(refused.body)")
        }
        let json = try await gateway.call("POST /oauth/token", json: "{}")
        #expect(json.status == 400)
        #expect(json.json?.object?["error"]?.string == "invalid_request")
    }
}
