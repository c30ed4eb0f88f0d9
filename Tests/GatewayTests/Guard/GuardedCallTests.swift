import AuditLog
import AuditLogTesting
import FormSchema
import HTTPWire
import JSON
import Testing
import Vault

@testable import Configuration
@testable import EventHTTP
@testable import Gateway

/// Card numbers outside the card fields: what is sent, what upstreams return, what `aliases` returns raw (`docs/reference/proxy.md` section 10).
@Suite struct GuardedCallTests {
    private static let card = "4111111111111111"
    private static let other = "5555555555554444"
    private static let masked = "************4444"

    private static func form(_ action: String?) -> String {
        """
        form: checkout
        route: orders
        \(action.map { "guard: {pan: \($0)}" } ?? "")
        fields:
          - {name: card_number, type: cardNumber, isRequiredValidOnly: true, tokenization: {}}
          - {name: note}
          - {name: secret, tokenization: {}}
        """
    }

    private func gateway(
        _ action: String?, _ upstream: StandIn, kind: String = "upstream", more: String = "",
        headers: String = ", responseHeaders: [Content-Type, X-Note]"
    ) async throws -> GatewayFixture {
        var gateway = try await GatewayFixture(
            form: Self.form(action),
            routes: routes(
                """
                {name: orders, kind: \(kind), url: "\(upstream.url)", allowPlaintext: true\(headers)\(more)}
                """))
        gateway.upstream = upstream
        return gateway
    }

    private func submission(note: String = "", extra: String = "{}") -> String {
        #"{"fields":{"card_number":"\#(Self.card)","note":"\#(note)","secret":"\#(Self.other)"},"extraData":\#(extra)}"#
    }

