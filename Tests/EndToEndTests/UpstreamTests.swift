import Foundation
import JSON
import Testing

/// What an upstream gets and what the caller gets of its answer (docs/reference/proxy.md sections 2, 3 and 5).
@Suite(.waits) struct UpstreamTests {
    private let upstream: Upstream
    private let gateway: GatewayProcess

    init() throws {
        upstream = try Upstream { upstream, connection in
            while true {
                let request = try upstream.receive(connection)
                try connection.send(Self.answer(to: request))
            }
        }
        let configuration = """
            \(Setting.base)
            routes:
              - name: orders
                kind: upstream
                url: http://127.0.0.1:\(upstream.port)/in
                allowPlaintext: true
                methods: [GET, POST, PUT, PATCH, DELETE]
                forwardHeaders: [X-One, X-Two, Authorization, X-Fixed]
                headers: {X-Fixed: ours}
                responseHeaders: [Content-Type, X-Kept]
              - {name: plain, kind: upstream, url: "http://127.0.0.1:\(upstream.port)", allowPlaintext: true}
            """
        let order = """
            form: order
            route: orders
            fields:
              - {name: note}
              - {name: card.pan, type: cardNumber, isRequired: true, isRequiredValidOnly: true, tokenization: {}}
              - {name: card.exp, type: expDate}
              - {name: card.code, type: cvc, tokenization: {format: UUID, storage: VOLATILE}}
            """
        let plain = "form: plain\nroute: plain\nfields: [{name: note}]"
        gateway = try GatewayProcess(in: Setting.workspace(configuration, forms: ["order": order, "plain": plain]))
    }

    /// The answer that a path asks for; otherwise one with headers that are passed back and one that is not.
    private static func answer(to request: Message) -> String {
        let path = request.target
        let head = "HTTP/1.1 "
        if let status = path.split(separator: "/").last.flatMap({ Int($0) }), status >= 100 {
            return
                "\(head)\(status) Whatever\r\nContent-Type: text/plain\r\nLocation: /elsewhere\r\nContent-Length: 4\r\n\r\nbody"
        }
        switch path.split(separator: "/").last {
        case "continue":
            return
                "\(head)100 Continue\r\n\r\n\(head)103 Early Hints\r\nLink: x\r\n\r\n\(head)200 OK\r\nContent-Length: 4\r\n\r\nlate"
        case "chunked":
            return
                "\(head)200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5;x=y\r\nhello\r\n6\r\n, you!\r\n0\r\nX-Trailer: y\r\n\r\n"
        case "nothing": return "\(head)204 No Content\r\n\r\n"
        case "empty": return "\(head)200 OK\r\nContent-Length: 0\r\n\r\n"
        case "large":
            let body = String(repeating: "0123456789abcdef", count: 32_768)
            return "\(head)200 OK\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
        default:
            return "\(head)200 OK\r\nContent-Type: text/x-test; a=b\r\nX-Kept: 1\r\nX-Kept: 2\r\nX-Dropped: 3\r\n"
                + "X-Request-Id: theirs\r\nCloakroom-Upstream-Status: 999\r\nSet-Cookie: a=b\r\nContent-Length: 4\r\n\r\nbody"
        }
    }

    private static let submission = """
        {"fields":{"card.pan":"4539 6001 6659 4134","card.exp":"0931","card.code":"321"},\
        "extraData":{"order":{"id":17,"total":1.10},"card":{"holder":"Ann Li"}}}
        """

    private func send(
        _ path: String, method: String = "POST", _ headers: [String: String] = [:]
    ) throws -> Message {
        try gateway.request(
            method, "/v1/forms/order/send\(path)", headers.merging(["Content-Type": "application/json"]) { $1 },
            body: Self.submission)
    }

