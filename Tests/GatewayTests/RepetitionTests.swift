import HTTPWire
import JSON
import Synchronization
import Testing
import Vault
import VaultTesting

@testable import EventHTTP
@testable import Gateway

/// `Idempotency-Key` on aliases, tokens and send.
@Suite struct RepetitionTests {
    private static let tokens = "POST /v1/forms/checkout/tokens"
    private static let key = "Idempotency-Key: 8f4e-1"

    private static func submission(card: String = "4539600166594134", cvc: String = "321", note: String = "n") -> String
    {
        #"{"fields":{"card_number":"\#(card)","cvc":"\#(cvc)","note":"\#(note)"}}"#
    }

    @Test(arguments: ["tokens", "aliases", "send/a"])
    func theFirstAnswerComesAgain(_ operation: String) async throws {
        let gateway = try await GatewayFixture()
        let line = "POST /v1/forms/checkout/\(operation)"
        let first = try await gateway.call(line, [Self.key, GatewayFixture.dev], json: Self.submission())
        #expect(first.status == (operation == "send/a" ? 200 : 201) && first["Idempotent-Replayed"] == nil)
        // Blanks make no other body.
        let spaced = Self.submission().replacing(",", with: " , ")
        let again = try await gateway.call(line, [Self.key, GatewayFixture.dev], json: spaced)
        #expect(again.status == first.status && again.body == first.body && again["Idempotent-Replayed"] == "true")
        #expect(again["Content-Type"] == "application/json" && again["X-Request-Id"] != first["X-Request-Id"])
        let other = try await gateway.call(line, ["Idempotency-Key: 2", GatewayFixture.dev], json: Self.submission())
        #expect(other.status == first.status && other.body != first.body)
    }

    @Test(arguments: [
        submission(note: "m"), submission(cvc: "322"), submission(card: "4111111111111111"), "{\"fields\":{}}",
    ])
    func aKeyIsForOneBody(_ other: String) async throws {
        let gateway = try await GatewayFixture()
        _ = try await gateway.call(Self.tokens, [Self.key], json: Self.submission())
        let answer = try await gateway.call(Self.tokens, [Self.key], json: other)
        #expect(answer.status == 422 && answer.problem == "422/idempotencyKeyReused")
    }

    @Test func aKeyIsOfOneCallerAndPath() async throws {
        let gateway = try await GatewayFixture()
        let line = "POST /v1/forms/checkout/aliases"
        let first = try await gateway.call(line, [Self.key, GatewayFixture.dev], json: Self.submission())
        let other = try await gateway.call(line, [Self.key, GatewayFixture.writer], json: Self.submission())
        #expect(other.status == 201 && other["Idempotent-Replayed"] == nil && other.body != first.body)
        let elsewhere = try await gateway.call(Self.tokens, [Self.key], json: Self.submission(note: "m"))
        #expect(elsewhere.status == 201 && elsewhere["Idempotent-Replayed"] == nil)
        #expect(try await gateway.call(line, [Self.key], json: Self.submission()).status == 401)
    }

    @Test(arguments: ["", "é", String(repeating: "k", count: 256)])
    func badKeys(_ key: String) async throws {
        let answer = try await GatewayFixture().call(Self.tokens, ["Idempotency-Key: \(key)"], json: Self.submission())
        #expect(answer.status == 400 && answer.problem == "400/malformedRequest")
    }

    @Test func twoKeysAreNone() async throws {
        let headers = [Self.key, "idempotency-key: b"]
        #expect(try await GatewayFixture().call(Self.tokens, headers, json: Self.submission()).status == 400)
    }

    @Test func answersOutliveTheProcess() async throws {
        let store = MemoryAliasStore()
        let first = try await GatewayFixture(store: store).call(Self.tokens, [Self.key], json: Self.submission())
        let gateway = try await GatewayFixture(store: store)
        let again = try await gateway.call(Self.tokens, [Self.key], json: Self.submission())
        #expect(again.status == 201 && again.body == first.body && again["Idempotent-Replayed"] == "true")
        let other = try await gateway.call(Self.tokens, [Self.key], json: Self.submission(note: "m"))
        #expect(other.status == 422 && other.problem == "422/idempotencyKeyReused")
        // Nothing about a code is written down, so a restart forgets which one it was.
        let code = try await gateway.call(Self.tokens, [Self.key], json: Self.submission(cvc: "322"))
        #expect(code.status == 201 && code.body == first.body)
    }

