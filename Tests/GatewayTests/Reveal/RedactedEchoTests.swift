import AuditLogTesting
import JSON
import Testing
import Vault
import VaultTesting

@testable import Gateway

/// What `redact` rules may keep of what the same call has revealed.
@Suite("Redacted echoes")
struct RedactedEchoTests {
    private static let rules =
        "[{pointer: /code, format: UUID}, {pointer: /note, format: UUID}, {pointer: /number, format: FPE_SIX_T_FOUR}]"
    private static let card = "4539600166594134"

    private func gateway(_ upstream: StandIn, _ rules: String, volatileCapacity: Int = 1_000) async throws
        -> GatewayFixture
    {
        var gateway = try await GatewayFixture(
            routes: routes(
                """
                {name: acquirer, kind: reveal, url: "\(upstream.url)", allowPlaintext: true, redact: \(rules)}
                """), volatileCapacity: volatileCapacity)
        gateway.upstream = upstream
        return gateway
    }

    private func alias(_ item: String, _ gateway: GatewayFixture) async throws -> String {
        let created = try await gateway.call(
            "POST /aliases", [GatewayFixture.dev], json: "{\"data\":[{\(item)}]}")
        let aliases = created.json?.object?["data"]?.array?.first?.object?["aliases"]?.array
        return try #require(aliases?.first?.object?["alias"]?.string)
    }

    /// A security code that may only live in memory, and a value that ends, are answered with the alias that was sent: nothing is stored.
    @Test(arguments: [#""storage":"VOLATILE""#, #""ttl":"1h""#])
    func whatEndsIsNotStored(end: String) async throws {
        let upstream = try StandIn(json: #"{"code":"4827","note":"CVC 4827 declined","number":"x"}"#)
        let gateway = try await gateway(upstream, Self.rules)
        let code = try await alias(#""value":"4827","format":"UUID",\#(end)"#, gateway)
        let answer = try await gateway.call(
            "POST /v1/routes/acquirer/a", [GatewayFixture.dev], json: #"{"code":"\#(code)"}"#)
        #expect(upstream.requests.last?.body == #"{"code":"4827"}"#)
        let json = try #require(answer.json?.object)
        #expect(json["code"]?.string == code)
        let note = try #require(json["note"]?.string)
        let number = try #require(json["number"]?.string)
        #expect(await gateway.vault.value(note) == "CVC \(code) declined")
        #expect(await gateway.vault.value(number) == "x")
        #expect(try await gateway.audit.lines().count { $0.contains(#""event":"redact""#) } == 2)
    }

    /// Rules are held against the response as it came: no value that somebody has stored changes what they find, nor a card number whose
    /// group it is.
    @Test(arguments: ["number", #"","number":""#, "4539", "x\":\"y"])
    func rulesFindWhatCame(value: String) async throws {
        let upstream = try StandIn(json: #"{"note":"a","number":"4539 6001 6659 4134"}"#)
        let gateway = try await gateway(upstream, Self.rules)
        let text = #"{"value":\#(quoted(value)),"format":"UUID","storage":"VOLATILE"}"#
        let alias = try await alias(String(text.dropFirst().dropLast()), gateway)
        let answer = try await gateway.call(
            "POST /v1/routes/acquirer/a", [GatewayFixture.dev], json: #"{"x":"\#(alias)"}"#)
        #expect(answer.status == 200 && !answer.body.contains("6001"))
        let stored = answer.json?.object?["number"]?.string
        let name = value == "number" ? alias : "number"
        let number = try #require(stored ?? answer.json?.object?[name]?.string)
        #expect(await gateway.vault.value(number) == "4539 6001 6659 4134")
    }

    private func quoted(_ text: String) -> String {
        var json = JSONWriter(capacity: 64)
        json.string(text)
        return String(decoding: json.bytes, as: UTF8.self)
    }

    /// What is stored for good already gets an alias in the format of the rule.
    @Test func whatStaysIsRedacted() async throws {
        let upstream = try StandIn(json: #"{"number":"\#(Self.card)"}"#)
        let gateway = try await gateway(upstream, Self.rules)
        let sent = try await alias(#""value":"\#(Self.card)","format":"UUID""#, gateway)
        let answer = try await gateway.call(
            "POST /v1/routes/acquirer/a", [GatewayFixture.dev], json: #"{"card":"\#(sent)"}"#)
        let alias = try #require(answer.json?.object?["number"]?.string)
        #expect(alias != sent && alias.hasPrefix("453960") && alias != Self.card)
        #expect(await gateway.vault.value(alias) == Self.card)
    }

    /// Places in memory have a share for each caller, whichever way its values come.
    @Test func placesAreShared() async throws {
        let texts = (0..<9).map { "\"text \($0)\"" }.joined(separator: ",")
        let upstream = try StandIn(json: "{\"list\":[\(texts)]}")
        let gateway = try await gateway(
            upstream, "[{pointer: \"/list/*\", format: UUID, storage: VOLATILE}]", volatileCapacity: 20)
        func call() async throws -> GatewayFixture.Response {
            try await gateway.call("POST /v1/routes/acquirer/a", [GatewayFixture.dev], json: "{}")
        }
        #expect(try await call().status == 200)
        // One place is left in the caller's share, and ten in all: the response would need nine.
        let beyond = try await call()
        #expect(beyond.problem == "502/answerWithheld" && upstream.requests.count == 2)
        _ = try await alias(#""value":"a","format":"UUID","storage":"VOLATILE""#, gateway)
        // Now none is: nothing is sent.
        let refused = try await call()
        #expect(refused.status == 503 && refused["Retry-After"] != nil && upstream.requests.count == 2)
        #expect(gateway.vault.metrics.created == 10)
    }
}
