import AuditLog
import AuditLogTesting
import EventIO
import EventIOTesting
import FileTesting
import FormSchema
import JSON
import Synchronization
import Testing

@testable import Configuration
@testable import EventHTTP
@testable import Gateway
@testable import VaultRemote

/// vault-api, section 7, "Remote vault".
@Suite struct RemoteVaultTests {
    private static let submission = """
        {"fields":{"card_number":"4539 6001 6659 4134","cvc":"321","note":"n"}}
        """
    private static let token = "Authorization: Bearer of-the-vault"
    private static let card =
        #"{"value":"4539600166594134","aliases":[{"alias":"4539600362514134","format":"FPE_SIX_T_FOUR"}]}"#
    private static let code =
        #"{"aliases":[{"alias":"x","format":"RAW_UUID"},{"alias":"tok_1","format":"UUID"}],"classifiers":[]}"#
    private static let good = #"{"data":[\#(card),\#(code)]}"#

    private static let form = """
        form: checkout
        route: echo
        access: {aliases: public}
        fields:
          - {name: card_number, type: cardNumber, isRequired: true, isRequiredValidOnly: true, tokenization: {classifiers: [pan]}}
          - {name: cvc, type: cvc, isRequiredValidOnly: true, tokenization: {}}
          - {name: note}
        """

    private func gateway(_ vault: StandIn, _ change: (inout RemoteVaultSettings) -> Void = { _ in }) async throws
        -> GatewayFixture
    {
        var settings = RemoteVaultSettings(base: try BaseURL("\(vault.url)/base"))
        change(&settings)
        var gateway = try await GatewayFixture(form: Self.form, remote: settings)
        gateway.upstream = vault
        return gateway
    }

    /// Who has many requests under way leaves connections to others.
    @Test func callersShareTheConnections() async throws {
        let isOpen = Mutex(false)
        let stand = try StandIn { _ in
            while !isOpen.withLock({ $0 }) { try? await Task.sleep(for: .milliseconds(5)) }
            return .json("{}")
        }
        try await withLoop { loop in
            let limits = PoolLimits(active: 20, idle: 1, queue: 100)
            let origin = Origin(host: "127.0.0.1", port: stand.address.port, pool: limits)
            let timeouts = ClientTimeouts(connect: .seconds(20), response: .seconds(20), exchange: .seconds(20))
            let vault = RemoteVault(client: Client(loops: [loop]), origin: origin, base: "/", timeouts: timeouts)
            func create(_ caller: PoolCaller) async {
                _ = try? await vault.create([], through: .v2, authorization: nil, requestID: "1", for: caller)
            }
            func used() -> Int { origin.connectionsInUse.load(ordering: .relaxed) }
            await withTaskGroup { group in
                for _ in 0..<40 { group.addTask { await create(PoolCaller(group: 0, member: 1)) } }
                let end = MonotonicTime.now + .seconds(5)
                while used() < 4, MonotonicTime.now < end { await loop.sleep(for: .milliseconds(1)) }
                await loop.sleep(for: .milliseconds(20))
                let strangers = used()
                #expect((4..<10).contains(strangers))
                group.addTask { await create(PoolCaller(group: 1, member: nil)) }
                while used() == strangers, MonotonicTime.now < end { await loop.sleep(for: .milliseconds(1)) }
                #expect(used() == strangers + 1)
                isOpen.withLock { $0 = true }
            }
        }
    }

