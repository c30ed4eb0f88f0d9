import JSON
import Testing

/// What the vault plane refuses (docs/reference/vault-api.md section 3).
@Suite(.waits) struct VaultRefusalTests {
    struct Case: CustomTestStringConvertible, Sendable {
        let method: String
        let target: String
        var body: String?
        var user: User? = .dev
        var type: String? = "application/json"
        let status: Int
        let title: String
        var detail = ""
        var answerHeaders: [String: String] = [:]

        var testDescription: String { "\(method) \(target.prefix(60)) \(body?.prefix(60) ?? "") \(status)" }
    }

    /// A body for every call that takes one, in which nothing is wrong.
    private static let calls: [(method: String, target: String, body: String?)] = [
        ("POST", "/aliases", #"{"data":[{"value":"v","format":"UUID"}]}"#),
        ("POST", "/tokens", #"{"data":[{"value":"v","format":"UUID"}]}"#),
        ("GET", "/aliases?q=tok_sandbox_unknown", nil),
        ("GET", "/aliases/tok_sandbox_unknown", nil),
        ("PUT", "/aliases/tok_sandbox_unknown", #"{"data":{"classifiers":[]}}"#),
        ("DELETE", "/aliases/tok_sandbox_unknown", nil),
        ("POST", "/aliases/delete", #"{"data":["tok_sandbox_unknown"]}"#),
    ]

    static let unauthorized = calls.map { call in
        Case(
            method: call.method, target: call.target, body: call.body, user: nil, status: 401, title: "Unauthorized",
            answerHeaders: [
                "WWW-Authenticate": "Basic realm=\"cloakroom\", charset=\"UTF-8\", Bearer realm=\"cloakroom\""
            ])
    }

    /// The scope that each call lacks.
    static let forbidden = zip(calls, [User.reader, .reader, .writer, .writer, .writer, .writer, .writer]).map {
        call, user in
        Case(
            method: call.method, target: call.target, body: call.body, user: user, status: 403, title: "Forbidden",
            detail: "aliases:")
    }

    static let unknown =
        calls.dropFirst(2).map { call in
            Case(
                method: call.method, target: call.target, body: call.body, status: 404, title: "Not found",
                detail: "Unknown alias: tok_sandbox_unknown")
        } + [
            Case(
                method: "POST", target: "/aliases", body: #"{"data":[{"alias":"tok_sandbox_none","format":"UUID"}]}"#,
                status: 404, title: "Not found", detail: "Unknown alias: tok_sandbox_none"),
            Case(method: "GET", target: "/aliases/a/b", status: 404, title: "Not found"),
            Case(method: "GET", target: "/aliases/", status: 404, title: "Not found"),
            Case(method: "GET", target: "/tokens/x", status: 404, title: "Not found"),
            Case(method: "DELETE", target: "/tokens/x", status: 404, title: "Not found"),
        ]

    static let mediaTypes = calls.filter { $0.body != nil }.flatMap { call in
        [nil, "text/plain", "application/json; charset=utf-16"].map { type in
            Case(
                method: call.method, target: call.target, body: call.body, type: type, status: 415,
                title: "Unsupported media type")
        }
    }

    static let methods = [
        ("PUT", "/aliases", "GET, HEAD, POST, OPTIONS"), ("DELETE", "/aliases", "GET, HEAD, POST, OPTIONS"),
        ("PATCH", "/aliases/a", "GET, HEAD, PUT, DELETE, OPTIONS"),
        ("POST", "/aliases/a", "GET, HEAD, PUT, DELETE, OPTIONS"),
        ("PATCH", "/aliases/delete", "GET, HEAD, POST, PUT, DELETE, OPTIONS"),
        ("GET", "/tokens", "POST, OPTIONS"), ("PUT", "/tokens", "POST, OPTIONS"),
    ].map { method, target, allowed in
        Case(
            method: method, target: target, status: 405, title: "Method not allowed", answerHeaders: ["Allow": allowed])
    }

    private static func bad(_ target: String, _ body: String, _ detail: String, method: String = "POST") -> Case {
        Case(method: method, target: target, body: body, status: 400, title: "Bad request", detail: detail)
    }

    private static func item(_ members: String, _ detail: String) -> Case {
        bad("/aliases", #"{"data":[{"value":"a","format":"UUID"},{\#(members)}]}"#, detail)
    }

    private static func many(_ count: Int, _ element: (Int) -> String) -> String {
        #"{"data":[\#((0..<count).map(element).joined(separator: ","))]}"#
    }

    static let malformed = [
        bad("/aliases", "", "line 1, column 1"), bad("/aliases", "{", "line 1, column 2"),
        bad("/aliases", #"{"data":[{"value":"a","value":"b","format":"UUID"}]}"#, "line 1, column 23"),
        bad("/aliases", "[]", "object"), bad("/aliases", "{}", "data"), bad("/aliases", #"{"data":[]}"#, "data"),
        bad("/aliases", #"{"data":{}}"#, "data"), bad("/aliases", #"{"data":[1]}"#, "data[0]"),
        bad("/aliases", #"{"data":[{"value":"a","format":"UUID"}],"more":1}"#, "more"),
        item(#""format":"UUID""#, "data[1]"), item(#""value":"a","alias":"b","format":"UUID""#, "data[1]"),
        item(#""value":"a""#, "data[1]"), item(#""value":1,"format":"UUID""#, "data[1]"),
        item(#""value":null,"format":"UUID""#, "data[1]"), item(#""value":"a","format":"UUUID""#, "data[1]"),
        item(#""value":"a","format":"uuid""#, "data[1]"),
        item(#""value":"a","format":"UUID","storage":"DISK""#, "data[1]"),
        item(#""value":"a","format":"UUID","extra":1"#, "data[1]"),
        item(#""value":"a","format":"UUID","classifiers":"x""#, "data[1]"),
        item(#""value":"a","format":"UUID","classifiers":[1]"#, "data[1]"),
        item(#""value":"12","format":"NUM_LENGTH_PRESERVING""#, "value does not fit format NUM_LENGTH_PRESERVING"),
        bad(
            "/aliases", many(21) { #"{"value":"\#($0)","format":"UUID"}"# }, "Too many values (limit: 20)"),
        bad("/tokens", many(21) { #"{"value":"\#($0)","format":"UUID"}"# }, "Too many values (limit: 20)"),
        bad("/aliases/delete", many(21) { "\"a\($0)\"" }, "Too many values (limit: 20)"),
        bad("/aliases/delete", #"{"data":[]}"#, "data"), bad("/aliases/delete", #"{"data":[1]}"#, "data"),
        bad("/aliases/delete", #"{"data":["a"],"storage":"X"}"#, "storage"),
        bad("/aliases/a", "{}", "data", method: "PUT"),
        bad("/aliases/a", #"{"data":{}}"#, "classifiers", method: "PUT"),
        bad("/aliases/a", #"{"data":{"classifiers":[1]}}"#, "classifiers", method: "PUT"),
        bad("/aliases/a", #"{"data":{"classifiers":[],"value":"x"}}"#, "data", method: "PUT"),
    ]

    static let queries = [
        ("/aliases", "exactly one"), ("/aliases?q=a&aliases=b", "exactly one"), ("/aliases?q=", "empty"),
        ("/aliases?q=a,,b", "empty"), ("/aliases?q=a&storage=DISK", "storage"), ("/aliases/a?storage=DISK", "storage"),
        ("/aliases?q=" + (0..<21).map { "a\($0)" }.joined(separator: ","), "Too many values (limit: 20)"),
    ].map { target, detail in
        Case(method: "GET", target: target, status: 400, title: "Bad request", detail: detail)
    }

    @Test(arguments: unauthorized + forbidden + unknown + mediaTypes + methods + malformed + queries)
    func isRefused(_ refused: Case) throws {
        let gateway = try Setting.shared.get()
        var headers: [String: String] = [:]
        headers["Authorization"] = refused.user?.authorization
        if refused.body != nil { headers["Content-Type"] = refused.type }
        let answer = try gateway.request(refused.method, refused.target, headers, body: refused.body)
        #expect(answer.status == refused.status)
        #expect(answer["Content-Type"] == "application/json" && answer["X-Request-Id"] != nil)
        for (name, value) in refused.answerHeaders { #expect(answer[name] == value) }
        let path = refused.target.prefix { $0 != "?" }
        let json = try answer.json()
        #expect(json.object?.members.map(\.key) == ["requestId", "type", "detail", "errors"])
        #expect(json.string("requestId") == answer["X-Request-Id"])
        let entries = try #require(json["errors"]?.array)
        let entry = try #require(entries.first)
        let detail = try #require(entry.string("detail"))
        #expect(entries.count == 1 && !detail.isEmpty)
        #expect(detail.contains(refused.detail) || refused.detail.isEmpty, "\(detail)")
        try expect(
            entry,
            equals: """
                {"status":\(refused.status),"title":"\(refused.title)","detail":"\(detail)",
                 "href":"http://127.0.0.1:\(gateway.port)\(path)"}
                """)
    }

    /// Requests that the wire layer refuses before their head is read.
    @Test(arguments: [
        ("GET /aliases?q=%zz HTTP/1.1\r\nHost: h:1\r\n\r\n", 400, "Bad request", "http://h:1/aliases"),
        ("GET http://h/aliases?q=%zz HTTP/1.1\r\nHost: h\r\n\r\n", 400, "Bad request", "http://h/aliases"),
        ("GET /aliases/x HTTP/1.1\r\nHost: h\r\nA : b\r\n\r\n", 400, "Bad request", "http://h/aliases/x"),
        (
            "GET /aliases?q=\(String(repeating: "a", count: 9_000)) HTTP/1.1\r\nHost: h\r\n\r\n", 414, "URI too long",
            "http://h/aliases"
        ),
        (
            "GET /aliases/x HTTP/1.1\r\nHost: h\r\nA: \(String(repeating: "a", count: 40_000))\r\n\r\n", 431,
            "Request header fields too large", "http://h/aliases/x"
        ),
        ("POST /tokens HTTP/3.0\r\nHost: h\r\n\r\n", 505, "HTTP version not supported", "http://h/tokens"),
    ])
    func unreadableRequestsAreToldLikeOthers(_ request: String, status: Int, title: String, href: String) throws {
        let connection = try Connection(port: Setting.shared.get().port)
        // What comes behind a refused request may find no reader any more.
        try? connection.send(request)
        let answer = try connection.receive()
        #expect(answer.status == status && answer["Content-Type"] == "application/json")
        let entry = try #require(answer.json()["errors"]?.array?.first)
        #expect(entry.string("title") == title && entry.string("href") == href)
    }

    /// The same alias may not be referenced twice in a request.
    @Test func aReferenceMayStandOnceInARequest() throws {
        let gateway = try Setting.shared.get()
        let made = try gateway.vault("POST", "/aliases", #"{"data":[{"value":"once","format":"UUID"}]}"#)
        let alias = try #require(made.json()["data"]?.array?.first?["aliases"]?.array?.first?.string("alias"))
        let item = #"{"alias":"\#(alias)","format":"RAW_UUID"}"#
        let answer = try gateway.vault("POST", "/aliases", #"{"data":[\#(item),\#(item)]}"#)
        #expect(answer.status == 400 && answer.bodyText.contains(alias))
    }

    /// Twenty-one narrow aliases do not exist where ten do: nothing of the request that finds out is stored.
    @Test func aSpaceThatIsUsedUpIs507() throws {
        let own = try GatewayProcess(in: Setting.workspace(), ["--set", "vault.reuse=false"])
        let item = #"{"value":"400000000002","format":"FPE_SIX_T_FOUR"}"#
        let answer = try own.vault(
            "POST", "/aliases", #"{"data":[\#(Array(repeating: item, count: 11).joined(separator: ","))]}"#)
        #expect(answer.status == 507 && answer.bodyText.contains("alias space exhausted"), "\(answer.bodyText)")
        #expect(answer.bodyText.contains("FPE_SIX_T_FOUR") && !answer.bodyText.contains("400000000002"))
        #expect(try own.vault("POST", "/aliases", #"{"data":[\#(item)]}"#).status == 201)
    }
}

/// Anybody may call without a credential as often as he likes.
@Suite(.waits) struct FloodOfStrangersTests {
    /// None is left out of the audit log, and the log does not grow with them.
    @Test func itDoesNotFillTheDisk() throws {
        let workspace = try Setting.workspace(Setting.base + "audit: {file: data/audit.log}\n")
        let gateway = try GatewayProcess(in: workspace)
        for _ in 0..<200 { #expect(try gateway.request("GET", "/aliases/a").status == 401) }
        func counts() throws -> [Int] {
            try workspace.read("data/audit.log").split(separator: "\n").filter { $0.contains("unauthorized") }.map {
                let count = try JSONValue(text: String($0))["count"]?.text ?? ""
                return max(1, Int(count) ?? 0)
            }
        }
        try eventually("all are told of") { try counts().reduce(0, +) == 200 }
        #expect(try counts().count < 150)
    }
}
