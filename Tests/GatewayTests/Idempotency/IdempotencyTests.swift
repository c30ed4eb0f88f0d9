import Crypto
import HTTPWire
import JSON
import Synchronization
import Testing
import Vault
import VaultTesting

@testable import EventHTTP
@testable import Gateway

/// `Idempotency-Key` on aliases, tokens and send.
@Suite struct IdempotencyTests {
    private static let tokens = "POST /v1/forms/checkout/tokens"
    private static let aliases = "POST /v1/forms/checkout/aliases"
    private static let key = "Idempotency-Key: 8f4e-1"
    private static let keyed = [key, GatewayFixture.dev]
    private static let charges = "POST /v1/forms/memo/send/charges"
    private static let memo = #"{"fields":{"note":"a"}}"#
    private static let otherMemo = #"{"fields":{"note":"b"}}"#

    private static func submission(card: String = "4539600166594134", cvc: String = "321", note: String = "n") -> String
    {
        #"{"fields":{"card_number":"\#(card)","cvc":"\#(cvc)","note":"\#(note)"}}"#
    }

    /// An upstream that says when a request has arrived, and responds once it is released.
    private static func heldUpstream() throws -> (StandIn, AsyncStream<Void>, AsyncStream<Void>.Continuation) {
        let (arrived, arrival) = AsyncStream<Void>.makeStream()
        let (released, release) = AsyncStream<Void>.makeStream()
        let upstream = try StandIn { _ in
            arrival.yield()
            for await _ in released { break }
            return .json("{}")
        }
        return (upstream, arrived, release)
    }

    /// A stored error of the gateway is one again, for the log; an upstream's is none.
    @Test(arguments: [(nil, 400), (502, nil)] as [(Int?, Int?)])
    func aReplayedErrorKeepsItsCode(upstreamStatus: Int?, code: Int?) throws {
        var response = CallResponse.problem(.malformed("no"), instance: "/v1", requestID: "1")
        if let upstreamStatus { response.headers.append((CallResponse.upstreamStatusName, "\(upstreamStatus)")) }
        let request = [UInt8](repeating: 1, count: 32)
        let bytes = try #require(IdempotencyEntry.bytes(of: response, to: request))
        let entry = try #require(IdempotencyEntry(bytes))
        guard case .response(let stored) = entry.state else {
            Issue.record("no response")
            return
        }
        #expect(stored.replayed(requestID: "2").errorCode == code)
    }

    @Test(arguments: ["tokens", "aliases", "send/a"])
    func theFirstAnswerComesAgain(_ operation: String) async throws {
        let gateway = try await GatewayFixture()
        let line = "POST /v1/forms/checkout/\(operation)"
        let first = try await gateway.call(line, [Self.key, GatewayFixture.dev], json: Self.submission())
        #expect(first.status == (operation == "send/a" ? 200 : 201) && first["Idempotency-Replayed"] == nil)
        // Blanks make no other body.
        let spaced = Self.submission().replacing(",", with: " , ")
        let again = try await gateway.call(line, [Self.key, GatewayFixture.dev], json: spaced)
        #expect(again.status == first.status && again.body == first.body && again["Idempotency-Replayed"] == "true")
        // The name of the header in earlier releases.
        #expect(again["Idempotent-Replayed"] == "true" && first["Idempotent-Replayed"] == nil)
        #expect(again["Content-Type"] == "application/json" && again["X-Request-Id"] != first["X-Request-Id"])
        let other = try await gateway.call(line, ["Idempotency-Key: 2", GatewayFixture.dev], json: Self.submission())
        #expect(other.status == first.status && other.body != first.body)
    }

    @Test(arguments: [
        submission(note: "m"), submission(cvc: "322"), submission(card: "4111111111111111"), "{\"fields\":{}}",
    ])
    func aKeyIsForOneBody(_ other: String) async throws {
        let gateway = try await GatewayFixture()
        _ = try await gateway.call(Self.aliases, Self.keyed, json: Self.submission())
        let answer = try await gateway.call(Self.aliases, Self.keyed, json: other)
        #expect(answer.status == 422 && answer.problem == "422/idempotencyKeyReused")
    }

