import AuditLogTesting
import JSON
import Testing
import Vault

@testable import Gateway

@Suite struct VaultCallsTests {
    private static let card = "{\"value\":\"4539600166594134\",\"format\":\"FPE_SIX_T_FOUR\"}"

    @Test(arguments: [
        ("POST /aliases", "{}", "data must be an array with at least one item"),
        ("POST /aliases", "{\"data\":[]}", "data must be an array with at least one item"),
        ("POST /aliases", "{\"data\":[],\"x\":1}", "unknown member x; allowed: data"),
        ("POST /aliases", "[]", "the body must be a JSON object with data, not an array"),
        ("POST /tokens", "{\"data\":[1,2,3,4]}", "Too many values (limit: 3)"),
        (
            "POST /aliases",
            "{\"data\":[{\"value\":\"\",\"format\":\"UUID\"},{\"value\":\"12\",\"format\":\"FPE_SIX_T_FOUR\"}]}",
            "data[1]: value does not fit format FPE_SIX_T_FOUR"
        ),
        (
            "POST /aliases",
            "{\"data\":[{\"alias\":\"a\",\"format\":\"UUID\"},{\"alias\":\"a\",\"format\":\"RAW_UUID\"}]}",
            "alias referenced twice: a"
        ),
        ("GET /aliases", nil, "give exactly one of q and aliases"),
        ("GET /aliases?q=a,b,c,d", nil, "Too many values (limit: 3)"),
        ("PUT /aliases/a", "{\"data\":{}}", "data must be an object with classifiers, an array of strings"),
        ("POST /aliases/delete", "{\"data\":[]}", "data must be an array with at least one alias"),
        ("POST /aliases/delete", "{}", "data must be an array of aliases"),
        ("POST /aliases/delete", "{\"data\":[1]}", "data must be an array of aliases"),
        ("POST /aliases/delete", "{\"data\":[\"a\",\"\"]}", "data must be an array of aliases"),
        ("POST /aliases/delete", "{\"data\":[\"a\",\"a\",\"a\",\"a\"]}", "Too many values (limit: 3)"),
        ("DELETE /aliases/a?storage=X", nil, "storage must be PERSISTENT or VOLATILE"),
        ("GET /aliases?q=a&storage=PERSISTENT&storage=PERSISTENT", nil, "storage must be given once"),
    ])
    func badRequests(line: String, json: String?, detail: String) async throws {
        let answer = try await GatewayFixture().call(line, [GatewayFixture.dev], json: json)
        #expect(answer.status == 400)
        #expect(answer.detail == detail)
        #expect(answer["Content-Type"] == "application/json")
    }

