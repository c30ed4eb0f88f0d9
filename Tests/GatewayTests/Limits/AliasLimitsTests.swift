import Access
import AuditLog
import AuditLogTesting
import FormSchema
import Foundation
import JSON
import Sensitive
import Synchronization
import Testing
import Vault

@testable import Configuration
@testable import Gateway

/// What all callers share, and what one of them may find out by trying (docs/reference/access.md section 4).
@Suite struct AliasLimitsTests {
    /// Numbers of sixteen digits that agree in the first six and the last four, each with its check (ISO/IEC 7812-1 annex B).
    private func cards(_ count: Int) -> [String] {
        var found: [String] = []
        var middle = 0
        while found.count < count {
            let digits = String(middle)
            let text = "453960" + String(repeating: "0", count: 6 - digits.count) + digits + "4134"
            middle += 1
            let sum = text.reversed().enumerated().reduce(0) { sum, place in
                let digit = place.element.wholeNumberValue ?? 0
                let doubled = digit * 2 > 9 ? digit * 2 - 9 : digit * 2
                return sum + (place.offset % 2 == 0 ? digit : doubled)
            }
            if sum % 10 == 0 { found.append(text) }
        }
        return found
    }

    private func submission(_ card: String) -> String { #"{"fields":{"card_number":"\#(card)","cvc":"123"}}"# }

    /// The search for the six hidden digits ends at the twentieth value, whatever call it uses, and is recorded once.
    @Test func valuesAreNotFoundByTrying() async throws {
        let gateway = try await GatewayFixture()
        let cards = cards(60)
        let lines = ["POST /v1/forms/checkout/tokens", "POST /v1/forms/checkout/send/x"]
        var statuses: [Int] = []
        for (index, card) in cards.enumerated() {
            let answer = try await gateway.call(lines[index % 2], json: submission(card))
            statuses.append(answer.status)
            guard answer.status == 429 else { continue }
            #expect(answer.problem == "429/tooManyGuesses")
            #expect(answer["Retry-After"].flatMap { Int($0) }.map { $0 > 3_000 } == true)
        }
        #expect(statuses.prefix(20).allSatisfy { $0 < 300 } && statuses.dropFirst(20).allSatisfy { $0 == 429 })
        // What was sent before is no new guess, another caller has guesses of its own, and other digits are another pattern.
        #expect(try await gateway.call(lines[0], json: submission(cards[3])).status == 201)
        #expect(try await gateway.call(lines[0], [GatewayFixture.dev], json: submission(cards[40])).status == 201)
        #expect(try await gateway.call(lines[0], json: submission("4111111111111111")).status == 201)
        await gateway.audit.log.close()
        let events = try String(contentsOfFile: gateway.audit.path, encoding: .utf8).split(separator: "\n").filter {
            $0.contains(#""event":"guess""#)
        }
        #expect(events.count == 1 && events.first?.contains(#""address":"127.0.0.1""#) == true)
    }

    /// A form's alias of a number that comes again is the same, which tells of every format whether it is that of somebody's card: also to a page's
    /// session, whose credential may reveal all.
    @Test(arguments: [(false, true, true), (true, true, true), (false, false, false)])
    func formsCountFormatsThatShowNothing(hasSession: Bool, isReused: Bool, isCounted: Bool) async throws {
        let form = """
            form: checkout
            access: {aliases: \(hasSession ? "session" : "public")}
            fields: [{name: card_number, type: cardNumber, tokenization: {format: UUID}}, {name: note, tokenization: {format: UUID}}]
            """
        let gateway = try await GatewayFixture(
            form: form,
            credentials: [
                CredentialSettings(
                    name: "backend", username: "backend", secrets: [.text(SensitiveText("backend-secret"))],
                    scopes: [.createSessions, .sendForms, .createAliases, .revealAliases])
            ], reuse: isReused)
        var headers: [String] = []
        if hasSession {
            let made = try await gateway.call(
                "POST /v1/sessions", ["Authorization: Bearer backend-secret"], json: #"{"form":"checkout"}"#)
            headers = ["Authorization: Bearer \(try #require(made.json?.object?["session"]?.string))"]
        }
        func status(_ field: String, _ text: String) async throws -> Int {
            let body = #"{"fields":{"\#(field)":"\#(text)"}}"#
            return try await gateway.call("POST /v1/forms/checkout/aliases", headers, json: body).status
        }
        var statuses: [Int] = []
        for card in cards(22) { statuses.append(try await status("card_number", card)) }
        #expect(statuses == [Int](repeating: 201, count: 20) + [Int](repeating: isCounted ? 429 : 201, count: 2))
        for index in 0..<22 { #expect(try await status("note", "name \(index)") == 201) }
    }

    /// A payment whose client keeps its key, as it should, is not refused for a day: the key is free again.
    @Test func aRefusedGuessIsNotKeptUnderAKey() async throws {
        let gateway = try await GatewayFixture()
        let cards = cards(21)
        for line in ["POST /v1/forms/checkout/tokens", "POST /v1/forms/checkout/send/x"] {
            for card in cards.prefix(20) { _ = try await gateway.call(line, json: submission(card)) }
            let (key, card) = ("Idempotency-Key: \(line.suffix(6))", submission(cards[20]))
            for _ in 0..<2 {
                let refused = try await gateway.call(line, [key], json: card)
                #expect(refused.problem == "429/tooManyGuesses" && refused["Idempotency-Replayed"] == nil)
            }
            // By now the caller may, as after the wait.
            let counted = try await gateway.call(line, [key, GatewayFixture.dev], json: card)
            #expect(counted.status < 300 && counted["Idempotency-Replayed"] == nil)
        }
        #expect(try await gateway.vault.responseTotals().count == 2)
    }

    @Test func theVaultPlaneCountsToo() async throws {
        let gateway = try await GatewayFixture()
        var statuses: [Int] = []
        for card in cards(22) {
            let json = #"{"data":[{"value":"\#(card)","format":"FPE_SIX_T_FOUR"}]}"#
            let answer = try await gateway.call("POST /aliases", [GatewayFixture.dev], json: json)
            statuses.append(answer.status)
        }
        #expect(statuses == [Int](repeating: 201, count: 20) + [429, 429])
        // An alias that shows nothing tells nothing.
        for card in cards(30) {
            let json = #"{"data":[{"value":"\#(card)","format":"UUID"}]}"#
            #expect(try await gateway.call("POST /aliases", [GatewayFixture.dev], json: json).status == 201)
        }
    }

    /// The response says when a value was first stored: to who can't reveal it, that tells of every format whether a number is known.
    @Test(arguments: [
        ([Scope.createAliases], nil, true), ([.createAliases, .revealAliases], ["a"], true),
        ([.createAliases, .revealAliases], nil, false),
    ])
    func formatsThatShowNothingCountForWhoCannotReveal(
        scopes: [Scope], classifiers: [String]?, isCounted: Bool
    ) async throws {
        var credential = CredentialSettings(
            name: "shop", username: "shop", secrets: [.text(SensitiveText("shop-secret"))], scopes: Set(scopes))
        credential.classifiers = classifiers
        let gateway = try await GatewayFixture(credentials: [credential])
        let formats = [
            "UUID", "FPE_SIX_T_FOUR", "RAW_UUID", "GENERIC_T_FOUR", "PFPT", "FPE_T_FOUR", "FPE_ACC_NUM_T_FOUR",
            "ALPHANUMERIC_SIX_T_FOUR", "ALPHANUMERIC_LENGTH_PRESERVING_T_FOUR",
        ]
        var statuses: [Int] = []
        for (index, card) in cards(22).enumerated() {
            // Whichever digits a format keeps, no other format gives more tries.
            let format = isCounted ? formats[index % formats.count] : "UUID"
            let json = #"{"data":[{"value":"\#(card)","format":"\#(format)","classifiers":["a"]}]}"#
            statuses.append(
                try await gateway.call("POST /aliases", ["Authorization: Bearer shop-secret"], json: json).status)
        }
        #expect(statuses == [Int](repeating: 201, count: 20) + [Int](repeating: isCounted ? 429 : 201, count: 2))
        // What is no number, and what is stored nowhere that could tell.
        for index in 0..<30 {
            let more = index % 2 == 0 ? "" : #","storage":"VOLATILE""#
            let value = index % 2 == 0 ? "name \(index)" : cards(30)[index]
            let json = #"{"data":[{"value":"\#(value)","format":"UUID"\#(more),"classifiers":["a"]}]}"#
            #expect(
                try await gateway.call("POST /aliases", ["Authorization: Bearer shop-secret"], json: json).status == 201
            )
        }
    }

    /// Where every value is stored anew, nothing tells whether it is known.
    @Test func withoutReuseOnlyKeptDigitsCount() async throws {
        let gateway = try await GatewayFixture(
            credentials: [
                CredentialSettings(
                    name: "shop", username: "shop", secrets: [.text(SensitiveText("shop-secret"))],
                    scopes: [.createAliases])
            ], reuse: false)
        for card in cards(30) {
            let json = #"{"data":[{"value":"\#(card)","format":"UUID"}]}"#
            let response = try await gateway.call("POST /aliases", ["Authorization: Bearer shop-secret"], json: json)
            #expect(response.status == 201)
        }
    }

    /// Sixty-four strangers fill what they can of the volatile storage: half. Whoever proves who it is still finds room, and the
    /// refusals say when theirs comes.
    @Test func strangersDoNotFillTheVolatileStorage() async throws {
        let capacity = 400
        let gateway = try await GatewayFixture(volatileCapacity: capacity, trustedProxies: ["127.0.0.1"])
        var taken = 0
        var waits: [Int] = []
        for round in 0..<10 {
            for stranger in 1...64 {
                let answer = try await gateway.call(
                    "POST /v1/forms/checkout/tokens", ["X-Forwarded-For: 192.0.2.\(stranger)"],
                    json: #"{"fields":{"card_number":"4539600166594134","cvc":"\#(100 + round * 64 + stranger)"}}"#)
                if answer.status == 201 { taken += 1 }
                if answer.status == 503 { waits.append(Int(answer["Retry-After"] ?? "") ?? 0) }
            }
        }
        #expect((capacity / 2 - 10...capacity / 2).contains(taken))
        #expect(!waits.isEmpty && waits.allSatisfy { $0 > 3_000 && $0 <= 3_600 })
        for _ in 0..<50 {
            let answer = try await gateway.call(
                "POST /v1/forms/checkout/aliases", [GatewayFixture.dev],
                json: submission("4539600166594134"))
            #expect(answer.status == 201)
        }
        var metrics = MetricsText()
        gateway.telemetry.write(into: &metrics)
        #expect(metrics.text.contains("cloakroom_volatile_places \(taken + 50)\n"))
        #expect(metrics.text.contains("cloakroom_volatile_places_limit \(capacity)\n"))
        #expect(metrics.text.contains("cloakroom_volatile_refusals_total \(640 - taken)\n"))
    }

    /// Each further alias of a VOLATILE value takes a place of its caller's share, and gives it back when it is deleted.
    @Test func referencesTakePlaces() async throws {
        let gateway = try await GatewayFixture(volatileCapacity: 8)
        func make(_ item: String) async throws -> (status: Int, alias: String?) {
            let answer = try await gateway.call("POST /aliases", [GatewayFixture.dev], json: #"{"data":[\#(item)]}"#)
            let stored = answer.json?.object?["data"]?.array?.first?.object
            return (answer.status, stored?["aliases"]?.array?.last?.object?["alias"]?.string)
        }
        let alias = try #require(try await make(#"{"value":"v","format":"UUID","storage":"VOLATILE"}"#).alias)
        let another = #"{"alias":"\#(alias)","format":"RAW_UUID"}"#
        var made: [String] = []
        while case let answer = try await make(another), answer.status == 201, made.count < 20 {
            made.append(try #require(answer.alias))
        }
        #expect(Set(made).count == 3 && !made.contains(alias))
        #expect(try await make(another).status == 503)
        #expect(try await gateway.call("DELETE /aliases/\(made[1])", [GatewayFixture.dev]).status == 204)
        #expect(try await make(another).status == 201)
        // Persistent values take none.
        let other = try #require(try await make(#"{"value":"p","format":"UUID"}"#).alias)
        #expect(try await make(#"{"alias":"\#(other)","format":"RAW_UUID"}"#).status == 201)
    }

    /// A deleted value's place is free at once.
    @Test func placesComeBack() async throws {
        let gateway = try await GatewayFixture(volatileCapacity: 2)
        for number in 0..<5 {
            let json = #"{"data":[{"value":"v\#(number)","format":"UUID","storage":"VOLATILE"}]}"#
            let made = try await gateway.call("POST /aliases", [GatewayFixture.dev], json: json)
            #expect(made.status == 201)
            let stored = made.json?.object?["data"]?.array?.first?.object
            let alias = try #require(stored?["aliases"]?.array?.first?.object?["alias"]?.string)
            #expect(try await gateway.call("DELETE /aliases/\(alias)", [GatewayFixture.dev]).status == 204)
        }
    }

    /// A share that is full of short-lived values is free again when the refusal says, although the storage keeps others for an hour.
    @Test func placesOfShortLivesComeBackInTime() async throws {
        // Time passes as it does, and as the test says.
        let passed = Mutex<Int64>(0)
        let clock = VaultClock(
            unixSeconds: { VaultClock.system.unixSeconds() + passed.withLock { $0 } / 1_000 },
            elapsedMilliseconds: { VaultClock.system.elapsedMilliseconds() + passed.withLock { $0 } })
        let gateway = try await GatewayFixture(volatileCapacity: 8, clock: clock)
        func make(_ ttl: String) async throws -> GatewayFixture.Response {
            let json = #"{"data":[{"value":"v","format":"UUID","storage":"VOLATILE"\#(ttl)}]}"#
            return try await gateway.call("POST /aliases", [GatewayFixture.dev], json: json)
        }
        #expect(try await make("").status == 201)
        for _ in 0..<3 { #expect(try await make(#","ttl":"60s""#).status == 201) }
        let refused = try await make("")
        let wait = try #require(refused["Retry-After"].flatMap { Int64($0) })
        #expect(refused.status == 503 && (1...60).contains(wait))
        // The first of them ends then, to within a second of the clock; the others as much later as they were made.
        passed.withLock { $0 += wait * 1_000 + 1_100 }
        #expect(try await make("").status == 201)
        passed.withLock { $0 += 60_000 }
        for _ in 0..<2 { #expect(try await make("").status == 201) }
        #expect(try await make("").status == 503)
    }
}
