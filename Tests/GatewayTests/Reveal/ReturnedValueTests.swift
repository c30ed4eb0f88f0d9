import Crypto
import JSON
import Testing

@testable import EventHTTP
@testable import Gateway

/// What went out never comes back (docs/reference/proxy.md section 7): what is done about whole responses. Ways to write a value are
/// tested by `ResponseScrubberTests`, streamed responses through the real binary.
@Suite struct ReturnedValueTests {
    private static let card = "4539600166594134"

    private func gateway(_ upstream: StandIn, _ more: String = "") async throws -> GatewayFixture {
        var gateway = try await GatewayFixture(
            routes: routes(
                """
                {name: acquirer, kind: reveal, url: "\(upstream.url)", allowPlaintext: true, methods: [GET, POST], \
                responseHeaders: [Content-Type, Location, X-Note, Content-Digest], \
                reveal: {body: [/pan], headers: [X-Key]}\(more)}
                """))
        gateway.upstream = upstream
        return gateway
    }

    private func alias(_ gateway: GatewayFixture) async throws -> String {
        let made = try await gateway.call(
            "POST /aliases", [GatewayFixture.dev],
            json: #"{"data":[{"value":"\#(Self.card)","format":"FPE_SIX_T_FOUR"}]}"#)
        let stored = made.json?.object?["data"]?.array?.first?.object?["aliases"]?.array?.first
        return try #require(stored?.object?["alias"]?.string)
    }

    private func responding(
        _ body: String, type: String? = "application/json", status: Int = 200, _ headers: [(String, String)] = []
    ) throws -> StandIn {
        try StandIn { _ in
            ServerResponse(
                status: status, headers: (type.map { [("Content-Type", $0)] } ?? []) + headers, body: Array(body.utf8))
        }
    }

    /// A code may be equal to the status, which the gateway itself tells.
    @Test func theStatusStays() async throws {
        let upstream = try responding(#"{"code":201}"#, status: 201, [("X-Note", "201")])
        let gateway = try await gateway(upstream)
        let made = try await gateway.call(
            "POST /aliases", [GatewayFixture.dev],
            json: #"{"data":[{"value":"201","format":"UUID","storage":"VOLATILE"}]}"#)
        let stored = made.json?.object?["data"]?.array?.first?.object?["aliases"]?.array?.first
        let alias = try #require(stored?.object?["alias"]?.string)
        let answer = try await gateway.call(
            "POST /v1/routes/acquirer/a", [GatewayFixture.dev], json: #"{"pan":"\#(alias)"}"#)
        #expect(answer.status == 201 && answer["Cloakroom-Upstream-Status"] == "201")
        #expect(answer["X-Note"] == alias && answer.body == #"{"code":"\#(alias)"}"#)
    }

    @Test(arguments: [200, 201, 302, 400, 402, 404, 500, 503])
    func whateverTheStatus(status: Int) async throws {
        let upstream = try responding(
            #"{"error":"card 4539 6001 6659 4134 declined"}"#, status: status,
            [
                ("Location", "/x?card=4539600166594134"), ("X-Note", "4539-6001-6659-4134"),
                ("Content-Digest", "sha-256=:x:"),
            ])
        let gateway = try await gateway(upstream)
        let alias = try await alias(gateway)
        let answer = try await gateway.call(
            "POST /v1/routes/acquirer/a", [GatewayFixture.dev], json: #"{"pan":"\#(alias)"}"#)
        #expect(answer.status == status && answer["Cloakroom-Upstream-Status"] == String(status))
        #expect(answer.body == #"{"error":"card \#(alias) declined"}"#)
        #expect(
            answer["Location"] == "/x?card=\(alias)" && answer["X-Note"] == alias && answer["Content-Digest"] == nil)
        // A call that reveals nothing knows nothing.
        let other = try await gateway.call("POST /v1/routes/acquirer/a", [GatewayFixture.dev], json: "{}")
        #expect(other.body.contains("4539 6001 6659 4134") && other["Content-Digest"] != nil)
    }

    private static let texts: [(String, String)] = [
        ("text/html; charset=UTF-8", "<p>VALUE</p>"), ("application/xml", "<a>VALUE</a>"), ("text/plain", "VALUE"),
        ("application/x-www-form-urlencoded", "a=VALUE"), ("application/problem+json", #"["VALUE"]"#),
        ("text/csv", "a,VALUE"),
        ("application/json; charset=iso-8859-1", #"["VALUE"]"#), ("application/x-ndjson", "{\"a\":VALUE}\n"),
        ("TEXT/PLAIN", "VALUE"), ("text/html; charset=gb2312", "VALUE"), ("text/plain; charset='utf-8'", "VALUE"),
        ("text/xml", "<?xml version=\"1.0\" encoding=\"utf-16\"?><a>VALUE</a>"),
    ]

    @Test(arguments: texts)
    func whateverTheText(type: String, body: String) async throws {
        let gateway = try await gateway(responding(body.replacing("VALUE", with: Self.card), type: type))
        let alias = try await alias(gateway)
        let answer = try await gateway.call(
            "POST /v1/routes/acquirer/a", [GatewayFixture.dev], json: #"{"pan":"\#(alias)"}"#)
        let expected = type == "application/x-ndjson" ? "\"\(alias)\"" : alias
        #expect(answer.status == 200 && answer.body == body.replacing("VALUE", with: expected))
    }

    private static let unreadable: [(String?, String, [(String, String)], Int)] = [
        ("application/octet-stream", "4539600166594134", [], 200), ("image/png", "x", [], 200),
        ("application/pdf", "x", [], 200), ("application/json; charset=utf-16", "x", [], 200),
        ("application/xml", "<?xml version=\"1.0\" encoding='utf-7'?><a/>", [], 200),
        ("multipart/mixed; boundary=a", "x", [], 200),
        ("text/plain", "4\u{0}5\u{0}", [], 200), (nil, "\u{1f}\u{1}", [], 200), ("application/zip", "x", [], 402),
        ("application/json", "{}", [("Content-Encoding", "gzip")], 200),
        ("application/json", "{}", [("Content-Encoding", "br")], 500),
        ("application/json", "{}", [("Content-Range", "bytes 0-1/5")], 206),
    ]

    @Test(arguments: unreadable)
    func whatCannotBeSearchedIsWithheld(type: String?, body: String, headers: [(String, String)], status: Int)
        async throws
    {
        let upstream = try responding(body, type: type, status: status, headers)
        let gateway = try await gateway(upstream)
        let alias = try await alias(gateway)
        let answer = try await gateway.call(
            "POST /v1/routes/acquirer/a", [GatewayFixture.dev], json: #"{"pan":"\#(alias)"}"#)
        #expect(answer.status == 502 && answer.problem == "502/answerWithheld" && answer["Retry-After"] == nil)
        let error = answer.json?.object?["error"]?.object
        #expect(error?["domain"]?.string == "cloakroom")
        let extra = error?["userInfo"]?.object?["extraInfo"]?.object
        guard case .number(let number)? = extra?["upstreamStatus"], case .bool(true)? = extra?["requestWasMade"] else {
            Issue.record("\(answer.body)")
            return
        }
        #expect(number.text == String(status) && answer["Cloakroom-Upstream-Status"] == nil)
        #expect(answer.json?.object?["detail"]?.string?.contains("the request was made") == true)
        #expect(upstream.requests.count == 1)
        // What reveals nothing has nothing to hide.
        let other = try await gateway.call("POST /v1/routes/acquirer/a", [GatewayFixture.dev], json: "{}")
        #expect(other.status == status && other.body == body)
    }

    /// A body that says nothing of its charset and is not UTF-8: letters beyond ASCII can't be found in it, digits can.
    @Test(arguments: [true, false])
    func bytesThatAreNotUTF8(hasForeignLetters: Bool) async throws {
        let value = hasForeignLetters ? "Zoë Müller-Lü" : Self.card
        let body = "Zoë Müller-Lü é".unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }
        let upstream = try StandIn { _ in
            ServerResponse(status: 200, headers: [("Content-Type", "text/plain")], body: body)
        }
        let gateway = try await gateway(upstream)
        let made = try await gateway.call(
            "POST /aliases", [GatewayFixture.dev], json: #"{"data":[{"value":"\#(value)","format":"UUID"}]}"#)
        let stored = made.json?.object?["data"]?.array?.first?.object?["aliases"]?.array?.first
        let alias = try #require(stored?.object?["alias"]?.string)
        let answer = try await gateway.call(
            "POST /v1/routes/acquirer/a", [GatewayFixture.dev], json: #"{"pan":"\#(alias)"}"#)
        #expect(answer.status == (hasForeignLetters ? 502 : 200))
        #expect(answer.problem == "502/answerWithheld" || !hasForeignLetters)
    }

    @Test func nothingNeedsToBeSearchedInNothing() async throws {
        let gateway = try await gateway(responding("", type: "image/png", status: 204))
        let alias = try await alias(gateway)
        let answer = try await gateway.call(
            "POST /v1/routes/acquirer/a", [GatewayFixture.dev], json: #"{"pan":"\#(alias)"}"#)
        #expect(answer.status == 204)
    }

    /// Credentials in base64 show what is in them.
    @Test func credentialsThatAreEchoed() async throws {
        let upstream = try StandIn { request in .json(#"{"authorization":"\#(request["X-Key"] ?? "")"}"#) }
        let gateway = try await gateway(upstream)
        let alias = try await alias(gateway)
        let header = "Basic \(Base64.encode(Array("user:\(alias)".utf8)))"
        let answer = try await gateway.call("GET /v1/routes/acquirer/a", [GatewayFixture.dev, "X-Key: \(header)"])
        #expect(upstream.requests.last?["X-Key"] == "Basic \(Base64.encode(Array("user:\(Self.card)".utf8)))")
        #expect(answer.body == #"{"authorization":"\#(header)"}"#)
    }

    @Test func noCodingIsAskedFor() async throws {
        let upstream = try responding("{}")
        let gateway = try await gateway(upstream, ", forwardHeaders: [Accept-Encoding]")
        _ = try await gateway.call("GET /v1/routes/acquirer/a", [GatewayFixture.dev, "Accept-Encoding: gzip"])
        #expect(upstream.requests.first?["Accept-Encoding"] == "identity")
    }

    /// The rules first: what they name gets their alias, everything else the one that was sent.
    @Test func rulesAndValuesGoTogether() async throws {
        let upstream = try responding(
            #"{"token":"\#(Self.card)","message":"\#(Self.card) was charged","n":\#(Self.card)}"#)
        let gateway = try await gateway(upstream, ", redact: [{pointer: /token, format: UUID}]")
        let alias = try await alias(gateway)
        let answer = try await gateway.call(
            "POST /v1/routes/acquirer/a", [GatewayFixture.dev], json: #"{"pan":"\#(alias)"}"#)
        let object = try #require(answer.json?.object)
        #expect(object["token"]?.string?.hasPrefix("tok_sandbox_") == true)
        #expect(object["message"]?.string == "\(alias) was charged" && object["n"]?.string == alias)
    }
}
