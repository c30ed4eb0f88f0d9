import Access
import AuditLog
import AuditLogTesting
import Crypto
import FileTesting
import JSON
import Sensitive
import Testing
import Vault

@testable import Configuration
@testable import EventHTTP
@testable import Gateway

/// proxy, section 7.
@Suite struct RevealRouteTests {
    private static let card = "4539600166594134"
    private let processor: StandIn

    init() throws {
        processor = try StandIn(json: #"{"ok":true}"#)
    }

    private func gateway(_ more: String = "", _ upstream: StandIn? = nil) async throws -> GatewayFixture {
        let upstream = upstream ?? processor
        var gateway = try await GatewayFixture(
            routes: routes(
                """
                {name: acquirer, kind: reveal, url: "\(upstream.url)/in", allowPlaintext: true, methods: [GET, POST]\(more)}
                """))
        gateway.upstream = upstream
        return gateway
    }

    /// An alias of the card number and one of a code.
    private func aliases(_ gateway: GatewayFixture) async throws -> (card: String, code: String) {
        let answer = try await gateway.call(
            "POST /aliases", [GatewayFixture.dev],
            json: """
                {"data":[{"value":"\(Self.card)","format":"UUID"},\
                {"value":"3=2&1 é","format":"UUID","storage":"VOLATILE"}]}
                """)
        let data = try #require(answer.json?.object?["data"]?.array)
        let aliases = data.compactMap { $0.object?["aliases"]?.array?.first?.object?["alias"]?.string }
        try #require(aliases.count == 2)
        return (aliases[0], aliases[1])
    }

    @Test func stringsOfJSONThatAreAliasesBecomeValues() async throws {
        let gateway = try await gateway()
        let (card, code) = try await aliases(gateway)
        let answer = try await gateway.call(
            "POST /v1/routes/acquirer/charges?x=%41&y", [GatewayFixture.dev, "X-Request-Id: r1"],
            json: """
                {"amount": 1.10, "\(card)": "\(card) ", "list": ["\(card)", {"code":"\(code)"}, null, true], "z":"USD"}
                """)
        #expect(answer.status == 200 && answer.body == #"{"ok":true}"#)
        #expect(answer["Cloakroom-Upstream-Status"] == "200" && answer["X-Request-Id"] == "r1")
        let request = try #require(processor.requests.first)
        #expect(request.line == "POST /in/charges?x=%41&y")
        #expect(
            request.body == """
                {"amount":1.10,"\(card)":"\(card) ","list":["\(Self.card)",{"code":"3=2&1 é"},null,true],"z":"USD"}
                """)
        #expect(request["Content-Type"] == "application/json" && request["X-Request-Id"] == "r1")
        #expect(request["Authorization"] == nil)
    }

