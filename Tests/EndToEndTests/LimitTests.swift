import Foundation
import JSON
import Testing

/// The limits and timeouts of the configuration, each with its status.
@Suite(.waits) struct LimitTests {
    private static let forms = ["memo": Setting.memo]
    private static let tooLarge = "the body is larger than 64 bytes (server.limits.body)"

    private func gateway(_ settings: String...) throws -> GatewayProcess {
        try GatewayProcess(in: Setting.workspace(forms: Self.forms), settings.flatMap { ["--set", $0] })
    }

    private func post(_ body: String, _ headers: String = "") -> String {
        "POST /v1/forms/memo/validate HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n\(headers)"
            + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
    }

    /// One answer of this status, then the end.
    private func expectRefusal(
        _ connection: Connection, _ status: Int, type: String, detail: String? = nil
    ) throws {
        let answer = try connection.receive()
        if let detail { #expect(try answer.json().string("detail") == detail) }
        #expect(answer.status == status)
        #expect(answer["Connection"] == "close" && answer["X-Request-Id"] != nil)
        #expect(try answer.json().string("error", "type") == type)
        #expect(try connection.receiveRest().isEmpty)
    }

    @Test func aBodyBeyondTheLimitIs413() throws {
        let gateway = try gateway("server.limits.body=64")
        let fits = #"{"fields":{"note":""#
        let filled = fits + String(repeating: "x", count: 64 - fits.count - 3) + #""}}"#
        let connection = try Connection(port: gateway.port)
        try connection.send(post(filled))
        #expect(try connection.receive().status == 200)
        try connection.send(post(filled + " ") + post(filled))
        try expectRefusal(connection, 413, type: "bodyTooLarge", detail: Self.tooLarge)

        let chunked = try Connection(port: gateway.port)
        try chunked.send(
            "POST /v1/forms/memo/validate HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n"
                + "Transfer-Encoding: chunked\r\n\r\n40\r\n\(filled)\r\n1\r\n \r\n0\r\n\r\n")
        try expectRefusal(chunked, 413, type: "bodyTooLarge", detail: Self.tooLarge)

        let vault = try gateway.vault("POST", "/aliases", String(repeating: " ", count: 65))
        #expect(vault.status == 413)
        let error = try vault.json()["errors"]?.array?.first
        #expect(error?.string("title") == "Payload too large" && error?.string("detail") == Self.tooLarge)

        let reveal = try gateway.vault("POST", "/v1/routes/none/", String(repeating: " ", count: 65))
        #expect(try reveal.status == 413 && reveal.json().string("detail") == Self.tooLarge)
        let admin = try Connection(port: gateway.adminPort)
        try admin.send("POST /keys/status HTTP/1.1\r\nHost: a\r\nContent-Length: 4097\r\n\r\n")
        #expect(try admin.receive().json().string("detail") == "the body is larger than 4096 bytes (a fixed limit)")
    }

    /// A client that asks before it sends too much is told so at once.
    @Test func tooMuchIsNotAskedFor() throws {
        let gateway = try gateway("server.limits.body=64")
        let connection = try Connection(port: gateway.port)
        try connection.send(
            "POST /v1/forms/memo/validate HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n"
                + "Expect: 100-continue\r\nContent-Length: 65\r\n\r\n")
        try expectRefusal(connection, 413, type: "bodyTooLarge", detail: Self.tooLarge)
    }

    @Test func aLongRequestLineIs414() throws {
        let gateway = try gateway("server.limits.requestLine=128")
        let connection = try Connection(port: gateway.port)
        try connection.send("GET /v1/forms?\(String(repeating: "a", count: 100)) HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(try connection.receive().status == 200)
        try connection.send("GET /v1/forms?\(String(repeating: "a", count: 128)) HTTP/1.1\r\nHost: a\r\n\r\n")
        try expectRefusal(connection, 414, type: "requestLineTooLong")

        // It need not end to be too long.
        let endless = try Connection(port: gateway.port)
        try endless.send("GET /" + String(repeating: "a", count: 200))
        try expectRefusal(endless, 414, type: "requestLineTooLong")
    }

    @Test(arguments: ["server.limits.headers=256", "server.limits.headerCount=4"])
    func tooManyHeadersAre431(_ setting: String) throws {
        let gateway = try gateway(setting)
        let connection = try Connection(port: gateway.port)
        let filler =
            setting.contains("Count") ? "A: b\r\nA: b\r\nA: b\r\n" : "A: \(String(repeating: "b", count: 200))\r\n"
        try connection.send("GET /v1/forms HTTP/1.1\r\nHost: a\r\n\(filler)\r\n")
        #expect(try connection.receive().status == 200)
        try connection.send("GET /v1/forms HTTP/1.1\r\nHost: a\r\n\(filler)\(filler)\r\n")
        try expectRefusal(connection, 431, type: "headersTooLarge")
    }

    @Test(arguments: [
        "GET /v1/forms HTTP/1.1\r\nHost: a\r\n", "G",
        "POST /v1/forms/memo/validate HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{",
        "POST /v1/forms/memo/validate HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab",
    ])
    func aRequestThatDoesNotEndIs408(_ beginning: String) throws {
        let gateway = try gateway("server.timeouts.header=2s", "server.timeouts.body=2s")
        let connection = try Connection(port: gateway.port)
        try connection.send(beginning)
        try expectRefusal(connection, 408, type: "requestTimeout")
    }

    /// A body has a time of its own, also that of a connection's first request.
    @Test func aBodyHasItsOwnTime() throws {
        let gateway = try gateway("server.timeouts.header=2s", "server.timeouts.body=1h")
        let connection = try Connection(port: gateway.port)
        for _ in 0..<2 {
            try connection.send(
                "POST /v1/forms/memo/validate HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n"
                    + "Content-Length: 2\r\n\r\n{")
            Thread.sleep(forTimeInterval: 2.5)
            try connection.send("}")
            #expect(try connection.receive().status == 200)
        }
    }

    /// However often a byte comes, the whole has its time.
    @Test func tricklingDoesNotBuyTime() throws {
        let gateway = try gateway("server.timeouts.header=2s")
        let connection = try Connection(port: gateway.port)
        var refused = false
        try connection.send("GET /v1/forms HTTP/1.1\r\nHost: a\r\nX: ")
        try eventually("the gateway loses patience") {
            do { try connection.send("a") } catch { refused = true }
            return try refused || connection.hasArrivals()
        }
        #expect(try connection.receive().status == 408)
    }

    @Test func anIdleConnectionIsClosedWithoutAWord() throws {
        let gateway = try gateway("server.timeouts.idle=2s")
        let connection = try Connection(port: gateway.port)
        try connection.send("GET /v1/forms HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(try connection.receive().status == 200)
        #expect(try connection.receiveRest().isEmpty)
    }

    /// One connection too many is told so; once another has gone there is room again.
    @Test func tooManyConnectionsAre503() throws {
        let gateway = try gateway("server.limits.connections=3")
        let request = "GET /v1/forms HTTP/1.1\r\nHost: a\r\n\r\n"
        let kept = try (0..<3).map { _ in try Connection(port: gateway.port) }
        for connection in kept {
            try connection.send(request)
            #expect(try connection.receive().status == 200)
        }
        let surplus = try Connection(port: gateway.port)
        let answer = try surplus.receive()
        #expect(answer.status == 503 && answer["Retry-After"] != nil)
        #expect(try surplus.receiveRest().isEmpty)
        kept[0].shut()
        try eventually("there is room again") {
            let next = try Connection(port: gateway.port)
            try? next.send(request)
            return try next.receive().status == 200
        }
        try kept[1].send(request)
        #expect(try kept[1].receive().status == 200)
    }

    /// The window is a minute of the clock, so at most one may end between these requests.
    @Test func tooManyRequestsAre429() throws {
        let gateway = try gateway("server.rateLimit=3")
        let answers = try (0..<8).map { _ in try gateway.request("GET", "/v1/forms") }
        #expect(answers.first?["x-ratelimit-remaining"] == "2")
        #expect(answers.allSatisfy { $0["x-ratelimit-remaining"] != nil })
        let refused = answers.filter { $0.status != 200 }
        #expect(refused.count >= 2)
        for answer in refused {
            #expect(answer.status == 429 && answer["x-ratelimit-remaining"] == "0")
            #expect((1...60).contains(answer["Retry-After"].flatMap { Int($0) } ?? 0))
            #expect(try answer.json().string("error", "type") == "tooManyRequests")
        }
    }

    /// Requests that never reach a handler count like all others and say what is left.
    @Test(arguments: [
        ("POST /aliases HTTP/1.1\r\nHost: a\r\nContent-Length: 65\r\n\r\n", 413),
        ("GET /aliases?q=\(String(repeating: "a", count: 256)) HTTP/1.1\r\nHost: a\r\n\r\n", 414),
        ("GET /v1/forms HTTP/1.1\r\nHost: a\r\nX: \(String(repeating: "a", count: 256))\r\n\r\n", 431),
        ("GET /aliases?q=%zz HTTP/1.1\r\nHost: a\r\n\r\n", 400), ("nonsense\r\n\r\n", 400),
    ])
    func refusedRequestsCountToo(_ request: String, status: Int) throws {
        let gateway = try gateway(
            "server.rateLimit=3", "server.limits.body=64", "server.limits.requestLine=128",
            "server.limits.headers=256")
        let answers = try (0..<8).map { _ in
            let connection = try Connection(port: gateway.port)
            try connection.send(request)
            return try connection.receive()
        }
        #expect(answers.first?.status == status && answers.first?["x-ratelimit-remaining"] == "2")
        let beyond = answers.filter { $0.status != status }
        #expect(beyond.count >= 2)
        for answer in beyond {
            #expect(answer.status == 429 && answer["x-ratelimit-remaining"] == "0" && answer["Retry-After"] != nil)
        }
    }
}