    private func findings(_ gateway: GatewayFixture) async throws -> [String] {
        try await gateway.audit.lines().filter { $0.contains(#""event":"cardNumber""#) }
    }

    /// Half of the other number in any writing. Fewer digits also come up in request ids.
    private func holdsNumber(_ line: String) -> Bool { line.filter(\.isNumber).contains("55555555") }

    private func metrics(_ gateway: GatewayFixture) -> String {
        var text = MetricsText()
        gateway.telemetry.write(into: &text)
        return text.text
    }

    @Test(arguments: [
        (#"{"a":"\#(other)"}"#, "", "/a"), (#"{"a":{"b~/c":["x",{"d":\#(other)}]}}"#, "", "/a/b~0~1c/1/d"),
        (#"{"a":"5555 5555 5555 4444"}"#, "", "/a"), ("{}", "card 5555-5555-5555-4444!", "/note"),
        (#"{"\#(other)":1}"#, "", "/************4444"), (#"{"a":5.555555555554444e15}"#, "", "/a"),
    ])
    func whatIsSentBesidesTheCard(extra: String, note: String, place: String) async throws {
        for action in ["refuse", "mask", "report", "off", nil] {
            let upstream = try StandIn(json: "{}")
            let gateway = try await gateway(action, upstream)
            let answer = try await gateway.call(
                "POST /v1/forms/checkout/send/a", json: submission(note: note, extra: extra))
            let findings = try await findings(gateway)
            if action == "refuse" {
                #expect(answer.problem == "400/cardNumberRefused" && answer.body.contains(place), "\(answer.body)")
                #expect(upstream.requests.isEmpty && gateway.vault.metrics.created == 0)
            } else {
                #expect(answer.status == 200)
                let body = try #require(upstream.requests.first?.body)
                #expect(try JSONValue.parse(Array(body.utf8)).object != nil, "\(body)")
                let digits = body.filter { $0.isNumber || $0 == "*" }
                #expect(digits.contains(action == "mask" ? Self.masked : Self.other), "\(body)")
                #expect(!digits.contains(action == "mask" ? Self.other : Self.masked), "\(body)")
            }
            #expect(findings.count == (action == "off" ? 0 : 1))
            #expect(findings.allSatisfy { $0.contains(#""places":["\#(place)"]"#) && !holdsNumber($0) })
            #expect(!answer.body.contains("55555555"))
            let label = #"{passage="request",action="\#(action ?? "report")"}"#
            #expect(metrics(gateway).contains("cloakroom_guard_findings_total\(label) 1") == (action != "off"))
        }
    }

    /// The card's own field, and everything that gets an alias; aliases that look like cards.
    @Test func whatIsMeantToBeThereIsNoFind() async throws {
        let upstream = try StandIn(json: "{}")
        let gateway = try await gateway("refuse", upstream)
        for extra in ["{}", #"{"total":"1795383600000000","id":"41111111-1111-1111-1111-111111111111","n":4111}"#] {
            #expect(
                try await gateway.call("POST /v1/forms/checkout/send/a", json: submission(extra: extra)).status == 200)
        }
        #expect(
            try await gateway.call("POST /v1/forms/checkout/aliases", [GatewayFixture.dev], json: submission()).status
                == 201)
        #expect(try await findings(gateway).isEmpty)
        // An alias of an earlier call.
        let alias = try #require(upstream.requests.first?.body.split(separator: "\"").first { $0.hasPrefix("411111") })
        let again = try await self.gateway("mask", upstream)
        _ = try await again.call("POST /v1/forms/checkout/send/a", json: submission(extra: #"{"earlier":"\#(alias)"}"#))
        #expect(try await findings(again).count == 1, "of another vault it is nothing but a number")
        let masking = try await self.gateway("mask", upstream)
        let first = try await masking.call("POST /v1/forms/checkout/send/a", json: submission())
        #expect(first.status == 200)
        let own = try #require(upstream.requests.last?.body.split(separator: "\"").first { $0.hasPrefix("411111") })
        _ = try await masking.call("POST /v1/forms/checkout/send/a", json: submission(extra: #"{"earlier":"\#(own)"}"#))
        #expect(upstream.requests.last?.body.contains(#""earlier":"\#(own)""#) == true)
        #expect(try await findings(masking).isEmpty)
    }

    @Test(arguments: ["refuse", "mask", "report", "off"])
    func whatAliasesReturnsRaw(action: String) async throws {
        for call in ["aliases", "tokens"] {
            let gateway = try await gateway(action, try StandIn(json: "{}"))
            let answer = try await gateway.call(
                "POST /v1/forms/checkout/\(call)", [GatewayFixture.dev], json: submission(note: "it is \(Self.other)"))
            switch action {
            case "refuse":
                #expect(answer.problem == "400/cardNumberRefused" && gateway.vault.metrics.created == 0)
                #expect(answer.body.contains("/data/note") || answer.body.contains("/note"))
            case "mask": #expect(answer.status == 201 && answer.body.contains("it is \(Self.masked)"))
            default: #expect(answer.status == 201 && answer.body.contains("it is \(Self.other)"))
            }
            #expect(try await findings(gateway).count == (action == "off" ? 0 : 1))
        }
    }

    @Test(arguments: ["refuse", "mask", "report", "off"])
    func whatUpstreamsReturn(action: String) async throws {
        for (body, type, masked) in [
            (
                #"{"a":"\#(Self.other)","b":\#(Self.other)}"#, "application/json",
                #"{"a":"\#(Self.masked)","b":"\#(Self.masked)"}"#
            ),
            ("<p>\(Self.other)</p>", "text/html", "<p>\(Self.masked)</p>"),
        ] {
            let upstream = try StandIn { _ in
                ServerResponse(
                    status: 402, headers: [("Content-Type", type), ("X-Note", "was \(Self.other)")],
                    body: Array(body.utf8))
            }
            for (form, more) in [(action, ""), ("off", ", guard: {pan: \(action)}")] {
                let gateway = try await gateway(form, upstream, more: more)
                let answer = try await gateway.call("POST /v1/forms/checkout/send/a", json: submission())
                switch action {
                case "refuse":
                    #expect(answer.problem == "502/answerWithheld" && answer.body.contains(#""upstreamStatus":402"#))
                case "mask":
                    #expect(answer.status == 402 && answer.body == masked && answer["X-Note"] == "was \(Self.masked)")
                default: #expect(answer.status == 402 && answer.body == body)
                }
                #expect(try await findings(gateway).isEmpty == (action == "off"))
            }
        }
    }

    /// What is compressed can't be looked through: it is asked for as it is, and withheld where finds would not be passed on.
    @Test(
        arguments: ["refuse", "mask", "report", "off"],
        ["forwardHeaders: [Accept-Encoding]", "headers: {Accept-Encoding: gzip}"])
    func whatUpstreamsReturnCompressed(action: String, asked: String) async throws {
        for (path, count) in [("kept", 10), ("streamed", 100_000), ("empty", 0)] {
            let upstream = try StandIn { _ in
                ServerResponse(
                    status: 201, headers: [("Content-Type", "application/json"), ("Content-Encoding", "gzip")],
                    body: [UInt8](repeating: 0x1F, count: count))
            }
            let gateway = try await gateway(action, upstream, headers: ", \(asked)")
            let answer = try await gateway.call(
                "POST /v1/forms/checkout/send/\(path)", ["Accept-Encoding: gzip"], json: submission())
            let needsText = action == "refuse" || action == "mask"
            #expect(upstream.requests.last?["Accept-Encoding"] == (needsText ? "identity" : "gzip"))
            if needsText, count > 0 {
                #expect(answer.problem == "502/answerWithheld" && answer.body.contains(#""upstreamStatus":201"#))
            } else {
                #expect(answer.status == 201 && answer.body.utf8.count == count)
                // Else nobody could read it. The route does not name the header.
                #expect(answer["Content-Encoding"] == "gzip")
            }
        }
    }

    /// Nor can UTF-16: whether its type says so, a byte order mark, or only its bytes.
    @Test(
        arguments: ["refuse", "mask", "report"],
        ["text/xml; charset=utf-16", "application/xml", "text/plain", "image/png"])
    func whatUpstreamsReturnInWideCharacters(action: String, type: String) async throws {
        for (padding, order) in [(0, true), (0, false), (60_000, true), (60_000, false)] {
            let text = "\u{FEFF}<a>\(String(repeating: "x", count: padding))\(Self.other)</a>"
            let units = order ? Array(text.utf16) : Array(text.utf16.dropFirst())
            let body = units.flatMap { unit in
                order ? [UInt8(unit >> 8), UInt8(unit & 0xFF)] : [UInt8(unit & 0xFF), UInt8(unit >> 8)]
            }
            let upstream = try StandIn { _ in
                ServerResponse(status: 200, headers: [("Content-Type", type)], body: body)
            }
            let gateway = try await gateway(action, upstream)
            let passes = action == "report" || type == "image/png"
            let answer = try? await gateway.call("POST /v1/forms/checkout/send/a", json: submission())
            if passes {
                #expect(answer?.status == 200)
            } else {
                // A long one may have begun to be passed on: it is broken off.
                #expect(answer == nil && padding > 0 || answer?.problem == "502/answerWithheld")
            }
        }
    }

    private static let charsets: [(type: String, text: String, isWithheld: Bool)] = [
        ("text/html; charset=gb2312", "ok", false), ("text/plain; charset=Shift_JIS", "ok", false),
        ("text/plain; charset='utf-8'", "ok", false), ("application/json; charset=latin1", "{}", false),
        ("image/png; charset=binary", "ok", false), ("text/xml; charset=IBM850", "ok", false),
        ("application/xml", "<?xml version='1.0' encoding=\"utf-16\"?><a/>", false),
        ("application/xml", "<?xml version='1.0' encoding=\"UTF-7\"?><a/>", true),
        ("text/xml", "Lo\u{A7}\u{94}", true), ("text/xml; charset=IBM037", "ok", true),
        ("application/json; charset=UTF-7", "{}", true), ("text/plain; charset=utf-32", "ok", true),
    ]

    /// What digits can't be found in, and charsets in which they can.
    @Test(arguments: ["refuse", "mask"], charsets)
    func charsetsOfUpstreams(action: String, response: (type: String, text: String, isWithheld: Bool)) async throws {
        for padding in [0, 80_000] {
            let latin = response.text.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }
            let body = latin + [UInt8](repeating: UInt8(ascii: "x"), count: padding)
            let upstream = try StandIn { _ in
                ServerResponse(status: 200, headers: [("Content-Type", response.type)], body: body)
            }
            let gateway = try await gateway(action, upstream)
            let answer = try? await gateway.call("POST /v1/forms/checkout/send/a", json: submission())
            if response.isWithheld {
                #expect(answer == nil && padding > 0 || answer?.problem == "502/answerWithheld", "\(padding)")
            } else {
                #expect(answer?.status == 200, "\(padding)")
            }
        }
    }

    /// The aliases of the call are no finds in its response: in headers, in a body that is kept, and in one that is streamed.
    @Test(arguments: ["refuse", "mask", "report"], [0, 80_000])
    func whatUpstreamsReturnOfTheCallsOwn(action: String, padding: Int) async throws {
        let upstream = try StandIn { request in
            let alias = (try? JSONValue.parse(Array(request.body.utf8)))?.object?["card_number"]?.string ?? ""
            let body = #"{"p":"\#(String(repeating: "x", count: padding))","pan":"\#(alias)"}"#
            return ServerResponse(
                status: 201, headers: [("Content-Type", "application/json"), ("X-Note", "/orders/\(alias)")],
                body: Array(body.utf8))
        }
        let gateway = try await gateway(action, upstream)
        let answer = try await gateway.call("POST /v1/forms/checkout/send/a", json: submission())
        let sent = try #require(upstream.requests.last?.body)
        let alias = try #require(JSONValue.parse(Array(sent.utf8)).object?["card_number"]?.string)
        #expect(alias.hasPrefix("411111") && alias != Self.card)
        #expect(answer.status == 201 && answer["X-Note"] == "/orders/\(alias)")
        #expect(answer.body.hasSuffix(#""pan":"\#(alias)"}"#))
        #expect(try await findings(gateway).isEmpty)
    }

    /// Headers that are no text are looked through, too; a checksum of a body that was changed, or may yet be, is left out.
    @Test(arguments: ["refuse", "mask", "report"], [0, 80_000])
    func headersOfBytesAndChecksums(action: String, padding: Int) async throws {
        let bytes: [UInt8] = [0xFF, 0x20] + Array(Self.other.utf8)
        let upstream = try StandIn { request in
            if request.line.hasSuffix("/bytes") {
                let note = (try? FieldBlock(opaque: [("X-Note", bytes)])) ?? .none
                return ServerResponse(status: 200, fixed: note, headers: [], body: Array("ok".utf8))
            }
            return ServerResponse(
                status: 200, headers: [("Content-Type", "application/json"), ("Content-Digest", "sha-256=:x:")],
                body: Array(#"{"p":"\#(String(repeating: "x", count: padding))","a":"\#(Self.other)"}"#.utf8))
        }
        let gateway = try await gateway(action, upstream, headers: ", responseHeaders: [X-Note, Content-Digest]")
        let answer = try await gateway.call("POST /v1/forms/checkout/send/bytes", json: submission())
        switch action {
        case "refuse": #expect(answer.problem == "502/answerWithheld")
        case "mask": #expect(answer.status == 200 && answer["X-Note"]?.hasSuffix(Self.masked) == true)
        default: #expect(answer.status == 200 && answer["X-Note"]?.hasSuffix(Self.other) == true)
        }
        #expect(try await !findings(gateway).isEmpty)
        if action == "refuse" { return }
        let other = try await gateway.call("POST /v1/forms/checkout/send/a", json: submission())
        if action == "mask" { #expect(other.body.contains(Self.masked) && other["Content-Digest"] == nil) }
        if action == "report" { #expect(other["Content-Digest"] == "sha-256=:x:") }
    }

    @Test(arguments: ["refuse", "mask", "report", "off"])
    func revealRoutes(action: String) async throws {
        let upstream = try StandIn { request in .json(request.body) }
        var gateway = try await GatewayFixture(
            routes: routes(
                """
                {name: acquirer, kind: reveal, url: "\(upstream.url)", allowPlaintext: true, \
                reveal: {body: [/pan]}, guard: {pan: \(action)}}
                """))
        gateway.upstream = upstream
        let made = try await gateway.call(
            "POST /aliases", [GatewayFixture.dev],
            json: #"{"data":[{"value":"\#(Self.card)","format":"FPE_SIX_T_FOUR"}]}"#)
        let stored = made.json?.object?["data"]?.array?.first?.object?["aliases"]?.array?.first
        let alias = try #require(stored?.object?["alias"]?.string)
        let line = "POST /v1/routes/acquirer/a"
        let meant = try await gateway.call(line, [GatewayFixture.dev], json: #"{"pan":"\#(alias)"}"#)
        #expect(meant.status == 200 && meant.body == #"{"pan":"\#(alias)"}"#)
        #expect(try await findings(gateway).isEmpty)
        let answer = try await gateway.call(
            line, [GatewayFixture.dev], json: #"{"pan":"\#(alias)","other":"\#(Self.other)"}"#)
        switch action {
        case "refuse": #expect(answer.problem == "400/cardNumberRefused" && upstream.requests.count == 1)
        case "mask": #expect(upstream.requests.last?.body == #"{"pan":"\#(Self.card)","other":"\#(Self.masked)"}"#)
        default: #expect(upstream.requests.last?.body == #"{"pan":"\#(Self.card)","other":"\#(Self.other)"}"#)
        }
        #expect(try await findings(gateway).isEmpty == (action == "off"))
    }

    /// Many values that are meant to be there are looked up in a set, few are compared.
    @Test(arguments: [1, 8, 9, 20])
    func revealsOfManyCards(count: Int) async throws {
        let upstream = try StandIn { request in .json(request.body) }
        var gateway = try await GatewayFixture(
            routes: routes(
                """
                {name: acquirer, kind: reveal, url: "\(upstream.url)", allowPlaintext: true, \
                reveal: {body: ["/*"]}, guard: {pan: refuse}}
                """))
        gateway.upstream = upstream
        let numbers = [
            "4111111111111111", "4012888888881881", "4222222222222220", "5105105105105100", "378282246310005",
        ]
        let values = (0..<count).map { index in
            // Equal values have the same alias: the others are no card numbers.
            index < numbers.count ? numbers[index] : "value number \(index)"
        }
        var texts: [String] = []
        for value in values {
            let made = try await gateway.call(
                "POST /aliases", [GatewayFixture.dev], json: #"{"data":[{"value":"\#(value)","format":"UUID"}]}"#)
            let stored = made.json?.object?["data"]?.array?.first?.object?["aliases"]?.array?.first
            texts.append(try #require(stored?.object?["alias"]?.string))
        }
        for (more, problem) in [("", nil), (#","\#(Self.other)""#, "400/cardNumberRefused")] {
            let body = "[" + texts.map { "\"\($0)\"" }.joined(separator: ",") + more + "]"
            let answer = try await gateway.call("POST /v1/routes/acquirer/a", [GatewayFixture.dev], json: body)
            if let problem {
                #expect(answer.problem == problem)
            } else {
                #expect(answer.status == 200 && upstream.requests.last?.body.contains("4111111111111111") == true)
            }
        }
    }

    /// Besides a body: the path and the headers that are passed on.
    @Test(arguments: ["refuse", "mask", "report", "off"])
    func theHeadOfASend(action: String) async throws {
        for (path, note, place) in [
            ("orders/\(Self.other)/x", "plain", "path"), ("a%20b/5555%205555%205555%204444", "plain", "path"),
            ("a", "it is \(Self.other)", "header x-note"),
        ] {
            let upstream = try StandIn(json: "{}")
            let gateway = try await gateway(action, upstream, more: ", forwardHeaders: [X-Note]")
            let answer = try await gateway.call(
                "POST /v1/forms/checkout/send/\(path)", ["X-Note: \(note)"], json: submission())
            if action == "refuse" {
                #expect(answer.problem == "400/cardNumberRefused" && answer.body.contains(#"["\#(place)"]"#))
                #expect(upstream.requests.isEmpty && gateway.vault.metrics.created == 0)
            } else {
                let request = try #require(upstream.requests.first)
                let sent = request.line + (request["X-Note"] ?? "")
                #expect(
                    answer.status == 200 && sent.contains("4444") && sent.contains("5555") == (action != "mask"),
                    "\(sent)")
                #expect(place != "path" || request["X-Note"] == "plain")
            }
            let findings = try await findings(gateway)
            #expect(findings.count == (action == "off" ? 0 : 1))
            #expect(findings.allSatisfy { $0.contains(#""places":["\#(place)"]"#) && !holdsNumber($0) })
        }
    }

    /// A form that is tried out on an `echo` route shows what its upstream will show.
    @Test(arguments: ["refuse", "mask", "report", "off"])
    func thePathOfAnEcho(action: String) async throws {
        let gateway = try await GatewayFixture(
            form: Self.form(action), routes: routes("{name: orders, kind: echo}"))
        let answer = try await gateway.call("POST /v1/forms/checkout/send/orders/\(Self.other)", json: submission())
        if action == "refuse" {
            #expect(answer.problem == "400/cardNumberRefused" && answer.body.contains(#"["path"]"#))
            #expect(gateway.vault.metrics.created == 0)
        } else {
            #expect(answer.status == 200)
        }
        let findings = try await findings(gateway)
        #expect(findings.count == (action == "off" ? 0 : 1))
        #expect(findings.allSatisfy { $0.contains(#""places":["path"]"#) && !holdsNumber($0) })
    }

    /// An alias in the path is no find, although it has the shape of a card number.
    @Test func anAliasInThePath() async throws {
        let upstream = try StandIn(json: "{}")
        let gateway = try await gateway("refuse", upstream)
        _ = try await gateway.call("POST /v1/forms/checkout/send/a", json: submission())
        let alias = try #require(upstream.requests.first?.body.split(separator: "\"").first { $0.hasPrefix("411111") })
        #expect(try await gateway.call("POST /v1/forms/checkout/send/\(alias)", json: submission()).status == 200)
        #expect(try await findings(gateway).isEmpty)
    }

    @Test(arguments: ["refuse", "mask", "report", "off"])
    func theHeadOfAReveal(action: String) async throws {
        let upstream = try StandIn(json: "{}")
        var gateway = try await GatewayFixture(
            routes: routes(
                """
                {name: acquirer, kind: reveal, url: "\(upstream.url)", allowPlaintext: true, forwardHeaders: [X-Note], \
                reveal: {body: false, query: [pan], headers: [X-Pan]}, guard: {pan: \(action)}}
                """))
        gateway.upstream = upstream
        let made = try await gateway.call(
            "POST /aliases", [GatewayFixture.dev], json: #"{"data":[{"value":"\#(Self.card)","format":"UUID"}]}"#)
        let stored = made.json?.object?["data"]?.array?.first?.object?["aliases"]?.array?.first
        let alias = try #require(stored?.object?["alias"]?.string)
        let line = "POST /v1/routes/acquirer/"
        let meant = try await gateway.call(
            "\(line)a?pan=\(alias)", [GatewayFixture.dev, "X-Pan: \(alias)"], json: "{}")
        #expect(meant.status == 200 && upstream.requests.first?["X-Pan"] == Self.card)
        #expect(try await findings(gateway).isEmpty)
        for (target, note, place) in [
            (Self.other, "", "path"), ("a?note=\(Self.other)&pan=\(alias)", "", "query"),
            ("a", Self.other, "header x-note"),
        ] {
            let count = upstream.requests.count
            let answer = try await gateway.call(
                line + target, [GatewayFixture.dev, "X-Note: \(note)", "X-Pan: \(alias)"], json: "{}")
            if action == "refuse" {
                #expect(answer.problem == "400/cardNumberRefused" && answer.body.contains(#"["\#(place)"]"#))
                #expect(upstream.requests.count == count)
                continue
            }
            let request = try #require(upstream.requests.last)
            let sent = request.line + " " + (request["X-Note"] ?? "")
            #expect(sent.contains(action == "mask" ? Self.masked : Self.other), "\(sent)")
            #expect(!sent.contains(action == "mask" ? Self.other : Self.masked), "\(sent)")
            #expect(request["X-Pan"] == Self.card)
            #expect(place != "query" || sent.contains("pan=\(Self.card)"))
        }
        #expect(try await findings(gateway).count == (action == "off" ? 0 : 3))
    }

    /// Names and paths are the caller's, and may be card numbers.
    @Test func ourOwnErrorsHaveNone() async throws {
        let gateway = try await gateway("off", try StandIn(json: "{}"))
        let unknown = try await gateway.call(
            "POST /v1/forms/checkout/send/\(Self.other)", json: #"{"fields":{"\#(Self.other)":"x"}}"#)
        #expect(unknown.problem == "400/unknownField" && !unknown.body.contains(Self.other) && unknown.json != nil)
        #expect(unknown.body.contains(Self.masked))
        let path = try await gateway.call("GET /v1/forms/\(Self.other)")
        #expect(path.status == 404 && !path.body.contains(Self.other))
        let id = try await gateway.call("GET /v1/forms/none", ["X-Request-Id: \(Self.other)"])
        #expect(id["X-Request-Id"] != Self.other)
        var text = MetricsText()
        text.begin("m", .counter, "Help.")
        text.sample(["route": Self.other], 4_111_111_111_111)
        #expect(text.text.contains("m{route=\"\(Self.masked)\"} 4111111111111\n"))
    }
}