    @Test(arguments: ["GET", "POST", "PUT", "PATCH", "DELETE"])
    func theBodyGoesOutWithAliases(_ method: String) throws {
        let answer = try send("/orders/7", method: method)
        #expect(answer.status == 200 && answer.bodyText == "body")
        let request = try #require(upstream.requests.first)
        #expect(request.startLine == "\(method) /in/orders/7 HTTP/1.1")
        let json = try request.json()
        let pan = try #require(json.string("card", "pan"))
        let code = try #require(json.string("card", "code"))
        #expect(pan.hasPrefix("453960") && pan.hasSuffix("4134") && pan != "4539600166594134")
        #expect(code.hasPrefix("tok_sandbox_"))
        #expect(
            request.bodyText
                == #"{"order":{"id":17,"total":1.10},"card":{"holder":"Ann Li","pan":"\#(pan)","exp":"09/31","code":"\#(code)"},"note":""}"#
        )
        let revealed = try gateway.vault("GET", "/aliases/\(pan)").json()["data"]?.array?.first
        #expect(revealed?.string("value") == "4539600166594134")
    }

    @Test func onlyListedHeadersGoOut() throws {
        let answer = try send(
            "/a",
            [
                "X-One": "1", "x-two": "2", "X-Other": "no", "Authorization": "Basic a2VwdDpr", "Cookie": "no=1",
                "X-Fixed": "theirs", "Connection": "close, x-two", "Accept": "no", "User-Agent": "no",
                "X-Request-Id": "mine", "VGS-Route-Id": "",
            ])
        #expect(answer.status == 200)
        let request = try #require(upstream.requests.first)
        let headers = Dictionary(request.headers.map { ($0.name.lowercased(), $0.value) }) { "\($0), \($1)" }
        #expect(
            headers.filter { $0.key != "connection" } == [
                "host": "127.0.0.1:\(upstream.port)", "content-type": "application/json",
                "content-length": String(request.body.count), "x-request-id": "mine", "x-one": "1",
                "authorization": "Basic a2VwdDpr", "x-fixed": "ours",
            ])
    }

    @Test func onlyListedHeadersComeBack() throws {
        let answer = try send("/a")
        #expect(answer["Content-Type"] == "text/x-test; a=b" && answer.all("X-Kept") == ["1", "2"])
        #expect(answer["X-Dropped"] == nil && answer["Set-Cookie"] == nil)
        #expect(answer["Cloakroom-Upstream-Status"] == "200")
        let id = try #require(answer["X-Request-Id"])
        #expect(id != "theirs" && upstream.requests.first?["X-Request-Id"] == id)
    }

    @Test(arguments: [200, 201, 299, 300, 302, 307, 400, 401, 404, 418, 500, 502, 503, 599])
    func everyStatusIsPassedThrough(_ status: Int) throws {
        let answer = try send("/\(status)")
        #expect(answer.status == status && answer.bodyText == "body")
        #expect(answer["Cloakroom-Upstream-Status"] == String(status) && answer["X-Request-Id"] != nil)
        #expect(answer["Content-Type"] == "text/plain" && answer["Location"] == nil)
        #expect(upstream.requests.count == 1)
    }

    @Test(arguments: [
        ("continue", 200, "late"), ("chunked", 200, "hello, you!"), ("nothing", 204, ""), ("empty", 200, ""),
        ("large", 200, String(repeating: "0123456789abcdef", count: 32_768)),
    ])
    func everyFramingIsRead(_ path: String, _ status: Int, _ body: String) throws {
        for _ in 0..<2 {
            let answer = try send("/\(path)")
            #expect(answer.status == status && answer.bodyText == body)
            #expect(answer["Cloakroom-Upstream-Status"] == String(status))
        }
        #expect(upstream.requests.count == 2)
    }

    /// Section 3's table, and what a decoded path becomes.
    @Test(arguments: [
        ("", "/in"), ("/", "/in"), ("/orders/7", "/in/orders/7"), ("/orders%3Fx=1", "/in/orders%3Fx=1"),
        ("//evil.example/a", "/in/evil.example/a"), ("/a%20b/%C3%BC", "/in/a%20b/%C3%BC"), ("/a/", "/in/a/"),
        ("/a//b", "/in/a/b"), ("/%2561", "/in/%2561"), ("/a%23b", "/in/a%23b"), ("/a%2Fb", "/in/a/b"),
        ("/-._~!$&'()*+,;=:@", "/in/-._~!$&'()*+,;=:@"), ("/%22%3C%5B", "/in/%22%3C%5B"), ("/post?x=1", "/in/post"),
        ("/...", "/in/..."),
        ("/" + String(repeating: "a", count: 2_047), "/in/" + String(repeating: "a", count: 2_047)),
    ])
    func aPathIsTextUnderTheBase(_ path: String, _ target: String) throws {
        #expect(try send(path).status == 200)
        #expect(upstream.requests.first?.target == target)
    }

    @Test func aBaseWithoutAPathIsTheRoot() throws {
        for (path, target) in [("", "/"), ("/", "/"), ("/a", "/a")] {
            let answer = try gateway.post("/v1/forms/plain/send\(path)", #"{"fields":{"note":"x"}}"#)
            #expect(answer.status == 200)
            #expect(upstream.requests.last?.target == target)
        }
    }

    /// Nothing leaves before the submission is accepted.
    @Test func whatIsRefusedIsNotSent() throws {
        let bodies = [
            #"{"fields":{"card.pan":"4539 6001 6659 4135"}}"#, #"{"fields":{}}"#, #"{"fields":{"x":"1"}}"#, "{",
            #"{"fields":{"card.pan":"4539600166594134","card.code":"32"}}"#,
        ]
        for body in bodies.dropLast() { #expect(try gateway.post("/v1/forms/order/send/a", body).status >= 400) }
        #expect(try send("/../a").status == 400)
        #expect(try send("/a", ["VGS-Route-Id": "nonsense"]).status == 400)
        let refused = try gateway.request(
            "DELETE", "/v1/forms/plain/send/a", ["Content-Type": "application/json"], body: "{}")
        #expect(refused.status == 405 && refused["Allow"] == "POST, OPTIONS")
        #expect(upstream.requests.isEmpty)
        #expect(try gateway.admin("GET", "/metrics").bodyText.contains("cloakroom_items_total 0"))
    }
}
