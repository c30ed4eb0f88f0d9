import AuditLogTesting
import HTTPWire
import Testing

@testable import Configuration
@testable import EventHTTP
@testable import Gateway

/// What the guard takes for text in which it finds card numbers, and for JSON (`docs/reference/proxy.md` section 10).
@Suite struct GuardedTextTests {
    private static let card = "5555555555554444"
    private static let masked = "************4444"

    private func gateway(_ action: String, _ upstream: StandIn, _ more: String = "") async throws -> GatewayFixture {
        let guarded = "url: \"\(upstream.url)\", allowPlaintext: true, guard: {pan: \(action)}"
        var gateway = try await GatewayFixture(
            form: "{form: checkout, route: orders, fields: [{name: note}]}",
            routes: routes(
                """
                {name: orders, kind: upstream, \(guarded)}
                  - {name: acquirer, kind: reveal, \(guarded)\(more)}
                """))
        gateway.upstream = upstream
        return gateway
    }

    private static let bodies: [(headers: [String], body: String, isGuarded: Bool)] = [
        (["Content-Type: text/plain"], "card \(card)", true),
        (["Content-Type: text/plain", "Content-Encoding: identity"], "card \(card)", true),
        (["Content-Type: text/plain; charset=iso-8859-1"], "card \(card)", true),
        (["Content-Type: image/png"], "\0\(card)", true), ([], "card \(card)", true),
        (["Content-Type: text/plain", "Content-Encoding: gzip"], "\u{1F}compressed", false),
        (["Content-Type: application/octet-stream", "Content-Encoding: identity, br"], "compressed", false),
        (["Content-Type: text/plain; charset=utf-16le"], wide(card), false),
        (["Content-Type: text/plain"], wide(card), false), ([], wide(card), false),
        (["Content-Type: application/vnd.x+xml"], wide("<a>\(card)</a>"), false),
        (["Content-Type: text/xml"], "<?xml version=\"1.0\" encoding=\"utf-7\"?><a/>", false),
        (["Content-Type: text/plain; charset=ibm037"], "x", false),
        (["Content-Type: application/json; charset=utf-16"], "{}", false),
    ]

    /// In UTF-16LE, of letters of ASCII.
    private static func wide(_ text: String) -> String { text.map { "\($0)\0" }.joined() }

    /// What can't be looked through is not sent where a find would not be.
    @Test(arguments: ["refuse", "mask", "report", "off"], bodies)
    func bodiesOfReveals(action: String, request: (headers: [String], body: String, isGuarded: Bool)) async throws {
        let upstream = try StandIn(json: "{}")
        let gateway = try await gateway(action, upstream)
        let answer = try await gateway.call(
            "POST /v1/routes/acquirer/a", [GatewayFixture.dev] + request.headers, body: request.body)
        let passes = action == "report" || action == "off"
        switch (passes, request.isGuarded) {
        case (true, _): #expect(answer.status == 200 && upstream.requests.first?.body == request.body)
        case (false, false):
            #expect(answer.problem == "415/unsupportedMediaType" && answer.body.contains("the route's guard"))
            #expect(upstream.requests.isEmpty)
        case (false, true) where action == "mask":
            let masked = request.body.replacing(Self.card, with: Self.masked)
            #expect(answer.status == 200 && upstream.requests.first?.body == masked)
        case (false, true): #expect(answer.problem == "400/cardNumberRefused" && upstream.requests.isEmpty)
        }
    }

    /// Where there is nothing to look through, nothing is in the way.
    @Test func noBody() async throws {
        let upstream = try StandIn(json: "{}")
        let gateway = try await gateway("refuse", upstream)
        let answer = try await gateway.call(
            "POST /v1/routes/acquirer/a", [GatewayFixture.dev, "Content-Encoding: gzip"], body: "")
        #expect(answer.status == 200 && upstream.requests.count == 1)
    }

    private static let types: [(type: String, isJSON: Bool)] = [
        ("application/json", true), ("Application/JSON; charset=utf-8", true), ("text/json", true),
        ("application/problem+json", true), ("application/x-ndjson", true), ("application/jsonl", true),
        ("application/json-seq", true), ("text/plain", false), ("text/csv", false),
        ("application/x-www-form-urlencoded", false), ("application/octet-stream", false),
    ]

    /// A number of JSON becomes a text, in what a form's upstream returns, in what a reveal route's does, and in what is sent to that.
    @Test(arguments: types, [0, 80_000])
    func numbers(content: (type: String, isJSON: Bool), padding: Int) async throws {
        let rest = "{\"p\":\"\(String(repeating: "x", count: padding))\"}\n"
        let body = "{\"a\":\(Self.card)}\n{\"b\":-\(Self.card).0}\n" + rest
        let masked = content.isJSON ? "\"\(Self.masked)\"" : Self.masked
        let expected =
            "{\"a\":\(masked)}\n{\"b\":\(content.isJSON ? masked : "-\(masked).0")}\n" + rest
        let upstream = try StandIn { _ in
            ServerResponse(status: 200, headers: [("Content-Type", content.type)], body: Array(body.utf8))
        }
        let gateway = try await gateway("mask", upstream, ", reveal: {body: false}")
        let sent = try await gateway.call("POST /v1/forms/checkout/send/a", json: #"{"fields":{"note":"x"}}"#)
        #expect(sent.status == 200 && sent.body == expected)
        let revealed = try await gateway.call(
            "POST /v1/routes/acquirer/a", [GatewayFixture.dev, "Content-Type: \(content.type)"], body: body)
        #expect(revealed.status == 200 && revealed.body == expected)
        #expect(upstream.requests.last?.body == expected)
    }

    /// A part may begin within a text, so that nothing tells where quotes belong; a type that is said twice is that type.
    @Test(arguments: [
        (206, ["application/json"], false),
        (200, ["application/json; charset=utf-8", "application/json; charset=utf-8"], true),
    ])
    func numbersOfPartsAndOfTypesThatAreSaidTwice(status: Int, types: [String], isJSON: Bool) async throws {
        let upstream = try StandIn { _ in
            ServerResponse(
                status: status, headers: types.map { ("Content-Type", $0) }, body: Array("{\"a\":\(Self.card)}".utf8))
        }
        let gateway = try await gateway("mask", upstream)
        let sent = try await gateway.call("POST /v1/forms/checkout/send/a", json: #"{"fields":{"note":"x"}}"#)
        #expect(sent.status == status && sent.body == "{\"a\":\(isJSON ? "\"\(Self.masked)\"" : Self.masked)}")
    }
}