    /// Callers without a credential can't be told apart: one must not block the other's key.
    @Test func withoutACredentialAKeyIsOneWithItsRequest() async throws {
        let gateway = try await GatewayFixture()
        let first = try await gateway.call(Self.tokens, [Self.key], json: Self.submission(note: "mine"))
        let other = try await gateway.call(Self.tokens, [Self.key], json: Self.submission(note: "yours"))
        #expect(other.status == 201 && other["Idempotency-Replayed"] == nil && other.body != first.body)
        for (note, response) in [("mine", first), ("yours", other)] {
            let again = try await gateway.call(Self.tokens, [Self.key], json: Self.submission(note: note))
            #expect(again["Idempotency-Replayed"] == "true" && again.body == response.body)
        }
    }

    @Test func aKeyIsOfOneCaller() async throws {
        let gateway = try await GatewayFixture()
        let line = "POST /v1/forms/checkout/aliases"
        let first = try await gateway.call(line, [Self.key, GatewayFixture.dev], json: Self.submission())
        let other = try await gateway.call(line, [Self.key, GatewayFixture.writer], json: Self.submission())
        #expect(other.status == 201 && other["Idempotency-Replayed"] == nil && other.body != first.body)
        let elsewhere = try await gateway.call(Self.tokens, [Self.key], json: Self.submission(note: "m"))
        #expect(elsewhere.status == 201 && elsewhere["Idempotency-Replayed"] == nil)
        let tokens = try await gateway.call(Self.tokens, Self.keyed, json: Self.submission())
        #expect(tokens.problem == "422/idempotencyKeyReused")
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

    @Test func responsesOutliveTheProcess() async throws {
        let store = MemoryAliasStore()
        let first = try await GatewayFixture(store: store).call(Self.aliases, Self.keyed, json: Self.submission())
        let gateway = try await GatewayFixture(store: store)
        let again = try await gateway.call(Self.aliases, Self.keyed, json: Self.submission())
        #expect(again.status == 201 && again.body == first.body && again["Idempotency-Replayed"] == "true")
        let other = try await gateway.call(Self.aliases, Self.keyed, json: Self.submission(note: "m"))
        #expect(other.status == 422 && other.problem == "422/idempotencyKeyReused")
        // Nothing about a code is stored, so a restart forgets which one it was.
        let code = try await gateway.call(Self.aliases, Self.keyed, json: Self.submission(cvc: "322"))
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

    @Test func errorsDoNotUseUpTheStorage() {
        let lifetime: Int64 = 3_600
        var quota = ErrorQuota(IdempotencyLimits(lifetime: lifetime, entries: 10))
        var verdicts: [Bool] = []
        for time in [0, 1, 2, lifetime - 1, lifetime, lifetime + 1, lifetime + 2] {
            verdicts.append(quota.add(now: 1_000 + time))
        }
        #expect(verdicts == [true, true, false, false, true, true, false])
    }

    /// Beyond their share of the storage errors are not stored: the next repetition is judged again.
    @Test func errorsBeyondTheirQuotaAreNotStored() async throws {
        let gateway = try await gateway(try StandIn(json: "{}"), idempotency: IdempotencyLimits(entries: 4))
        for (key, replayed) in [("1", "true"), ("2", nil)] {
            for isRepetition in [false, true] {
                let response = try await gateway.call(
                    Self.charges, ["Idempotency-Key: \(key)", GatewayFixture.dev], json: #"{"fields":{"unknown":"a"}}"#)
                #expect(response.status >= 400 && response.status < 500)
                #expect(response["Idempotency-Replayed"] == (isRepetition ? replayed : nil), "\(response.status)")
            }
        }
    }

    /// Another method or path under a caller's key is another request, and no second one goes to the upstream. What is the end of a path
    /// must not be the beginning of a key.
    @Test(arguments: [
        ("PUT", "charges", "17", 422), ("POST", "refunds", "17", 422), ("POST", "charges/", "17", 422),
        ("POST", "charges/1", "7", 200), ("POST", "charge", "s17", 200),
    ])
    func aKeyIsForOneMethodAndPath(method: String, path: String, key: String, status: Int) async throws {
        let upstream = try StandIn(json: "{}")
        let store = MemoryAliasStore()
        let gateway = try await gateway(upstream, "methods: [POST, PUT]", store: store)
        let first = try await gateway.call(Self.charges, ["Idempotency-Key: 17", GatewayFixture.dev], json: Self.memo)
        #expect(first.status == 200)
        // Also in the next process, which knows only what is stored.
        for gateway in [gateway, try await self.gateway(upstream, "methods: [POST, PUT]", store: store)] {
            let other = try await gateway.call(
                "\(method) /v1/forms/memo/send/\(path)", ["Idempotency-Key: \(key)", GatewayFixture.dev],
                json: Self.memo)
            #expect(other.status == status && (status == 200 || other.problem == "422/idempotencyKeyReused"))
        }
        #expect(upstream.requests.count == (status == 200 ? 2 : 1))
    }

    /// Which headers could be passed on, and in which order they are listed, makes no other request of one that has none of them: a
    /// configuration that is changed between a request and its repetition leads to no second charge.
    @Test(arguments: ["public", "credential"])
    func headersThatAreNotSentAreNoPartOfARequest(access: String) async throws {
        let upstream = try StandIn(json: "{}")
        let store = MemoryAliasStore()
        let headers = [Self.key, "X-B: 1"] + (access == "public" ? [] : [GatewayFixture.dev])
        for (round, names) in ["[X-A, X-B]", "[X-B, X-A]", "[X-C, X-B]", "[X-B]"].enumerated() {
            let gateway = try await gateway(upstream, "forwardHeaders: \(names)", access: access, store: store)
            let answer = try await gateway.call(Self.charges, headers, json: Self.memo)
            #expect(answer.status == 200 && answer["Idempotency-Replayed"] == (round == 0 ? nil : "true"), "\(names)")
        }
        #expect(upstream.requests.count == 1)
    }

    /// Entries that versions up to 2026-11 have stored: with every name of `forwardHeaders`, in its order.
    @Test(arguments: ["public", "credential"])
    func keysOfBeforeAnUpgrade(access: String) async throws {
        func joined(_ parts: [String]) -> [UInt8] { parts.flatMap { Array("\($0.utf8.count):\($0)".utf8) } }
        let upstream = try StandIn(json: "{}")
        let gateway = try await gateway(upstream, "forwardHeaders: [X-B, X-A]", access: access)
        let digests = try HMACSHA256(key: gateway.vault.key(for: .responses))
        let sent = ["POST", "/v1/forms/memo/send/charges", "", "x-b", "1", "1", "x-a", "0"]
        let durable = try digests.code(for: joined(["body", "8f4e-1"] + sent) + Array(Self.memo.utf8))
        let name =
            access == "public"
            ? joined(["public", "8f4e-1"]) + durable : joined(["name", "known", "credential:dev", "8f4e-1"])
        try await gateway.vault.storeResponse(
            IdempotencyEntry.withoutResponse(of: durable), under: try digests.code(for: name), for: 3_600)
        let headers = [Self.key, "X-B: 1"] + (access == "public" ? [] : [GatewayFixture.dev])
        for _ in 0..<2 {
            #expect(
                try await gateway.call(Self.charges, headers, json: Self.memo).problem == "409/answerTooLargeToKeep")
        }
        #expect(upstream.requests.isEmpty)
        #expect(
            try await gateway.call(Self.charges, ["Idempotency-Key: 2"] + headers.dropFirst(), json: Self.memo).status
                == 200)
    }

    /// An upstream's body is never changed.
    @Test func problemsOfAnUpstreamStayAsTheyAre() async throws {
        let body = #"{"requestId":"its own","type":"about:blank"}"#
        let upstream = try StandIn { _ in
            let headers = [("Content-Type", "application/problem+json")]
            return ServerResponse(status: 409, headers: headers, body: Array(body.utf8))
        }
        let gateway = try await gateway(upstream)
        for _ in 0..<2 {
            let answer = try await gateway.call(
                Self.charges, Self.keyed, json: Self.memo)
            #expect(answer.status == 409 && answer.body == body)
        }
        #expect(upstream.requests.count == 1)
    }

    private func gateway(
        _ upstream: StandIn, _ settings: String = "", access: String = "credential",
        store: MemoryAliasStore = MemoryAliasStore(), idempotency: IdempotencyLimits = IdempotencyLimits(),
        clock: VaultClock = .system
    ) async throws -> GatewayFixture {
        let form = "form: memo\nroute: orders\naccess: {send: \(access)}\nfields: [{name: note}]"
        let url = "url: \"\(upstream.url)\", allowPlaintext: true, responseHeaders: [X-Kept]"
        var gateway = try await GatewayFixture(
            form: form, routes: routes("{name: orders, kind: upstream, \(url), \(settings)}"), store: store,
            idempotency: idempotency, clock: clock)
        gateway.upstream = upstream
        return gateway
    }

    @Test func anUpstreamIsCalledOnce() async throws {
        let count = Counter()
        let upstream = try StandIn { _ in
            count.add()
            let body = [UInt8](repeating: 0xFF, count: 100_000) + Array("\(count.value)".utf8)
            return ServerResponse(status: 402, headers: [("X-Kept", "1"), ("X-Not", "2")], body: body)
        }
        let gateway = try await gateway(upstream)
        let first = try await gateway.call(Self.charges, Self.keyed, json: Self.memo)
        let again = try await gateway.call(Self.charges, Self.keyed, json: Self.memo)
        #expect(first.status == 402 && again.status == 402 && again.body == first.body)
        #expect(again["X-Kept"] == "1" && again["X-Not"] == nil && again["Cloakroom-Upstream-Status"] == "402")
        #expect(upstream.requests.count == 1 && upstream.requests.first?["Idempotency-Key"] == nil)
        // It means nothing here.
        let routed = ["VGS-Route-Id: 7F3C0A52-41de-4b0c-9a77-0f5d2c9b6e11"] + Self.keyed
        #expect(try await gateway.call(Self.charges, routed, json: Self.memo).body == first.body)
        #expect(upstream.requests.count == 1)
    }

    /// Whatever the upstream's response was, the request reached it.
    @Test(arguments: [503, 500, 401, 403, 408, 425, 429, 404])
    func everyResponseOfAnUpstreamIsStored(status: Int) async throws {
        let upstream = try StandIn(status: status, json: "{}")
        let gateway = try await gateway(upstream)
        for isRepetition in [false, true, true] {
            let response = try await gateway.call(Self.charges, Self.keyed, json: Self.memo)
            #expect(response.status == status)
            #expect((response["Idempotency-Replayed"] == "true") == isRepetition)
        }
        #expect(upstream.requests.count == 1)
    }

    /// What certainly did not reach the upstream may be tried again under the same key.
    @Test func whatWasNotSentReleasesTheKey() async throws {
        let upstream = try StandIn(json: "{}")
        let route = "{name: orders, kind: upstream, url: \"http://127.0.0.1:1\", allowPlaintext: true}"
        let form = "form: memo\nroute: orders\naccess: {send: credential}\nfields: [{name: note}]"
        let store = MemoryAliasStore()
        let down = try await GatewayFixture(form: form, routes: routes(route), store: store)
        for _ in 0..<2 {
            let response = try await down.call(Self.charges, Self.keyed, json: Self.memo)
            #expect(response.problem == "-1004/cannotConnectToHost" && response["Idempotency-Replayed"] == nil)
        }
        #expect(try await down.vault.responseTotals().count == 0)
        let up = try await gateway(upstream, store: store)
        #expect(try await up.call(Self.charges, Self.keyed, json: Self.memo).status == 200)
    }

    /// A claim whose commit was cut off may be stored. Nothing was carried out, so that the call is refused, and its repetition carried out.
    @Test func aClaimWhoseCommitWasCutOffIsARefusal() async throws {
        let upstream = try StandIn(json: "{}")
        let gateway = try await gateway(upstream)
        // The first of all stores how far its key may be used, too.
        let other = ["Idempotency-Key: 2", GatewayFixture.dev]
        #expect(try await gateway.call(Self.charges, other, json: Self.memo).status == 200)
        gateway.store.setFaults { $0 ? .unknown : nil }
        let refused = try await gateway.call(Self.charges, Self.keyed, json: Self.memo)
        #expect(refused.problem == "503/unavailable" && refused["Retry-After"] == "1")
        gateway.store.setFaults(nil)
        #expect(upstream.requests.count == 1)
        #expect(try await gateway.call(Self.charges, Self.keyed, json: Self.memo).status == 200)
        #expect(upstream.requests.count == 2)
        // What was to remove the claim that was cut off leaves the one in its place.
        try await gateway.vault.sweepResponses()
        #expect(try await gateway.call(Self.charges, Self.keyed, json: Self.memo)["Idempotency-Replayed"] == "true")
        #expect(upstream.requests.count == 2)
    }

    /// The claim is durable before the upstream gets the request: a process that is killed meanwhile leaves it behind.
    @Test func aClaimOutlivesItsProcess() async throws {
        let store = MemoryAliasStore()
        let (upstream, arrived, release) = try Self.heldUpstream()
        let first = try await gateway(upstream, store: store)
        async let response = first.call(Self.charges, Self.keyed, json: Self.memo)
        for await _ in arrived { break }
        // The next process, as if the first had been killed.
        let second = try await gateway(upstream, store: store)
        let repetition = try await second.call(Self.charges, Self.keyed, json: Self.memo)
        #expect(repetition.status == 409 && repetition.problem == "409/answerTooLargeToKeep")
        #expect(repetition["Retry-After"] == nil)
        #expect(try await second.call(Self.charges, Self.keyed, json: Self.otherMemo).status == 422)
        release.yield()
        #expect(try await response.status == 200)
        #expect(upstream.requests.count == 1)
    }

    /// Until when a claim counts as running is judged by the vault's clock, which all processes go by, and not by their own.
    @Test func claimsGoByTheClockOfTheVault() async throws {
        let store = MemoryAliasStore(isExclusive: false)
        let (upstream, arrived, release) = try Self.heldUpstream()
        func clock(_ seconds: Int64) -> VaultClock {
            VaultClock(unixSeconds: { 1_700_000_000 + seconds }, elapsedMilliseconds: { seconds * 1_000 })
        }
        let first = try await gateway(upstream, store: store, clock: clock(0))
        async let response = first.call(Self.charges, Self.keyed, json: Self.memo)
        for await _ in arrived { break }
        for (seconds, problem) in [(899, "409/requestInProgress"), (900, "409/answerTooLargeToKeep")]
            as [(Int64, String)]
        {
            let other = try await gateway(upstream, store: store, clock: clock(seconds))
            #expect(try await other.call(Self.charges, Self.keyed, json: Self.memo).problem == problem)
        }
        release.yield()
        #expect(try await response.status == 200)
        #expect(upstream.requests.count == 1)
    }

    /// A response that was cut off as it was stored is stored again, once. Then, and if the store refused it, the claim stays: repetitions
    /// get 409, for the request was carried out.
    @Test(
        arguments: [(.cutOff, 1, 200), (.cutOff, 2, 409), (.refused, 1, 409)] as [(MemoryAliasStore.Fault, Int, Int)])
    func aResponseIsStoredAgain(fault: MemoryAliasStore.Fault, writes: Int, repetition: Int) async throws {
        let store = MemoryAliasStore()
        let upstream = try StandIn { _ in
            let left = Counter()
            store.setFaults { isWriting in
                guard isWriting, left.value < writes else { return nil }
                left.add()
                return fault
            }
            return .json("{}")
        }
        let gateway = try await gateway(upstream, store: store)
        #expect(try await gateway.call(Self.charges, Self.keyed, json: Self.memo).status == 200)
        store.setFaults(nil)
        let again = try await gateway.call(Self.charges, Self.keyed, json: Self.memo)
        #expect(again.status == repetition && (again["Idempotency-Replayed"] == "true") == (repetition == 200))
        #expect(upstream.requests.count == 1)
    }

    /// Other keys never push an entry out: without room a new key is refused before anything is carried out.
    @Test func newKeysAreRefusedWhenThereIsNoRoom() async throws {
        let upstream = try StandIn(json: "{}")
        let gateway = try await gateway(upstream, idempotency: IdempotencyLimits(entries: 4))
        func send(_ key: String) async throws -> GatewayFixture.Response {
            try await gateway.call(Self.charges, ["Idempotency-Key: \(key)", GatewayFixture.dev], json: Self.memo)
        }
        // Half of the entries is one caller's share.
        #expect(try await send("1").status == 200)
        #expect(try await send("2").status == 200)
        let refused = try await send("3")
        #expect(refused.problem == "503/unavailable")
        // When the first of the caller's own keys expires: a day, and a part of a sixty-fourth of one.
        #expect(refused["Retry-After"] == "86400")
        #expect(try await send("1")["Idempotency-Replayed"] == "true")
        #expect(upstream.requests.count == 2)
        var text = MetricsText()
        gateway.telemetry.write(into: &text)
        let lines = text.text.split(separator: "\n")
        #expect(lines.contains("cloakroom_idempotency_entries 2"))
        #expect(lines.contains("cloakroom_idempotency_entries_limit 4"))
        #expect(lines.contains("cloakroom_idempotency_refusals_total 1"))
    }

    /// What the vault removes later uses nothing of its caller's share any more.
    @Test func aClaimThatCouldNotBeRemovedUsesNoShare() async throws {
        let form = "form: memo\nroute: orders\naccess: {send: credential}\nfields: [{name: note}]"
        let routes = try routes("{name: orders, kind: upstream, url: \"http://127.0.0.1:1\", allowPlaintext: true}")
        let gateway = try await GatewayFixture(form: form, routes: routes, idempotency: IdempotencyLimits(entries: 4))
        // The first of all stores how far its key may be used, too.
        for key in 0..<4 {
            let writes = Counter()
            gateway.store.setFaults { isWriting in
                guard isWriting, key > 0 else { return nil }
                writes.add()
                return writes.value > 1 ? .refused : nil
            }
            let headers = ["Idempotency-Key: \(key)", GatewayFixture.dev]
            let response = try await gateway.call(Self.charges, headers, json: Self.memo)
            #expect(response.problem == "-1004/cannotConnectToHost", "\(key)")
            gateway.store.setFaults(nil)
            try await gateway.vault.sweepResponses()
            #expect(try await gateway.vault.responseTotals().count == 0)
        }
    }

    @Test func responsesWithoutRoomAreNotStored() async throws {
        let upstream = try StandIn(json: "\"\(String(repeating: "x", count: 10_000))\"")
        let gateway = try await gateway(upstream, idempotency: IdempotencyLimits(bytes: 10_000))
        #expect(try await gateway.call(Self.charges, Self.keyed, json: Self.memo).status == 200)
        let again = try await gateway.call(Self.charges, Self.keyed, json: Self.memo)
        #expect(again.problem == "409/answerTooLargeToKeep" && upstream.requests.count == 1)
        var text = MetricsText()
        gateway.telemetry.write(into: &text)
        #expect(text.text.contains("\ncloakroom_idempotency_unstored_total 1\n"))
    }

    /// Headers that go to the upstream are part of the request: another customer's cookie is another request.
    @Test func forwardedHeadersArePartOfTheRequest() async throws {
        let upstream = try StandIn { request in .json("\"\(request["cookie"] ?? "")\"") }
        let open = try await gateway(upstream, "forwardHeaders: [Cookie]", access: "public")
        for customer in ["ann", "bob", "ann"] {
            let response = try await open.call(Self.charges, ["Cookie: id=\(customer)", Self.key], json: Self.memo)
            #expect(response.body == "\"id=\(customer)\"")
        }
        #expect(upstream.requests.count == 2)
        let closed = try await gateway(upstream, "forwardHeaders: [Cookie]")
        #expect(try await closed.call(Self.charges, ["Cookie: a"] + Self.keyed, json: Self.memo).status == 200)
        #expect(try await closed.call(Self.charges, ["Cookie: b"] + Self.keyed, json: Self.memo).status == 422)
        #expect(try await closed.call(Self.charges, Self.keyed, json: Self.memo).status == 422)
        #expect(upstream.requests.count == 3)
    }

    private static let id = "7F3C0A52-41de-4b0c-9a77-0f5d2c9b6e11"

    /// A route id that is refused is part of the request, though it would mean nothing here.
    @Test(arguments: [["VGS-Route-Id: bad"], [], ["VGS-Route-Id: \(id)", "VGS-Route-Id: \(id)"]])
    func aRefusedRouteIDIsPartOfTheRequest(first: [String]) async throws {
        let upstream = try StandIn { _ in .json("{}") }
        let gateway = try await gateway(upstream)
        let second = first.isEmpty ? ["VGS-Route-Id: bad"] : []
        let answer = try await gateway.call(Self.charges, first + Self.keyed, json: Self.memo)
        #expect(answer.status == (first.isEmpty ? 200 : 400))
        #expect(try await gateway.call(Self.charges, second + Self.keyed, json: Self.memo).status == 422)
        #expect(upstream.requests.count == (first.isEmpty ? 1 : 0))
    }

    /// The base of a route with and without a slash.
    @Test func theRouteItselfIsOnePath() async throws {
        let upstream = try StandIn { _ in .json("{}") }
        let gateway = try await gateway(upstream, access: "public")
        for path in ["", "/", "//"] {
            let answer = try await gateway.call("POST /v1/forms/memo/send\(path)", [Self.key], json: Self.memo)
            #expect(answer.status == 200)
        }
        #expect(upstream.requests.count == 1)
    }

    /// The form's name, however it is written.
    @Test(arguments: ["aliases", "tokens"])
    func writingsOfAFormAreOneRequest(operation: String) async throws {
        let gateway = try await gateway(StandIn { _ in .json("{}") })
        let first = try await gateway.call("POST /v1/forms/memo/\(operation)", Self.keyed, json: Self.memo)
        let again = try await gateway.call("POST /v1/forms/%6Demo/\(operation)", Self.keyed, json: Self.memo)
        #expect(first.status == 200 && again.body == first.body && again["Idempotency-Replayed"] == "true")
        let other = operation == "tokens" ? "aliases" : "tokens"
        #expect(try await gateway.call("POST /v1/forms/memo/\(other)", Self.keyed, json: Self.memo).status == 422)
    }

    /// What a header ends with is not what the next begins with.
    @Test func partsOfARequestHaveBorders() async throws {
        let gateway = try await gateway(StandIn { _ in .json("{}") }, "forwardHeaders: [X, Y]")
        let first = try await gateway.call(Self.charges, ["X: ay1b", "Y: c"] + Self.keyed, json: Self.memo)
        let other = try await gateway.call(Self.charges, ["X: a", "Y: by1c"] + Self.keyed, json: Self.memo)
        #expect(first.status == 200 && other.status == 422)
    }

    /// A path is one however it is written: what is sent is the same.
    @Test(arguments: ["public", "credential"])
    func writingsOfAPathAreOneRequest(access: String) async throws {
        let upstream = try StandIn { request in .json("\"\(request.line)\"") }
        let gateway = try await gateway(upstream, access: access)
        let headers = access == "public" ? [Self.key] : Self.keyed
        let written = Self.charges + "/a.b"
        for target in [written, Self.charges + "/%61%2Eb", Self.charges + "//a.b"] {
            let answer = try await gateway.call(target, headers, json: Self.memo)
            let sent = try #require(upstream.requests.first).line
            #expect(answer.status == 200 && answer.body == "\"\(sent)\"", "\(target)")
        }
        #expect(upstream.requests.count == 1)
        let other = try await gateway.call(Self.charges + "/a.b/", headers, json: Self.memo)
        #expect(other.status == (access == "public" ? 200 : 422))
    }

    /// What `Connection` names is not passed on: with and without it the request is the same.
    @Test func headersOfTheConnectionAreNoPartOfTheRequest() async throws {
        let upstream = try StandIn { request in .json("\"\(request["cookie"] ?? "")\"") }
        let closed = try await gateway(upstream, "forwardHeaders: [Cookie]")
        let named = ["Cookie: a", "Connection: Cookie"] + Self.keyed
        #expect(try await closed.call(Self.charges, named, json: Self.memo).body == "\"\"")
        #expect(try await closed.call(Self.charges, ["Cookie: a"] + Self.keyed, json: Self.memo).status == 422)
        let without = try await closed.call(Self.charges, Self.keyed, json: Self.memo)
        #expect(without.body == "\"\"" && without["Idempotency-Replayed"] == "true")
        #expect(upstream.requests.count == 1)
    }

    /// An entry that is gone from the store, though this process has finished the request.
    @Test func whatIsGoneIsNotDoneAgain() async throws {
        let upstream = try StandIn(json: "{}")
        let gateway = try await gateway(upstream)
        #expect(try await gateway.call(Self.charges, Self.keyed, json: Self.memo).status == 200)
        try await gateway.store.write { (transaction) throws(VaultError) in
            _ = try transaction.deleteResponses(expiringBy: .max, limit: 10)
        }
        let again = try await gateway.call(Self.charges, Self.keyed, json: Self.memo)
        #expect(again.status == 409 && again.problem == "409/answerTooLargeToKeep")
        #expect(upstream.requests.count == 1)
    }

    @Test func aLargeResponseIsNotStoredAndNotRequestedAgain() async throws {
        let upstream = try StandIn { _ in
            ServerResponse(status: 200, headers: [], body: [UInt8](repeating: 1, count: IdempotencyEntry.limit + 1))
        }
        let gateway = try await gateway(upstream)
        #expect(try await gateway.call(Self.charges, Self.keyed, json: Self.memo).status == 200)
        let again = try await gateway.call(Self.charges, Self.keyed, json: Self.memo)
        #expect(again.status == 409 && again.problem == "409/answerTooLargeToKeep")
        #expect(try await gateway.call(Self.charges, Self.keyed, json: Self.otherMemo).status == 422)
        #expect(upstream.requests.count == 1)
    }

    /// An alias that shows digits of a VOLATILE value must not reach a disk, and neither must a response with it.
    @Test(arguments: [("GENERIC_T_FOUR", 409), ("UUID", 200)])
    func responsesWithFleetingAliasesAreNotStored(format: String, status: Int) async throws {
        let form = """
            form: checkout
            route: echo
            fields: [{name: pan, tokenization: {format: \(format), storage: VOLATILE}}]
            """
        let gateway = try await GatewayFixture(form: form)
        let body = #"{"fields":{"pan":"4539600166594134"}}"#
        #expect(try await gateway.call("POST /v1/forms/checkout/send/a", [Self.key], json: body).status == 200)
        let again = try await gateway.call("POST /v1/forms/checkout/send/a", [Self.key], json: body)
        #expect(again.status == status)
        let tokens = try await gateway.call(Self.tokens, [Self.key], json: body)
        #expect(tokens.status == 201)
        let repeated = try await gateway.call(Self.tokens, [Self.key], json: body)
        #expect(repeated.status == (status == 409 ? 409 : 201))
    }

    @Test func whileTheFirstRunsOthersAreToldToWait() async throws {
        let (upstream, arrived, release) = try Self.heldUpstream()
        let gateway = try await gateway(upstream)
        async let first = gateway.call(Self.charges, Self.keyed, json: Self.memo)
        for await _ in arrived { break }
        let second = try await gateway.call(Self.charges, Self.keyed, json: Self.memo)
        #expect(second.status == 409 && second.problem == "409/requestInProgress" && second["Retry-After"] == "1")
        let other = try await gateway.call(Self.charges, Self.keyed, json: Self.otherMemo)
        #expect(other.status == 422)
        release.yield()
        #expect(try await first.status == 200)
        let third = try await gateway.call(Self.charges, Self.keyed, json: Self.memo)
        #expect(third.status == 200 && third["Idempotency-Replayed"] == "true")
        #expect(upstream.requests.count == 1)
    }

    @Test func entriesAreReadBackWhole() throws {
        var response = CallResponse.json(201, [0, 0xFF, 1])
        response.headers.append(("X-A", "é"))
        let request = Array(UInt8(0)..<32)
        let bytes = try #require(IdempotencyEntry.bytes(of: response, to: request))
        let entry = try #require(IdempotencyEntry(bytes))
        guard case .response(let read) = entry.state else { throw NotAResponse() }
        #expect(entry.request == request && read.status == 201 && read.body == [0, 0xFF, 1])
        #expect(read.headers.map(\.0) == response.allHeaders.map(\.0))
        #expect(read.headers.map(\.1) == response.allHeaders.map(\.1))
        for length in 0..<(bytes.count - 3) { #expect(IdempotencyEntry(Array(bytes.prefix(length))) == nil) }
        response.body = [UInt8](repeating: 0, count: IdempotencyEntry.limit)
        #expect(IdempotencyEntry.bytes(of: response, to: request) == nil)
        guard case .withoutResponse? = IdempotencyEntry(IdempotencyEntry.withoutResponse(of: request))?.state,
            case .claimed(let until)? = IdempotencyEntry(IdempotencyEntry.claim(of: request, until: 1 << 40))?.state
        else { throw NotAResponse() }
        #expect(until == 1 << 40)
    }

    private struct NotAResponse: Error {}

    /// All lines of a name stay together in their order if one is not UTF-8.
    @Test func entriesKeepWhatIsNotUTF8() throws {
        var response = CallResponse(status: 200, body: [1])
        let lines: [(String, [UInt8])] = [
            ("X-Name", Array("plain".utf8)), ("X-Name", [0x63, 0xE9]), ("Location", [0xFF]),
        ]
        response.fixed = try FieldBlock(opaque: lines)
        response.headers = [("X-A", "é"), ("Cloakroom-Upstream-Status", "200")]
        let bytes = try #require(IdempotencyEntry.bytes(of: response, to: Array(0..<32)))
        guard case .response(let read)? = IdempotencyEntry(bytes)?.state else { throw NotAResponse() }
        #expect(read.headers.map(\.0) == ["X-A", "Cloakroom-Upstream-Status"] && read.upstreamStatus == 200)
        #expect(read.fixed.opaque.map(\.0) == lines.map(\.0) && read.fixed.opaque.map(\.1) == lines.map(\.1))
        #expect(read.body == [1])
    }
}