    @Test(arguments: [
        ("aliases", RemoteVaultSettings.API.v2, true, true, "POST /base/aliases"),
        ("aliases", .v2, false, false, "POST /base/aliases"),
        ("tokens", .v2, true, false, "POST /base/tokens"), ("tokens", .v2, false, false, "POST /base/tokens"),
        ("aliases", .v1, false, false, "POST /base/tokens"), ("tokens", .v1, false, false, "POST /base/tokens"),
        ("aliases", .v1, true, true, "POST /base/tokens"), ("tokens", .v1, true, true, "POST /base/tokens"),
    ])
    func aliasesAreMadeThere(
        operation: String, api: RemoteVaultSettings.API, forwards: Bool, isAuthorized: Bool, line: String
    ) async throws {
        let vault = try StandIn(status: 200, json: Self.good)
        let gateway = try await gateway(vault) {
            $0.api = api
            $0.forwardAuthorization = forwards
        }
        let answer = try await gateway.call(
            "POST /v1/forms/checkout/\(operation)", [Self.token, "X-Request-Id: r1"], json: Self.submission)
        #expect(answer.status == 201)
        #expect(
            answer.body.hasPrefix(#"{"data":{"card_number":"4539600362514134","cvc":"tok_1","note":"n"},"aliases":["#))
        let request = try #require(vault.requests.first)
        #expect(request.line == line && vault.requests.count == 1)
        #expect(request["Authorization"] == (isAuthorized ? "Bearer of-the-vault" : nil))
        #expect(request["Content-Type"] == "application/json" && request["X-Request-Id"] == "r1")
        #expect(
            request.body == """
                {"data":[{"value":"4539600166594134","format":"FPE_SIX_T_FOUR","storage":"PERSISTENT","classifiers":["pan"]},\
                {"value":"321","format":"UUID","storage":"VOLATILE"}]}
                """)
    }

    @Test(arguments: [(RemoteVaultSettings.API.v2, "POST /base/aliases"), (.v1, "POST /base/tokens")])
    func sendsGoThroughTheConfiguredVersion(api: RemoteVaultSettings.API, line: String) async throws {
        let vault = try StandIn(status: 200, json: Self.good)
        let gateway = try await gateway(vault) { $0.api = api }
        let answer = try await gateway.call("POST /v1/forms/checkout/send/a", [Self.token], json: Self.submission)
        #expect(answer.status == 200)
        #expect(vault.requests.map(\.line) == [line])
        #expect(vault.requests.first?["Authorization"] == "Bearer of-the-vault")
    }

    /// A vault that refuses has done nothing: the same request may be tried again under its key. Any other refusal comes again.
    @Test(arguments: [(401, 2), (403, 2), (408, 2), (425, 2), (429, 2), (400, 1), (404, 1), (422, 1)])
    func aRefusalThatMayPassReleasesTheKey(status: Int, calls: Int) async throws {
        let vault = try StandIn(status: status, json: "{}")
        let gateway = try await gateway(vault)
        let headers = [Self.token, "Idempotency-Key: 1"]
        for _ in 0..<2 {
            let answer = try await gateway.call("POST /v1/forms/checkout/aliases", headers, json: Self.submission)
            #expect(answer.status == status)
        }
        #expect(vault.requests.count == calls)
    }

