import AuditLogTesting
import HTTPWire
import JSON
import Testing

@testable import Configuration
@testable import EventHTTP
@testable import Gateway

/// Aliases of this vault that look like card numbers are no finds, however many there are (`docs/reference/proxy.md` section 10).
@Suite struct StoredAliasTests {
    private static let other = "5555555555554444"

    private static func form(_ action: String) -> String {
        """
        form: checkout
        route: orders
        guard: {pan: \(action)}
        fields:
          - {name: card_number, type: cardNumber, tokenization: {}}
        """
    }

    /// The card number that begins with so many digits, of 16.
    private static func card(_ index: Int) -> String {
        let digits = "411111" + String(1_000_000_000 + index * 7_919).dropFirst()
        var sum = 0
        for (index, digit) in digits.utf8.reversed().enumerated() {
            let value = Int(digit - 0x30) * (index % 2 == 0 ? 2 : 1)
            sum += value > 9 ? value - 9 : value
        }
        return digits + String((10 - sum % 10) % 10)
    }

    private func gateway(_ action: String, _ upstream: StandIn) async throws -> GatewayFixture {
        var gateway = try await GatewayFixture(
            form: Self.form(action),
            routes: routes(
                """
                {name: orders, kind: upstream, url: "\(upstream.url)", allowPlaintext: true, forwardHeaders: [X-Note], \
                responseHeaders: [Content-Type, X-Note]}
                  - {name: acquirer, kind: reveal, url: "\(upstream.url)", allowPlaintext: true, guard: {pan: \(action)}}
                """))
        gateway.upstream = upstream
        return gateway
    }

    /// Aliases of earlier calls.
    private func aliases(_ count: Int, _ gateway: GatewayFixture) async throws -> [String] {
        var aliases: [String] = []
        for index in 0..<count {
            let made = try await gateway.call(
                "POST /aliases", [GatewayFixture.dev],
                json: #"{"data":[{"value":"\#(Self.card(index))","format":"FPE_SIX_T_FOUR"}]}"#)
            let stored = made.json?.object?["data"]?.array?.first?.object?["aliases"]?.array?.first
            aliases.append(try #require(stored?.object?["alias"]?.string))
        }
        return aliases
    }

    private func findings(_ gateway: GatewayFixture) async throws -> Int {
        try await gateway.audit.lines().count { $0.contains(#""event":"cardNumber""#) }
    }

    /// More of them than places of finds are reported, and one of them many times in front of the others.
    @Test(arguments: ["refuse", "mask"])
    func many(action: String) async throws {
        let upstream = try StandIn { request in
            ServerResponse(
                status: 200, headers: [("Content-Type", "application/json"), ("X-Note", request["X-Note"] ?? "")],
                body: Array(request.body.utf8))
        }
        let gateway = try await gateway(action, upstream)
        let aliases = try await aliases(25, gateway)
        let listed = [String](repeating: aliases[0], count: 25) + aliases
        let list = "[" + listed.map { "\"\($0)\"" }.joined(separator: ",") + "]"
        for (found, (line, body)) in [
            ("POST /v1/forms/checkout/send/a", #"{"fields":{"card_number":""},"extraData":{"cards":\#(list)}}"#),
            ("POST /v1/routes/acquirer/a", #"{"cards":\#(list)}"#),
        ].enumerated() {
            let note = listed.joined(separator: " ")
            let answer = try await gateway.call(line, [GatewayFixture.dev, "X-Note: \(note)"], json: body)
            #expect(answer.status == 200 && answer.body.contains(list), "\(answer.body)")
            #expect(line.contains("routes") || answer["X-Note"] == note)
            #expect(try await findings(gateway) == found)
            // Besides all of them a card number is one.
            let count = upstream.requests.count
            let mixed = try await gateway.call(
                line, [GatewayFixture.dev], json: body.replacing(list, with: list.dropLast() + ",\"\(Self.other)\"]"))
            if action == "refuse" {
                #expect(mixed.problem == "400/cardNumberRefused" && mixed.body.contains("/cards/50"))
                #expect(upstream.requests.count == count)
            } else {
                #expect(mixed.status == 200 && mixed.body.contains(list.dropLast() + ",\"************4444\"]"))
            }
            #expect(try await findings(gateway) == found + 1)
        }
    }

    /// Those of the call itself take nothing of what is looked up, nor does what has been found before; there is an end all the same.
    @Test func whatIsLookedUp() {
        var numbers = NumbersToLookUp(exempt: [Self.card(0)])
        let texts = (0..<NumbersToLookUp.limit + 20).map(Self.card)
        for text in [texts[0], texts[1], texts[0], texts[1], texts[2]] { numbers.add("a \(text) b".utf8Span.span) }
        #expect(numbers.texts == [texts[1], texts[2]])
        numbers.add(texts.joined(separator: ",").utf8Span.span)
        #expect(numbers.texts == Array(texts[1...NumbersToLookUp.limit]))
    }
}