    /// A credential that is limited to classifiers reveals no other value, wherever that lives, and all or nothing of a request.
    @Test func valuesOutOfReachAreNotSent() async throws {
        var limited = CredentialSettings(
            name: "limited", username: "limited", secrets: [.text(SensitiveText("limited-secret"))],
            scopes: Set(Scope.allCases))
        limited.classifiers = ["mine"]
        var gateway = try await GatewayFixture(
            routes: routes("{name: acquirer, kind: reveal, url: \"\(processor.url)\", allowPlaintext: true}"),
            credentials: [limited])
        gateway.upstream = processor
        var aliases: [String] = []
        for (storage, classifiers) in [
            ("PERSISTENT", #"["x","mine"]"#), ("VOLATILE", #"["mine"]"#), ("PERSISTENT", #"["theirs"]"#),
            ("VOLATILE", "[]"),
        ] {
            let answer = try await gateway.call(
                "POST /aliases", [GatewayFixture.dev],
                json:
                    #"{"data":[{"value":"value \#(aliases.count)","format":"UUID","storage":"\#(storage)","classifiers":\#(classifiers)}]}"#
            )
            let stored = answer.json?.object?["data"]?.array?.first?.object
            aliases.append(try #require(stored?["aliases"]?.array?.first?.object?["alias"]?.string))
        }
        func reveals() async throws -> [String] {
            try await gateway.audit.lines().filter { $0.contains(#""event":"reveal""#) }
        }
        for (numbers, status) in [([0, 1], 200), ([2], 403), ([3], 403), ([0, 3, 1], 403), ([], 200)] {
            let body = "[" + numbers.map { "\"\(aliases[$0])\"" }.joined(separator: ",") + "]"
            let (sent, recorded) = (processor.requests.count, try await reveals().count)
            let answer = try await gateway.call(
                "POST /v1/routes/acquirer/x", ["Authorization: Bearer limited-secret"], json: body)
            #expect(answer.status == status, "\(numbers)")
            #expect(processor.requests.count == sent + (status == 200 ? 1 : 0))
            let lines = try await reveals().dropFirst(recorded)
            #expect(lines.count == (status == 200 ? numbers.count : 1))
            #expect(lines.allSatisfy { $0.contains(status == 200 ? "done" : "forbidden") })
        }
        #expect(processor.requests.first?.body == #"["value 0","value 1"]"#)
    }

    /// A short body can name a long value many times.
    @Test func whatGrowsWithoutBoundIsNotSent() async throws {
        let gateway = try await gateway(", reveal: {query: [a]}")
        let long = String(repeating: "x", count: 1 << 18)
        let made = try await gateway.call(
            "POST /aliases", [GatewayFixture.dev], json: #"{"data":[{"value":"\#(long)","format":"UUID"}]}"#)
        let stored = made.json?.object?["data"]?.array?.first?.object
        let alias = try #require(stored?["aliases"]?.array?.first?.object?["alias"]?.string)
        for (count, query, status) in [(3, "", 200), (65, "", 413), (64, "?a=\(alias)", 413)] {
            let list = Array(repeating: "\"\(alias)\"", count: count).joined(separator: ",")
            let answer = try await gateway.call(
                "POST /v1/routes/acquirer/x\(query)", [GatewayFixture.dev], json: "[\(list)]")
            #expect(answer.status == status, "\(count) \(query)")
            if status == 413 { #expect(answer.problem == "413/bodyTooLarge") }
        }
        #expect(processor.requests.count == 1)
    }

    /// What stands in a form counts as it is written there.
    @Test(arguments: [(#"\u0001"#, false, 86), (#"\u0001"#, true, 86), ("%", true, 171), ("%", false, 513)])
    func growthIsMeasuredAsWritten(character: String, isForm: Bool, count: Int) async throws {
        let gateway = try await gateway()
        let long = String(repeating: character, count: 1 << 15)
        let made = try await gateway.call(
            "POST /aliases", [GatewayFixture.dev], json: #"{"data":[{"value":"\#(long)","format":"UUID"}]}"#)
        let stored = made.json?.object?["data"]?.array?.first?.object
        let alias = try #require(stored?["aliases"]?.array?.first?.object?["alias"]?.string)
        let type = isForm ? "application/x-www-form-urlencoded" : "application/json"
        let list = Array(repeating: isForm ? "a=\(alias)" : "\"\(alias)\"", count: count)
        let body = isForm ? list.joined(separator: "&") : "[" + list.joined(separator: ",") + "]"
        let answer = try await gateway.call(
            "POST /v1/routes/acquirer/x", [GatewayFixture.dev, "Content-Type: \(type)"], body: body)
        #expect(answer.problem == "413/bodyTooLarge")
    }

    @Test func aBodyWithoutAliasesStaysAsItWasWritten() async throws {
        let body = "{ \"a\" : 1.0,\n\"b\":\"\\u0041\" }"
        #expect(try await gateway().call("POST /v1/routes/acquirer", [GatewayFixture.dev], json: body).status == 200)
        #expect(processor.requests.first?.line == "POST /in")
        #expect(processor.requests.first?.body == body)
    }

    @Test func formEncodedValuesThatAreAliasesBecomeValues() async throws {
        let gateway = try await gateway()
        let (card, code) = try await aliases(gateway)
        let answer = try await gateway.call(
            "POST /v1/routes/acquirer/", [GatewayFixture.dev, "Content-Type: application/x-www-form-urlencoded"],
            body: "a=%41+b&pan=\(card)&\(card)=1&code=\(code.replacing("_", with: "%5F"))&&x=%zz&flag")
        #expect(answer.status == 200)
        let request = try #require(processor.requests.first)
        #expect(request.body == "a=%41+b&pan=\(Self.card)&\(card)=1&code=3%3D2%261%20%C3%A9&&x=%zz&flag")
        #expect(request["Content-Type"] == "application/x-www-form-urlencoded")
    }

    @Test func chosenHeadersAndQueryMayHoldAliases() async throws {
        let gateway = try await gateway(
            ", forwardHeaders: [X-Other], reveal: {headers: [X-Key, X-Basic], query: [pan]}")
        let (card, _) = try await aliases(gateway)
        let answer = try await gateway.call(
            "GET /v1/routes/acquirer/a?pan=\(card)&other=\(card)&p%61n=\(card)",
            [
                GatewayFixture.dev, "X-Key: bearer  \(card)",
                "X-Basic: Basic \(Base64.encode(Array("u:\(card)".utf8)))",
                "X-Other: \(card)", "X-Key: \(card)",
            ])
        #expect(answer.status == 200)
        let request = try #require(processor.requests.first)
        #expect(request.line == "GET /in/a?pan=\(Self.card)&other=\(card)&p%61n=\(Self.card)")
        #expect(
            request.headers.filter { $0.name.lowercased() == "x-key" }.map(\.value) == [
                "bearer  \(Self.card)", Self.card,
            ])
        #expect(request["X-Basic"] == "Basic \(Base64.encode(Array("u:\(Self.card)".utf8)))")
        #expect(request["X-Other"] == card)
        #expect(request["Content-Type"] == nil)
    }

    /// What stands before the first colon is the user: a value with one would move into the password (RFC 7617 section 2).
    @Test func aUserWithAColonIsNeverSent() async throws {
        let gateway = try await gateway(", reveal: {headers: [X-Basic]}")
        let made = try await gateway.call(
            "POST /aliases", [GatewayFixture.dev], json: #"{"data":[{"value":"a:b","format":"RAW_UUID"}]}"#)
        let stored = made.json?.object?["data"]?.array?.first?.object?["aliases"]?.array?.first
        let alias = try #require(stored?.object?["alias"]?.string)
        for (credentials, status) in [("\(alias):x", 400), ("x:\(alias)", 200)] {
            let header = "X-Basic: Basic \(Base64.encode(Array(credentials.utf8)))"
            let answer = try await gateway.call("GET /v1/routes/acquirer/a", [GatewayFixture.dev, header])
            #expect(answer.status == status)
        }
        #expect(processor.requests.map { $0["X-Basic"] } == ["Basic \(Base64.encode(Array("x:a:b".utf8)))"])
    }

    /// The vault refuses it before it opens the values.
    @Test func aliasesOfMoreThanThereIsRoomForAreRefused() async throws {
        let gateway = try await gateway()
        let value = SensitiveText(String(repeating: "x", count: 1 << 20))
        var aliases: [String] = []
        for number in 0...16 {
            let item = VaultItem.value(SensitiveText("\(number)" + value.exposed.dropFirst(2)), format: .uuid)
            aliases += try await gateway.vault.create([item]).compactMap(\.requested?.alias)
        }
        let body = "[" + aliases.map { "\"\($0)\"" }.joined(separator: ",") + "]"
        let answer = try await gateway.call("POST /v1/routes/acquirer/a", [GatewayFixture.dev], json: body)
        #expect(answer.problem == "413/bodyTooLarge")
        #expect(processor.requests.isEmpty)
    }

    /// A line break would end the header, and blanks at the ends would be lost on the way.
    @Test(arguments: [#"a\r\nB: c"#, " a", "a ", #"\ta"#, " "])
    func aValueThatIsNoHeaderIsNeverSent(value: String) async throws {
        let gateway = try await gateway(", reveal: {headers: [X-Key]}")
        let made = try await gateway.call(
            "POST /aliases", [GatewayFixture.dev], json: #"{"data":[{"value":"\#(value)","format":"RAW_UUID"}]}"#)
        let stored = made.json?.object?["data"]?.array?.first?.object?["aliases"]?.array?.first
        let alias = try #require(stored?.object?["alias"]?.string)
        let answer = try await gateway.call("GET /v1/routes/acquirer/a", [GatewayFixture.dev, "X-Key: \(alias)"])
        #expect(answer.status == 400 && answer.problem == "400/malformedRequest")
        #expect(processor.requests.isEmpty)
    }

    @Test(arguments: [
        "tok_sandbox_FyUq2QGMG7ByxxCbrqQoMN", "tok_live_x", "vgsFyUq2QGMG7ByxxCbrqQoMN1234",
        "5b0b2f0e-7a53-4d8c-9c1b-2f1f4e0c77aa",
    ])
    func unknownAliasesAreRefusedBeforeAnythingIsSent(_ alias: String) async throws {
        let gateway = try await gateway()
        let answer = try await gateway.call(
            "POST /v1/routes/acquirer/a", [GatewayFixture.dev], json: #"{"a":["4111111111111111","\#(alias)"]}"#)
        #expect(answer.problem == "400/unknownAlias" && answer.body.contains(alias))
        #expect(!answer.body.contains("41111"))
        #expect(processor.requests.isEmpty)
        #expect(
            try #require(try await gateway.audit.lines().first { $0.contains("reveal") }).contains(
                #""outcome":"unknown""#))
        let passing = try await self.gateway(", unknownAliases: pass")
        #expect(
            try await passing.call("POST /v1/routes/acquirer/a", [GatewayFixture.dev], json: #"["\#(alias)"]"#).status
                == 200)
        #expect(processor.requests.first?.body == #"["\#(alias)"]"#)
    }

    @Test(arguments: [
        ("", "text/plain", "a", 200), ("", "multipart/form-data; boundary=x", "x", 200),
        (", reveal: {body: require}", "text/plain", "a", 415),
        (", reveal: {body: require}", "application/json", "[]", 200),
        (", reveal: {body: require}", "text/json; charset=utf-8", "[]", 200), ("", "text/json", "[", 400),
        (", reveal: {body: require}", "application/vnd.x+json", "[]", 200), ("", "application/json", "[", 400),
        ("", "application/json", #"{"a":1,"a":2}"#, 400), (", reveal: {body: false}", "application/json", "[", 200),
        (", reveal: {body: require}", "text/plain", "", 200), ("", "application/json", "", 200),
    ])
    func mediaTypes(more: String, type: String, body: String, status: Int) async throws {
        let answer = try await gateway(more).call(
            "POST /v1/routes/acquirer/a", [GatewayFixture.dev, "Content-Type: \(type)"], body: body)
        #expect(answer.status == status)
        #expect(processor.requests.map(\.body) == (status == 200 ? [body] : []))
        if status == 200 { #expect(processor.requests.first?["Content-Type"] == type) }
        if status == 415 {
            let detail = answer.json?.object?["detail"]?.string ?? ""
            #expect(detail.contains("application/json") && detail.contains("application/x-www-form-urlencoded"))
            #expect(answer.problem == "415/unsupportedMediaType")
        }
    }

    /// What nobody has looked into goes out as what the caller says that it is.
    @Test func anUnreadBodyKeepsItsCoding() async throws {
        let gateway = try await gateway(", reveal: {body: false}")
        let headers = [GatewayFixture.dev, "Content-Type: application/json", "Content-Encoding: gzip"]
        #expect(try await gateway.call("POST /v1/routes/acquirer/a", headers, body: "x").status == 200)
        #expect(processor.requests.first?["Content-Encoding"] == "gzip")
        #expect(try await gateway.call("POST /v1/routes/acquirer/a", headers, body: "").status == 200)
        #expect(processor.requests.last?["Content-Encoding"] == nil)
    }

    @Test func aCompressedBodyIsNotPassedOnUnread() async throws {
        let headers = [GatewayFixture.dev, "Content-Type: application/json", "Content-Encoding: gzip"]
        #expect(try await gateway().call("POST /v1/routes/acquirer/a", headers, body: "x").status == 415)
    }

    @Test(arguments: [
        ("POST /v1/routes/acquirer/a", "X-None: 1", 401), ("POST /v1/routes/acquirer/a", GatewayFixture.nobody, 403),
        ("POST /v1/routes/nope/a", GatewayFixture.dev, 404), ("POST /v1/routes/nope/a", "X-None: 1", 401),
        ("OPTIONS /v1/routes/acquirer/a", "X-None: 1", 401), ("PATCH /v1/routes/acquirer/a", "X-None: 1", 401),
        ("OPTIONS /v1/routes/nope/a", "X-None: 1", 401), ("OPTIONS /v1/routes/acquirer/a", GatewayFixture.dev, 204),
        ("POST /v1/routes/acquirer/a", GatewayFixture.sender, 403),
        ("POST /v1/routes/nope/a", GatewayFixture.nobody, 403), ("POST /v1/routes", GatewayFixture.dev, 404),
        ("POST /v1/routes/echo/a", GatewayFixture.dev, 404), ("PUT /v1/routes/acquirer/a", GatewayFixture.dev, 405),
        ("POST /v1/routes/acquirer/a/../b", GatewayFixture.dev, 400),
        ("POST /v1/routes/acquirer/%2e%2e/b", GatewayFixture.dev, 400),
        ("OPTIONS /v1/routes/acquirer/a", GatewayFixture.dev, 204),
    ])
    func refusals(line: String, header: String, status: Int) async throws {
        let answer = try await gateway().call(line, [header], json: "{}")
        #expect(answer.status == status)
        if status == 405 || status == 204 { #expect(answer["Allow"] == "GET, POST, OPTIONS") }
        #expect(processor.requests.isEmpty)
    }

    /// A header that can't be passed on refuses the call before anything is revealed; one that is for this connection alone reveals nothing.
    @Test(arguments: [("X-Other: \u{0}", 400, 0), ("Connection: x-key", 200, 1)])
    func whatIsNotSentIsNotRevealed(header: String, status: Int, sent: Int) async throws {
        let gateway = try await gateway(", forwardHeaders: [X-Other], reveal: {headers: [X-Key]}")
        let (card, _) = try await aliases(gateway)
        // A byte that is no UTF-8 in the place of the mark.
        let line = Array(header.utf8).map { $0 == 0 ? 0xFF : $0 }
        let answer = try await gateway.call(
            "POST /v1/routes/acquirer/a", [GatewayFixture.dev, "X-Key: \(card)"], opaque: line, body: "")
        #expect(answer.status == status)
        #expect(processor.requests.count == sent && processor.requests.first?["X-Key"] == nil)
        #expect(try await !gateway.audit.lines().contains { $0.contains(#""event":"reveal""#) })
    }

    @Test func everyRevealIsAnEventOfItsOwn() async throws {
        let gateway = try await gateway()
        let (card, code) = try await aliases(gateway)
        _ = try await gateway.call(
            "POST /v1/routes/acquirer/a", [GatewayFixture.dev], json: #"["\#(card)","\#(code)","\#(card)"]"#)
        let reveals = try await gateway.audit.lines().filter { $0.contains(#""event":"reveal""#) }
        #expect(reveals.count == 2)
        #expect(
            reveals.allSatisfy {
                $0.contains(#""credential":"dev","address":"127.0.0.1","route":"acquirer","count":1"#)
            })
        #expect(reveals.contains { $0.contains(card) } && reveals.contains { $0.contains(code) })
        #expect(!reveals.contains { $0.contains(Self.card) })
        #expect(try await gateway.call("GET /aliases/\(card)", [GatewayFixture.dev]).status == 200)
        var metrics = MetricsText()
        gateway.telemetry.write(into: &metrics)
        #expect(metrics.text.contains("\ncloakroom_reveals_total 3\n"))
    }

    @Test func whatCannotBeRecordedIsNotSent() async throws {
        let gateway = try await gateway()
        let (card, _) = try await aliases(gateway)
        await gateway.audit.log.close()
        let answer = try await gateway.call("POST /v1/routes/acquirer/a", [GatewayFixture.dev], json: #"["\#(card)"]"#)
        #expect(answer.problem == "503/unavailable" && answer["Retry-After"] != nil)
        #expect(answer.json?.object?["detail"]?.string?.contains("audit log") == true)
        #expect(processor.requests.isEmpty)
    }

    // MARK: The answer

    private static let rules = """
        , redact: [{pointer: /card/number, format: FPE_SIX_T_FOUR}, {pointer: "/items/*/pan", format: FPE_T_FOUR}, \
        {pointer: /cvc, format: UUID, storage: VOLATILE, classifiers: [cvc]}]
        """

    @Test func whatTheRulesNameComesBackAsAliases() async throws {
        let echo = try StandIn(
            status: 402,
            json: """
                {"id":1.50, "card":{"number":"\(Self.card)","brand":"\(Self.card)"},"cvc":321,"items":[{"pan":"\(Self.card)"},\
                {"pan":""},{"pan":null},{"pan":"453960******4134"}],"*":"x"}
                """)
        let gateway = try await gateway(Self.rules + ", reveal: {body: [/0]}", echo)
        let answer = try await gateway.call("POST /v1/routes/acquirer/a", [GatewayFixture.dev], json: "{}")
        #expect(answer.status == 402 && answer["Cloakroom-Upstream-Status"] == "402")
        let json = try #require(answer.json?.object)
        let number = try #require(json["card"]?.object?["number"]?.string)
        #expect(number.hasPrefix("453960") && number.hasSuffix("4134") && number != Self.card)
        #expect(json["card"]?.object?["brand"]?.string == Self.card)
        #expect(json["cvc"]?.string?.hasPrefix("tok_sandbox_") == true)
        let items = try #require(json["items"]?.array)
        let pans = items.map { $0.object?["pan"]?.string }
        #expect(pans[0]?.hasSuffix("4134") == true && pans[0] != Self.card && pans[1] == "" && pans[2] == nil)
        #expect(pans[3]?.hasPrefix("tok_sandbox_") == true)
        #expect(answer.body.hasPrefix(#"{"id":1.50,"card":{"number""#) && answer.body.hasSuffix(#""*":"x"}"#))
        let back = try await gateway.call("POST /v1/routes/acquirer/a", [GatewayFixture.dev], json: "[\"\(number)\"]")
        #expect(back.status == 402 && echo.requests.last?.body == "[\"\(Self.card)\"]")
        let redactions = try await gateway.audit.lines().filter { $0.contains(#""event":"redact""#) }
        #expect(redactions.count == 8 && redactions.contains { $0.contains(number) })
    }

    /// Nothing of what lives in memory alone is in the log, on the way in or out.
    @Test func aliasesThatKeepWhatIsVolatileAreNotRecorded() async throws {
        let echo = try StandIn(json: #"{"code":"confidential-wxyz"}"#)
        let gateway = try await gateway(
            ", redact: [{pointer: /code, format: GENERIC_T_FOUR, storage: VOLATILE}]", echo)
        let answer = try await gateway.call("POST /v1/routes/acquirer/a", [GatewayFixture.dev], json: "{}")
        let alias = try #require(answer.json?.object?["code"]?.string)
        #expect(alias.hasSuffix("_wxyz"))
        _ = try await gateway.call("POST /v1/routes/acquirer/a", [GatewayFixture.dev], json: "[\"\(alias)\"]")
        #expect(echo.requests.last?.body == #"["confidential-wxyz"]"#)
        let log = try await gateway.audit.lines()
        #expect(log.count { $0.contains(#""event":"redact""#) } == 1)
        #expect(log.count { $0.contains(#""event":"reveal""#) } == 1)
        #expect(!log.contains { $0.contains("wxyz") })
    }

    /// Aliases that would be made after the log has ended are not made: the answer is withheld.
    @Test func nothingIsRedactedThatCannotBeRecorded() async throws {
        let gateway = try await gateway(Self.rules, StandIn(json: #"{"card":{"number":"\#(Self.card)"}}"#))
        let before = gateway.vault.metrics.created
        let reservation = try gateway.audit.log.reserve()
        async let closed = gateway.audit.log.close()
        while (try? gateway.audit.log.reserve()) != nil { try await Task.sleep(for: .milliseconds(1)) }
        let answer = try await gateway.call("POST /v1/routes/acquirer/a", [GatewayFixture.dev], json: "{}")
        #expect(answer.problem == "502/answerWithheld" && !answer.body.contains(Self.card))
        #expect(gateway.vault.metrics.created == before)
        reservation.record(AuditEvent(.stop))
        #expect(await closed)
    }

    /// Where a pointer ends at an array or an object, all strings and numbers in it come back as aliases.
    @Test(arguments: [
        ("/card", #"{"card":4539600166594134}"#),
        ("/card", #"{"card":{"number":"4539600166594134","n":4539600166594134}}"#),
        ("/card", #"{"card":["4539600166594134",[{"a":{"b":4539600166594134}}]]}"#),
        ("", #"["4539600166594134",{"x":4539600166594134}]"#), ("", "4539600166594134"),
        ("/items/*", #"{"items":[["4539600166594134"],{"pan":4539600166594134}]}"#),
    ])
    func everythingUnderAPointerIsRedacted(pointer: String, json: String) async throws {
        let gateway = try await gateway(
            ", redact: [{pointer: \"\(pointer)\", format: FPE_SIX_T_FOUR}]", StandIn(json: json))
        let answer = try await gateway.call("POST /v1/routes/acquirer/a", [GatewayFixture.dev], json: "{}")
        #expect(answer.status == 200 && !answer.body.contains(Self.card) && answer.body.contains("453960"))
    }

    @Test func theLongerPointerGoesFirst() async throws {
        let json =
            #"{"card":{"number":"4539600166594134","cvc":123,"ok":true,"none":null,"empty":"","o":{},"l":[]},"id":7}"#
        let rules = """
            , redact: [{pointer: /card, format: UUID}, {pointer: /card/number, format: FPE_T_FOUR}, \
            {pointer: /card/number, format: UUID}]
            """
        let gateway = try await gateway(rules, StandIn(json: json))
        let answer = try await gateway.call("POST /v1/routes/acquirer/a", [GatewayFixture.dev], json: "{}")
        let card = try #require(answer.json?.object?["card"]?.object)
        let number = try #require(card["number"]?.string)
        #expect(number.count == 16 && number.hasSuffix("4134") && number != Self.card)
        #expect(card["cvc"]?.string?.hasPrefix("tok_sandbox_") == true)
        #expect(answer.body.hasSuffix(#""ok":true,"none":null,"empty":"","o":{},"l":[]},"id":7}"#))
    }

    @Test(arguments: ["<html>4539600166594134</html>", "{\"card\":", "{\"a\":1,\"a\":2}"])
    func anAnswerThatCannotBeRedactedIsNotPassedOn(_ body: String) async throws {
        let gateway = try await gateway(Self.rules, StandIn(json: body))
        let answer = try await gateway.call("POST /v1/routes/acquirer/a", [GatewayFixture.dev], json: "{}")
        #expect(answer.status == 502 && answer.problem == "502/answerWithheld")
        #expect(answer["Cloakroom-Upstream-Status"] == nil && !answer.body.contains("453960"))
        let unredacted = try await self.gateway("", StandIn(json: body))
        #expect(try await unredacted.call("POST /v1/routes/acquirer/a", [GatewayFixture.dev], json: "{}").body == body)
    }

    @Test func anAnswerWithTooManyValuesIsNotPassedOn() async throws {
        let items = repeatElement("{\"pan\":\"1\"}", count: ResponseRedaction.limit + 1).joined(separator: ",")
        let gateway = try await gateway(Self.rules, StandIn(json: "{\"items\":[\(items)]}"))
        let answer = try await gateway.call("POST /v1/routes/acquirer/a", [GatewayFixture.dev], json: "{}")
        #expect(answer.problem == "502/answerWithheld")
    }

    /// More than one commit's worth, each value at its place.
    @Test func manyValuesAreAllReplaced() async throws {
        let items = (0..<1_201).map { "{\"pan\":\"\($0 % 700)\"}" }.joined(separator: ",")
        let gateway = try await gateway(Self.rules, StandIn(json: "{\"items\":[\(items)]}"))
        let answer = try await gateway.call("POST /v1/routes/acquirer/a", [GatewayFixture.dev], json: "{}")
        #expect(answer.status == 200)
        let elements = try #require(answer.json?.object?["items"]?.array)
        let aliases = elements.compactMap { $0.object?["pan"]?.string }
        #expect(aliases.count == 1_201 && aliases.allSatisfy { $0.hasPrefix("tok_") })
        #expect(Set(aliases).count == 700)
        #expect((0..<501).allSatisfy { aliases[$0] == aliases[$0 + 700] })
    }

    @Test func anEmptyAnswerHasNothingToRedact() async throws {
        let gateway = try await gateway(Self.rules, StandIn { _ in ServerResponse(status: 204, headers: [], body: []) })
        #expect(try await gateway.call("GET /v1/routes/acquirer/a", [GatewayFixture.dev]).status == 204)
    }

    /// While the upstream is left alone nothing is revealed, and so nothing recorded.
    @Test func nothingIsRevealedToARestingUpstream() async throws {
        let gateway = try await GatewayFixture(
            routes: routes(
                """
                {name: acquirer, kind: reveal, url: "http://127.0.0.1:1", allowPlaintext: true, \
                breaker: {failures: 1, rest: 1h}}
                """))
        let (card, _) = try await aliases(gateway)
        var statuses: [Int] = []
        for _ in 0..<3 {
            statuses.append(
                try await gateway.call("POST /v1/routes/acquirer/a", [GatewayFixture.dev], json: #"["\#(card)"]"#)
                    .status)
        }
        #expect(statuses == [502, 503, 503])
        #expect(try await gateway.audit.lines().count { $0.contains(#""event":"reveal""#) } == 1)
    }

    /// Outside the route's paths nothing is revealed.
    @Test func nothingIsRevealedOutsideTheRoutesPaths() async throws {
        let gateway = try await gateway(", paths: [/charges/*]")
        let (card, _) = try await aliases(gateway)
        let body = "[\"\(card)\"]"
        let refused = try await gateway.call("POST /v1/routes/acquirer/other", [GatewayFixture.dev], json: body)
        #expect(refused.status == 404 && processor.requests.isEmpty)
        #expect(try await !gateway.audit.lines().contains { $0.contains(#""event":"reveal""#) })
        #expect(
            try await gateway.call("POST /v1/routes/acquirer/charges/1", [GatewayFixture.dev], json: body).status
                == 200)
    }

    /// The aliases of its answer could not be recorded: the upstream is not asked.
    @Test func nothingIsSentWhoseRedactionCannotBeRecorded() async throws {
        let folder = try TemporaryFolder(["audit.log/place": ""])
        var gateway = try await GatewayFixture(
            routes: routes(
                """
                {name: acquirer, kind: reveal, url: "\(processor.url)", allowPlaintext: true, \
                redact: [{pointer: /a, format: UUID}]}
                """), auditFolder: folder)
        gateway.upstream = processor
        let answer = try await gateway.call("POST /v1/routes/acquirer/a", [GatewayFixture.dev], json: "{}")
        #expect(answer.problem == "503/unavailable" && processor.requests.isEmpty)
    }

    /// What an upstream has done cannot be taken back: where its answer could not be redacted it is not asked.
    @Test func nothingIsSentWhoseAnswerHasNoRoom() async throws {
        let upstream = try StandIn(json: #"{"a":"1"}"#)
        var gateway = try await GatewayFixture(
            routes: routes(
                """
                {name: acquirer, kind: reveal, url: "\(upstream.url)", allowPlaintext: true, \
                redact: [{pointer: /a, format: UUID, storage: VOLATILE}]}
                """), volatileCapacity: 1)
        gateway.upstream = upstream
        let first = try await gateway.call("POST /v1/routes/acquirer/a", [GatewayFixture.dev], json: "{}")
        let second = try await gateway.call("POST /v1/routes/acquirer/a", [GatewayFixture.dev], json: "{}")
        #expect(first.status == 200 && second.status == 503 && upstream.requests.count == 1)
    }
}