    @Test(arguments: [
        ("POST /aliases", GatewayFixture.nobody), ("POST /tokens", GatewayFixture.nobody),
        ("GET /aliases?q=a", GatewayFixture.writer), ("GET /aliases/a", GatewayFixture.writer),
        ("PUT /aliases/a", GatewayFixture.writer), ("DELETE /aliases/a", GatewayFixture.writer),
        ("POST /aliases/delete", GatewayFixture.writer),
    ])
    func everyCallNeedsItsScope(line: String, credential: String) async throws {
        let gateway = try await GatewayFixture()
        let missing = try await gateway.call(line, json: "{}")
        #expect(missing.status == 401)
        #expect(
            missing["WWW-Authenticate"] == "Basic realm=\"cloakroom\", charset=\"UTF-8\", Bearer realm=\"cloakroom\"")
        let forbidden = try await gateway.call(line, [credential], json: "{}")
        #expect(forbidden.status == 403)
        #expect(forbidden.body.contains("\"title\":\"Forbidden\""))
    }

    /// A reference is answered with the value behind it.
    @Test func referencesNeedTheRightToReveal() async throws {
        let gateway = try await GatewayFixture()
        let json = "{\"data\":[{\"alias\":\"a\",\"format\":\"UUID\"}]}"
        let forbidden = try await gateway.call(
            "POST /aliases", [GatewayFixture.writer, "X-Request-Id: r1"], json: json)
        #expect(forbidden.status == 403)
        #expect(try await gateway.call("POST /aliases", [GatewayFixture.dev], json: json).status == 404)
        let lines = try await gateway.audit.lines().filter { $0.contains("\"r1\"") }
        #expect(lines.count == 1 && lines[0].contains(#""event":"reveal","outcome":"forbidden""#), "\(lines)")
    }

    private func alias(_ storage: String, in gateway: GatewayFixture) async throws -> String {
        let made = try await gateway.call(
            "POST /aliases", [GatewayFixture.dev],
            json: #"{"data":[{"value":"v","format":"UUID","storage":"\#(storage)"}]}"#)
        let stored = made.json?.object?["data"]?.array?.first?.object
        return try #require(stored?["aliases"]?.array?.first?.object?["alias"]?.string)
    }

    /// `?storage=` holds for references, whatever they name themselves.
    @Test(arguments: ["aliases", "tokens"])
    func theStorageOfReferences(path: String) async throws {
        let gateway = try await GatewayFixture()
        for (own, other) in [("PERSISTENT", "VOLATILE"), ("VOLATILE", "PERSISTENT")] {
            let alias = try await alias(own, in: gateway)
            for (query, member, status) in [
                ("", "", 201), ("?storage=\(own)", "", 201), ("?storage=\(other)", "", 404),
                ("?storage=\(other)", #","storage":"\#(own)""#, 404),
                ("?storage=\(own)", #","storage":"\#(own)""#, 201),
                ("?storage=\(own)", #","storage":"\#(other)""#, 404), ("?storage=DISK", "", 400),
                ("?storage=", "", 400),
            ] {
                let answer = try await gateway.call(
                    "POST /\(path)\(query)", [GatewayFixture.dev],
                    json: #"{"data":[{"alias":"\#(alias)","format":"RAW_UUID"\#(member)}]}"#)
                #expect(answer.status == status, "\(query) \(member)")
                if status == 404 { #expect(answer.detail == "Unknown alias: \(alias)") }
            }
        }
    }

    /// `?storage=` says nothing of a value's own storage, and must not seem to: a card code would be written to the disk.
    @Test(arguments: ["aliases", "tokens"])
    func theStorageOfNewValuesIsNotInTheQuery(path: String) async throws {
        let gateway = try await GatewayFixture()
        let known = #"{"alias":"\#(try await alias("VOLATILE", in: gateway))","format":"UUID"}"#
        for (items, index) in [
            (#"{"value":"321","format":"UUID"}"#, 0), (#"{"value":"321","format":"UUID","storage":"VOLATILE"}"#, 0),
            (#"{"value":"","format":"UUID"}"#, 0), (known + #",{"value":"321","format":"UUID"}"#, 1),
        ] {
            let stored = gateway.vault.metrics.created
            let answer = try await gateway.call(
                "POST /\(path)?storage=VOLATILE", [GatewayFixture.dev], json: #"{"data":[\#(items)]}"#)
            #expect(answer.status == 400, "\(items)")
            #expect(
                answer.detail
                    == "data[\(index)]: storage in the query is for aliases; a value has a member storage of its own")
            #expect(gateway.vault.metrics.created == stored)
        }
    }

    @Test func theLifeOfAnAlias() async throws {
        let gateway = try await GatewayFixture()
        let dev = [GatewayFixture.dev]
        let json = "{\"data\":[\(Self.card),{\"value\":\"\",\"format\":\"UUID\"}]}"
        let made = try await gateway.call("POST /aliases", dev, json: json)
        #expect(made.status == 201)
        guard case .array(let items)? = made.json?.object?["data"],
            case .array(let aliases)? = items[0].object?["aliases"]
        else { return #expect(Bool(false)) }
        let alias = try #require(aliases[0].object?["alias"]?.string)
        #expect(items[1].object?["aliases"]?.array?.isEmpty == true)
        #expect(items[0].object?["created_at"]?.string?.hasSuffix("Z") == true)

        #expect(
            try await gateway.call("PUT /aliases/\(alias)", dev, json: "{\"data\":{\"classifiers\":[\"pan\"]}}").status
                == 204)
        let several = try await gateway.call("GET /aliases?q=\(alias),\(alias)", dev)
        #expect(several.status == 200)
        let stored = several.json?.object?["data"]?.object?[alias]?.object
        #expect(stored?["value"]?.string == "4539600166594134")
        #expect(stored?["classifiers"]?.array?.first?.string == "pan")
        let one = try await gateway.call("GET /aliases/\(alias)", dev)
        #expect(one.json?.object?["data"]?.array?.count == 1)
        #expect(try await gateway.call("GET /aliases/\(alias)?storage=VOLATILE", dev).status == 404)

        let unknown = try await gateway.call("GET /aliases?aliases=\(alias),x,y", dev)
        #expect(unknown.status == 404)
        #expect(unknown.json?.object?["errors"]?.array?.count == 2)
        #expect(!unknown.body.contains("4539600166594134"))

        let contradicted = try await gateway.call(
            "POST /aliases/delete?storage=VOLATILE", dev, json: #"{"data":["\#(alias)"],"storage":"PERSISTENT"}"#)
        #expect(contradicted.status == 404)

        #expect(try await gateway.call("DELETE /aliases/\(alias)", dev).status == 204)
        let again = try await gateway.call("DELETE /aliases/\(alias)?storage=PERSISTENT", dev)
        #expect(again.status == 404)
        #expect(again.detail == "Unknown alias: \(alias)")
        #expect(again.body.contains("\"href\":\"http://gateway.example/aliases/\(alias)\""))
    }

    /// Both planes say what is full, and that it passes.
    @Test func aFullVolatileStorage() async throws {
        let gateway = try await GatewayFixture(volatileCapacity: 1)
        let code = #"{"value":"321","format":"UUID","storage":"VOLATILE"}"#
        for status in [201, 503] {
            let answer = try await gateway.call("POST /aliases", [GatewayFixture.dev], json: #"{"data":[\#(code)]}"#)
            #expect(answer.status == status && (answer["Retry-After"] != nil) == (status == 503))
            #expect(answer.detail?.hasPrefix("the volatile storage is full") == (status == 503 ? true : nil))
        }
        let form = try await gateway.call(
            "POST /v1/forms/checkout/tokens", json: #"{"fields":{"card_number":"4539600166594134","cvc":"321"}}"#)
        #expect(form.status == 503 && form.problem == "503/unavailable")
        #expect(form.body.contains("the volatile storage is full"))
    }

    @Test(arguments: ["PATCH /aliases", "POST /aliases/a", "GET /tokens", "DELETE /tokens", "PATCH /aliases/a"])
    func otherMethods(line: String) async throws {
        let answer = try await GatewayFixture().call(line, [GatewayFixture.dev])
        #expect(answer.status == 405)
        #expect(answer["Allow"] != nil)
        #expect(answer.body.contains("\"title\":\"Method not allowed\""))
    }
}