    @Test func refusalsOfTheFormAreAnswersToo() async throws {
        let gateway = try await GatewayFixture()
        let first = try await gateway.call(Self.tokens, [Self.key, "X-Request-Id: one"], json: #"{"fields":{}}"#)
        let again = try await gateway.call(Self.tokens, [Self.key, "X-Request-Id: two"], json: #"{"fields":{}}"#)
        #expect(first.problem == "1001/inputDataIsNotValid")
        #expect(first.body.contains(#""requestId":"one""#))
        // Each answer tells its own name; nothing else differs.
        #expect(again.body == first.body.replacing(#""requestId":"one""#, with: #""requestId":"two""#))
        #expect(again["X-Request-Id"] == "two" && again["Content-Type"] == "application/problem+json")
    }

    @Test func refusalsDoNotPushOutWhatWasDone() {
        var quota = RefusalQuota(ofCapacity: 10)
        let times = [0, 1, 2, IdempotencyKey.lifetime - 1, IdempotencyKey.lifetime, IdempotencyKey.lifetime + 1]
        var verdicts: [Bool] = []
        for time in times + [IdempotencyKey.lifetime + 2] { verdicts.append(quota.take(now: 1_000 + time)) }
        #expect(verdicts == [true, true, false, false, true, true, false])
    }

    /// What an upstream says is nobody's to change.
    @Test func problemsOfAnUpstreamStayAsTheyAre() async throws {
        let body = #"{"requestId":"its own","type":"about:blank"}"#
        let upstream = try StandIn { _ in
            let headers = [("Content-Type", "application/problem+json")]
            return ServerResponse(status: 409, headers: headers, body: Array(body.utf8))
        }
        let gateway = try await gateway(upstream)
        for _ in 0..<2 {
            let answer = try await gateway.call(
                "POST /v1/forms/memo/send/charges", [Self.key], json: #"{"fields":{"note":"a"}}"#)
            #expect(answer.status == 409 && answer.body == body)
        }
        #expect(upstream.requests.count == 1)
    }

    private func gateway(_ upstream: StandIn) async throws -> GatewayFixture {
        let form = "form: memo\nroute: orders\nfields: [{name: note}]"
        var gateway = try await GatewayFixture(
            form: form,
            routes: routes(
                "{name: orders, kind: upstream, url: \"\(upstream.url)\", allowPlaintext: true, responseHeaders: [X-Kept]}"
            ))
        gateway.upstream = upstream
        return gateway
    }

    @Test func anUpstreamIsAskedOnce() async throws {
        let count = Counter()
        let upstream = try StandIn { _ in
            count.add()
            let body = [UInt8](repeating: 0xFF, count: 100_000) + Array("\(count.value)".utf8)
            return ServerResponse(status: 402, headers: [("X-Kept", "1"), ("X-Not", "2")], body: body)
        }
        let gateway = try await gateway(upstream)
        let line = "POST /v1/forms/memo/send/charges"
        let first = try await gateway.call(line, [Self.key], json: #"{"fields":{"note":"a"}}"#)
        let again = try await gateway.call(line, [Self.key], json: #"{"fields":{"note":"a"}}"#)
        #expect(first.status == 402 && again.status == 402 && again.body == first.body)
        #expect(again["X-Kept"] == "1" && again["X-Not"] == nil && again["Cloakroom-Upstream-Status"] == "402")
        #expect(upstream.requests.count == 1 && upstream.requests.first?["Idempotency-Key"] == nil)
        let routed = ["VGS-Route-Id: 7F3C0A52-41de-4b0c-9a77-0f5d2c9b6e11", Self.key]
        #expect(
            try await gateway.call(line, routed, json: #"{"fields":{"note":"a"}}"#).status == 422
                || upstream.requests.count == 1)
    }

    /// What failed, or was not the moment for it, may be tried again; everything else an upstream says is its answer.
    @Test(arguments: [503, 500, 401, 403, 408, 425, 429, 404])
    func answersThatAreNoEndAreNotKept(first: Int) async throws {
        let count = Counter()
        let upstream = try StandIn { _ in
            count.add()
            return .json("{}", status: count.value == 1 ? first : 200)
        }
        let gateway = try await gateway(upstream)
        let line = "POST /v1/forms/memo/send/charges"
        let isPassing = first >= 500 || [408, 425, 429].contains(first)
        for status in isPassing ? [first, 200, 200] : [first, first] {
            #expect(try await gateway.call(line, [Self.key], json: #"{"fields":{"note":"a"}}"#).status == status)
        }
        #expect(upstream.requests.count == (isPassing ? 2 : 1))
    }

    /// An answer that had to make room was given all the same.
    @Test func whatIsGoneIsNotDoneAgain() async throws {
        let upstream = try StandIn(json: "{}")
        let gateway = try await gateway(upstream)
        let line = "POST /v1/forms/memo/send/charges"
        #expect(try await gateway.call(line, [Self.key], json: #"{"fields":{"note":"a"}}"#).status == 200)
        try await gateway.store.write { (transaction) throws(VaultError) in
            _ = try transaction.deleteResponses(expiringBy: .max, limit: 10)
        }
        let again = try await gateway.call(line, [Self.key], json: #"{"fields":{"note":"a"}}"#)
        #expect(again.status == 409 && again.problem == "409/answerTooLargeToKeep")
        #expect(upstream.requests.count == 1)
    }

    /// What is too large to be kept is not done twice for that.
    @Test func ofALargeAnswerItIsKeptThatThereWasOne() async throws {
        let upstream = try StandIn { _ in
            ServerResponse(status: 200, headers: [], body: [UInt8](repeating: 1, count: KeptAnswer.limit + 1))
        }
        let gateway = try await gateway(upstream)
        let line = "POST /v1/forms/memo/send/charges"
        #expect(try await gateway.call(line, [Self.key], json: #"{"fields":{"note":"a"}}"#).status == 200)
        let again = try await gateway.call(line, [Self.key], json: #"{"fields":{"note":"a"}}"#)
        #expect(again.status == 409 && again.problem == "409/answerTooLargeToKeep")
        let other = try await gateway.call(line, [Self.key], json: #"{"fields":{"note":"b"}}"#)
        #expect(other.status == 422)
        #expect(upstream.requests.count == 1)
    }

    @Test func whileTheFirstRunsOthersAreToldToWait() async throws {
        let (arrived, arrival) = AsyncStream<Void>.makeStream()
        let (released, release) = AsyncStream<Void>.makeStream()
        let upstream = try StandIn { _ in
            arrival.yield()
            for await _ in released { break }
            return .json("{}")
        }
        let gateway = try await gateway(upstream)
        let line = "POST /v1/forms/memo/send/charges"
        async let first = gateway.call(line, [Self.key], json: #"{"fields":{"note":"a"}}"#)
        for await _ in arrived { break }
        let second = try await gateway.call(line, [Self.key], json: #"{"fields":{"note":"a"}}"#)
        #expect(second.status == 409 && second.problem == "409/requestInProgress" && second["Retry-After"] == "1")
        let other = try await gateway.call(line, [Self.key], json: #"{"fields":{"note":"b"}}"#)
        #expect(other.status == 422)
        release.yield()
        #expect(try await first.status == 200)
        let third = try await gateway.call(line, [Self.key], json: #"{"fields":{"note":"a"}}"#)
        #expect(third.status == 200 && third["Idempotent-Replayed"] == "true")
        #expect(upstream.requests.count == 1)
    }

    @Test func keptAnswersAreReadBackWhole() throws {
        var answer = Answer.json(201, [0, 0xFF, 1])
        answer.headers.append(("X-A", "é"))
        let bytes = KeptAnswer(request: Array(0..<32), answer: answer).bytes
        let kept = try #require(KeptAnswer(bytes))
        let read = try #require(kept.answer)
        #expect(kept.request == Array(0..<32) && read.status == 201 && read.body == [0, 0xFF, 1])
        #expect(read.headers.map(\.0) == answer.allHeaders.map(\.0))
        #expect(read.headers.map(\.1) == answer.allHeaders.map(\.1))
        for length in 0..<(bytes.count - 3) { #expect(KeptAnswer(Array(bytes.prefix(length))) == nil) }
        answer.body = [UInt8](repeating: 0, count: KeptAnswer.limit)
        let large = try #require(KeptAnswer(KeptAnswer(request: Array(0..<32), answer: answer).bytes))
        #expect(large.request == Array(0..<32) && large.answer == nil)
    }

    /// Lines of a name of which one is not UTF-8 stay together, in their order.
    @Test func keptAnswersKeepWhatIsNotUTF8() throws {
        var answer = Answer(status: 200, body: [1])
        let lines: [(String, [UInt8])] = [
            ("X-Name", Array("plain".utf8)), ("X-Name", [0x63, 0xE9]), ("Location", [0xFF]),
        ]
        answer.fixed = try FieldBlock(opaque: lines)
        answer.headers = [("X-A", "é"), ("Cloakroom-Upstream-Status", "200")]
        let bytes = KeptAnswer(request: Array(0..<32), answer: answer).bytes
        let read = try #require(KeptAnswer(bytes)?.answer)
        #expect(read.headers.map(\.0) == ["X-A", "Cloakroom-Upstream-Status"] && read.upstreamStatus == 200)
        #expect(read.fixed.opaque.map(\.0) == lines.map(\.0) && read.fixed.opaque.map(\.1) == lines.map(\.1))
        #expect(read.body == [1])
    }
}