    /// Nothing of what lives in memory alone is in the log, whoever's memory it is.
    @Test func aliasesThatKeepWhatIsVolatileAreNotRecorded() async throws {
        let vault = try StandIn(
            json: #"{"data":[{"aliases":[{"alias":"tok_x_wxyz","format":"GENERIC_T_FOUR"}]}]}"#)
        var settings = RemoteVaultSettings(base: try BaseURL(vault.url))
        settings.forwardAuthorization = false
        let form = """
            form: checkout
            route: echo
            fields: [{name: n, tokenization: {format: GENERIC_T_FOUR, storage: VOLATILE}}]
            """
        var gateway = try await GatewayFixture(form: form, remote: settings)
        gateway.upstream = vault
        let answer = try await gateway.call(
            "POST /v1/forms/checkout/tokens", json: #"{"fields":{"n":"confidential-wxyz"}}"#)
        #expect(answer.status == 201 && answer.body.contains("tok_x_wxyz"))
        await gateway.audit.log.close()
        let log = String(decoding: try FileContents.bytes(of: gateway.audit.path), as: UTF8.self)
        #expect(log.contains(#""event":"create","outcome":"done""#) && !log.contains("wxyz"))
    }

    /// A vault may promise what it likes: an alias that holds a code is in no log, and in no stored response.
    @Test func aliasesThatHoldACodeAreNotRecorded() async throws {
        let vault = try StandIn(json: #"{"data":[\#(Self.card),{"aliases":[{"alias":"tok_321","format":"UUID"}]}]}"#)
        let gateway = try await gateway(vault)
        let answer = try await gateway.call("POST /v1/forms/checkout/tokens", json: Self.submission)
        #expect(answer.status == 201 && answer.body.contains("tok_321"))
        let lines = try await gateway.audit.lines()
        #expect(lines.contains { $0.contains("4539600362514134") } && !lines.contains { $0.contains("tok_321") })
    }

    /// Nor one of the card that holds the code.
    @Test func anotherFieldsAliasThatHoldsACodeIsNotRecorded() async throws {
        let card = Self.card.replacing("4539600362514134", with: "x321z")
        let vault = try StandIn(json: #"{"data":[\#(card),\#(Self.code)]}"#)
        let gateway = try await gateway(vault)
        let headers = [Self.token, "Idempotency-Key: 1"]
        for status in [201, 409] {
            let answer = try await gateway.call("POST /v1/forms/checkout/tokens", headers, json: Self.submission)
            #expect(answer.status == status)
        }
        #expect(vault.requests.count == 1)
        let lines = try await gateway.audit.lines()
        #expect(lines.contains { $0.contains("tok_1") } && !lines.contains { $0.contains("x321z") })
    }

    /// A vault that may have stored the values is not asked again under the key, and the audit log doesn't say that it failed.
    @Test(arguments: ["aliases", "tokens", "send/a"], ["", "[]", "500", "504", "late"])
    func aVaultThatMayHaveStoredIsAskedOnce(operation: String, response: String) async throws {
        let vault = try StandIn { _ in
            if response == "late" { try? await Task.sleep(for: .seconds(20)) }
            return Int(response).map { .json("{}", status: $0) } ?? .json(response)
        }
        let gateway = try await gateway(vault) { $0.timeouts.total = .seconds(3) }
        var statuses: Set<Int> = []
        for repetition in 0..<3 {
            let answer = try await gateway.call(
                "POST /v1/forms/checkout/\(operation)", [Self.token, "Idempotency-Key: 1"], json: Self.submission)
            statuses.insert(answer.status)
            #expect(answer.status >= 500 && (answer["Idempotency-Replayed"] == "true") == (repetition > 0))
        }
        #expect(vault.requests.count == 1 && statuses.count == 1)
        let lines = try await gateway.audit.lines()
        #expect(lines.count { $0.contains(#""event":"create","outcome":"uncertain""#) } == 1, "\(lines)")
    }

    private func guarded(_ vault: StandIn, _ action: FormSchema.Guard.Action) async throws -> GatewayFixture {
        var settings = RemoteVaultSettings(base: try BaseURL(vault.url))
        settings.forwardAuthorization = false
        var gateway = try await GatewayFixture(form: Self.form + "\nguard: {pan: \(action)}", remote: settings)
        gateway.upstream = vault
        return gateway
    }

    /// A refusal that is withheld frees the key as one that is passed on does.
    @Test(arguments: [(429, 2), (503, 2), (401, 2), (404, 1)])
    func aWithheldRefusal(status: Int, calls: Int) async throws {
        let vault = try StandIn(status: status, json: #"{"error":"4539600166594134"}"#)
        let gateway = try await guarded(vault, .refuse)
        for _ in 0..<2 {
            let answer = try await gateway.call(
                "POST /v1/forms/checkout/tokens", ["Idempotency-Key: 1"], json: Self.submission)
            #expect(answer.problem == "502/answerWithheld")
        }
        #expect(vault.requests.count == calls)
    }

    /// A refusal may hold what the vault was sent. With a code it is on no disk.
    @Test(arguments: [FormSchema.Guard.Action.report, .mask, .refuse])
    func whatARefusalHolds(action: FormSchema.Guard.Action) async throws {
        let vault = try StandIn(status: 422, json: #"{"error":"4539600166594134 and 321 do not fit"}"#)
        let gateway = try await guarded(vault, action)
        for status in action == .refuse ? [502, 502] : [422, 409] {
            let answer = try await gateway.call(
                "POST /v1/forms/checkout/tokens", ["Idempotency-Key: 1"], json: Self.submission)
            #expect(answer.status == status)
            if status == 502 { #expect(answer.problem == "502/answerWithheld") }
            #expect(answer.body.contains("4539600166594134") == (status == 422 && action == .report))
        }
        #expect(vault.requests.count == 1)
    }

    /// Sent on as it came or not at all.
    @Test func aCredentialThatIsNotUTF8IsRefused() async throws {
        let vault = try StandIn(status: 200, json: Self.good)
        let gateway = try await gateway(vault)
        let answer = try await gateway.call(
            "POST /v1/forms/checkout/send/a", ["Content-Type: application/json"],
            opaque: Array("Authorization: Bearer ".utf8) + [0xFF], body: Self.submission)
        #expect(answer.status == 400 && vault.requests.isEmpty)
    }

    @Test func withoutItemsTheVaultIsNotAsked() async throws {
        let vault = try StandIn(json: Self.good)
        let form = "form: memo\nfields: [{name: note, tokenization: {format: UUID}}]"
        let gateway = try await GatewayFixture(
            form: form, remote: RemoteVaultSettings(base: BaseURL(vault.url)))
        #expect(try await gateway.call("POST /v1/forms/memo/tokens", json: #"{"fields":{"note":""}}"#).status == 200)
        #expect(vault.requests.isEmpty)
    }

    @Test(arguments: [
        "{}", "[]", #"{"data":{}}"#, #"{"data":[\#(card)]}"#, #"{"data":[\#(card),\#(code),\#(code)]}"#,
        #"{"data":[\#(code),\#(card)]}"#,
        #"{"data":[{"value":"4539600166594135","aliases":[{"alias":"4539600362514134","format":"FPE_SIX_T_FOUR"}]},\#(code)]}"#,
        #"{"data":[\#(card),{"aliases":[]}]}"#, #"{"data":[\#(card),{"value":"321"}]}"#, #"{"data":[\#(card),null]}"#,
        #"{"data":[\#(card),{"value":321,"aliases":[{"alias":"a","format":"UUID"}]}]}"#,
        #"{"data":[\#(card),{"aliases":[{"alias":"","format":"UUID"}]}]}"#,
        #"{"data":[\#(card),{"aliases":[{"alias":"321","format":"UUID"}]}]}"#,
        #"{"data":[\#(card),{"aliases":[{"alias":"4539600166594134","format":"UUID"}]}]}"#,
        #"{"data":[\#(card),{"aliases":[{"alias":"tok_4539 6001-66594134_x","format":"UUID"}]}]}"#,
        #"{"data":[\#(card),{"aliases":[{"alias":"tok_1\n","format":"UUID"}]}]}"#,
        #"{"data":[\#(card),{"aliases":[{"alias":"\#(String(repeating: "x", count: 4_097))","format":"UUID"}]}]}"#,
    ])
    func oddAnswers(_ json: String) async throws {
        let gateway = try await gateway(StandIn(json: json))
        for operation in ["tokens", "send/a"] {
            let answer = try await gateway.call("POST /v1/forms/checkout/\(operation)", json: Self.submission)
            #expect(answer.status == 502 && answer.problem == "1401/unexpectedResponseDataFormat")
            #expect(!answer.body.contains("4539600") && answer["Cloakroom-Upstream-Status"] == nil)
        }
    }

    @Test(arguments: ["", "ok", "{\"data\":["])
    func successThatIsNotJSON(_ body: String) async throws {
        let answer = try await gateway(StandIn(json: body)).call(
            "POST /v1/forms/checkout/tokens", json: Self.submission)
        #expect(answer.status == 502 && answer.problem == "1400/unexpectedResponseType")
    }

    /// With another credential, or later, it may be done.
    @Test(arguments: [401, 403, 408, 429, 503, 400])
    func refusalsOfTheCallerAreNotKept(_ status: Int) async throws {
        let count = Counter()
        let vault = try StandIn { _ in
            count.add()
            return count.value == 1 ? .json("{}", status: status) : .json(Self.good)
        }
        let gateway = try await gateway(vault)
        for expected in [status, status == 400 ? 400 : 201] {
            let answer = try await gateway.call(
                "POST /v1/forms/checkout/tokens", ["Idempotency-Key: k"], json: Self.submission)
            #expect(answer.status == expected)
        }
        #expect(vault.requests.count == (status == 400 ? 1 : 2))
    }

    @Test(arguments: [302, 400, 401, 429, 500, 503])
    func refusalsArePassedOnOrStopASend(_ status: Int) async throws {
        let gateway = try await gateway(
            StandIn { _ in
                ServerResponse(
                    status: status,
                    headers: [
                        ("Content-Type", "text/x"), ("Retry-After", "7"), ("X-Other", "1"),
                        ("WWW-Authenticate", "Bearer realm=\"v\""),
                    ],
                    body: Array("no".utf8))
            })
        let tokens = try await gateway.call("POST /v1/forms/checkout/tokens", json: Self.submission)
        #expect(tokens.status == status && tokens.body == "no")
        #expect(tokens["Content-Type"] == "text/x" && tokens["Retry-After"] == "7" && tokens["X-Other"] == nil)
        #expect(tokens["WWW-Authenticate"] == "Bearer realm=\"v\"")
        #expect(tokens["Cloakroom-Upstream-Status"] == String(status))
        let send = try await gateway.call("POST /v1/forms/checkout/send/a", json: Self.submission)
        #expect(send.status == 502 && send.problem == "502/vaultRefused")
        #expect(send["Cloakroom-Upstream-Status"] == nil)
        let info = send.json?.object?["error"]?.object?["userInfo"]?.object?["extraInfo"]?.object
        guard case .number(let told)? = info?["status"] else {
            Issue.record("no status")
            return
        }
        #expect(told.text == String(status))
    }

    @Test func whoIsNotThere() async throws {
        let settings = RemoteVaultSettings(base: try BaseURL("http://127.0.0.1:1"))
        let gateway = try await GatewayFixture(form: Self.form, remote: settings)
        let answer = try await gateway.call("POST /v1/forms/checkout/tokens", json: Self.submission)
        #expect(answer.status == 502 && answer.problem == "-1004/cannotConnectToHost")
    }

    @Test func theVaultPlaneIsElsewhere() async throws {
        let gateway = try await gateway(StandIn(json: Self.good))
        for line in ["GET /aliases/a", "POST /aliases", "DELETE /aliases/a"] {
            let answer = try await gateway.call(line, [GatewayFixture.dev], json: "{}")
            #expect(answer.status == 501 && answer.detail?.contains("remote vault") == true)
        }
    }

    private func load(_ vault: String, _ more: String = "") throws -> LoadedConfiguration {
        let folder = try TemporaryFolder(["c.yaml": "vault: {store: remote\(vault)}\n\(more)"])
        return Configuration.load(file: folder.path + "/c.yaml")
    }

    @Test func configuration() throws {
        let plain = try #require(try load(", remote: {url: \"https://vault.example\"}").configuration?.vault.remote)
        #expect(plain.api == .v2 && plain.forwardAuthorization)
        let old = try load(", remote: {url: \"http://127.0.0.1:1/b/\", api: v1}").configuration?.vault.remote
        #expect(old?.forwardAuthorization == false && old?.api == .v1)
        #expect(RemoteVault.API.v1.target(below: "/b/") == "/b/tokens")
        #expect(RemoteVault.API.v2.target(below: "/b") == "/b/aliases")
        #expect(RemoteVault.API.v2.target(below: "") == "/aliases")
        #expect(try load("").mistakes.map(\.path) == ["vault.remote"])
        #expect(try load(", remote: {}").mistakes.map(\.path) == ["vault.remote.url"])
        #expect(try load(", remote: {url: \"http://vault.example\"}").mistakes.map(\.path) == ["vault.remote.url"])
        #expect(try load(", remote: {url: \"https://h\", api: v3}").mistakes.map(\.path) == ["vault.remote.api"])
        let all = ", remote: {api: v3, forwardAuthorization: x, timeouts: {connect: 1}, tls: {x: 1}}"
        #expect(
            try Set(load(all).mistakes.map(\.path))
                == Set(
                    ["url", "api", "forwardAuthorization", "timeouts.connect", "tls.x"].map { "vault.remote.\($0)" }))
        let reveal = "routes: [{name: a, kind: reveal, url: \"https://h\"}]"
        #expect(try load(", remote: {url: \"https://h\"}", reveal).mistakes.map(\.path) == ["vault.store"])
    }
}
