import Foundation
import JSON
import Synchronization
import Testing

/// What a route does to protect its upstream, its callers and itself.
@Suite(.waits) struct ForwardingLimitTests {
    private func gateway(_ port: Int, _ settings: String) throws -> GatewayProcess {
        let configuration = """
            \(Setting.base)
            routes: [{name: orders, kind: upstream, url: "http://127.0.0.1:\(port)", allowPlaintext: true, \(settings)}]
            """
        return try GatewayProcess(
            in: Setting.workspace(
                configuration, forms: ["order": "form: order\nroute: orders\nfields: [{name: note}]"]))
    }

    private func send(_ gateway: GatewayProcess, _ path: String = "x") throws -> Message {
        try gateway.post("/v1/forms/order/send/\(path)", #"{"fields":{"note":"n"}}"#)
    }

    private func code(_ answer: Message) throws -> String? { try answer.json()["error"]?["code"]?.text }

    @Test func anUpstreamThatKeepsFailingIsRested() throws {
        let gateway = try gateway(try Upstream.deserted(), "breaker: {failures: 3, rest: 1h}")
        for _ in 0..<3 { #expect(try code(send(gateway)) == "-1004") }
        let answer = try send(gateway)
        let wait = answer["Retry-After"].flatMap { Int($0) } ?? 0
        #expect(answer.status == 503 && (3_000...3_600).contains(wait))
        #expect(try code(answer) == "503")
        #expect(try answer.json()["error"]?.string("type") == "unavailable")
        let metrics = try gateway.admin("GET", "/metrics").bodyText
        #expect(metrics.contains(#"cloakroom_upstream_resting{route="orders"} 1"#))
        #expect(metrics.contains(#"cloakroom_upstream_rests_total{route="orders"} 1"#))
        #expect(metrics.contains(#"cloakroom_upstream_rest_refusals_total{route="orders"} 1"#))
        try gateway.waitForLog("circuit breaker has opened")
    }

    @Test func anUpstreamThatComesBackIsAskedAgain() throws {
        let wellness = Wellness(isWell: Mutex(false))
        let upstream = try Upstream { upstream, connection in
            _ = try upstream.receive(connection)
            if wellness.isWell.withLock({ $0 }) {
                try connection.send("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok")
            }
        }
        let gateway = try gateway(upstream.port, "breaker: {failures: 2, rest: 50ms}")
        for _ in 0..<2 { #expect(try code(send(gateway)) == "-1005") }
        wellness.isWell.withLock { $0 = true }
        try eventually("the upstream is asked again") { try send(gateway).status == 200 }
        for _ in 0..<3 { #expect(try send(gateway).status == 200) }
    }

    /// An upstream that answers 5xx is there, and so is one that answers with more than is taken.
    @Test func answersAreNoFailures() throws {
        let upstream = try Upstream { upstream, connection in
            while true {
                let request = try upstream.receive(connection)
                try connection.send(
                    request.target == "/large"
                        ? "HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n"
                        : "HTTP/1.1 503 Not now\r\nContent-Length: 0\r\n\r\n")
            }
        }
        let gateway = try gateway(upstream.port, "breaker: {failures: 1, rest: 1h}")
        for _ in 0..<3 {
            #expect(try send(gateway)["Cloakroom-Upstream-Status"] == "503")
            #expect(try code(send(gateway, "large")) == "-1011")
        }
    }

    /// One that speaks something else, or HTTP that nobody understands, is not.
    @Test(arguments: [("HTTP/1.1 abc\r\n\r\n", "-1011"), ("220 mail.example ready\r\n", "1400")])
    func nonsenseIsAFailure(answer: String, code expected: String) throws {
        let upstream = try Upstream { upstream, connection in
            _ = try upstream.receive(connection)
            try connection.send(answer)
        }
        let gateway = try gateway(upstream.port, "breaker: {failures: 2, rest: 1h}")
        for _ in 0..<2 { #expect(try code(send(gateway)) == expected) }
        #expect(try send(gateway).status == 503)
        #expect(upstream.requests.count == 2)
    }

    @Test func aFirstByteThatDoesNotComeEndsTheExchange() throws {
        let upstream = try Upstream { upstream, connection in
            _ = try upstream.receive(connection)
            _ = try? upstream.receive(connection)
        }
        let gateway = try gateway(upstream.port, "timeouts: {response: 100ms, total: 1h}")
        let answer = try send(gateway)
        #expect(answer.status == 504)
        #expect(try code(answer) == "-1001")
    }

    /// The line of a send that failed tells where it went as well.
    @Test func theLogTellsWhichUpstreamGaveNoAnswer() throws {
        let gateway = try gateway(try Upstream.deserted(), "breaker: {failures: 0}")
        #expect(try code(send(gateway)) == "-1004")
        try gateway.waitForLog(#""message":"request""#)
        let line = try #require(gateway.log.split(separator: "\n").first { $0.contains(#""message":"request""#) })
        for member in [#""error":-1004"#, #""form":"order""#, #""upstream":"orders""#, #""upstreamMicroseconds":"#] {
            #expect(line.contains(member))
        }
        #expect(!line.contains("upstreamStatus"))
    }

    @Test func onlyTheRoutesPathsAreAsked() throws {
        let upstream = try Upstream { upstream, connection in
            while true {
                _ = try upstream.receive(connection)
                try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
            }
        }
        let gateway = try gateway(upstream.port, #"paths: ["/orders/*", "/status"]"#)
        for path in ["orders/7", "status", "/status"] { #expect(try send(gateway, path).status == 200) }
        for path in ["orders", "orders/7/items", "orders%2F7/items", "admin", ""] {
            let answer = try send(gateway, path)
            #expect(answer.status == 404 && answer["Cloakroom-Upstream-Status"] == nil, "\(path)")
        }
        #expect(upstream.requests.count == 3)
    }

    /// Once its head is out, an answer that breaks off can only be cut: the caller sees that it is not whole.
    @Test func aLongAnswerThatBreaksOffIsCut() throws {
        let upstream = try Upstream { upstream, connection in
            _ = try upstream.receive(connection)
            try connection.send(
                "HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n" + String(repeating: "a", count: 50_000))
        }
        let gateway = try gateway(upstream.port, "timeouts: {total: 30s}, breaker: {failures: 2, rest: 1h}")
        for _ in 0..<2 {
            let connection = try Connection(port: gateway.port)
            let body = #"{"fields":{"note":"n"}}"#
            try connection.send(
                "POST /v1/forms/order/send/x HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n"
                    + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)")
            let received = try connection.receiveRest()
            #expect(received.hasPrefix("HTTP/1.1 200 OK\r\n"))
            #expect(received.contains("Content-Length: 100000\r\n"))
            #expect(received.utf8.count < 60_000)
        }
        // It counts as a failure all the same.
        #expect(try send(gateway).status == 503)
    }

    /// What is logged of a long answer is what was sent of it, once that is known.
    @Test(arguments: [50_000, 100_000])
    func theLogTellsWhatWasSent(count: Int) throws {
        let answer = "HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n" + String(repeating: "a", count: count)
        let upstream = try Upstream { upstream, connection in
            _ = try upstream.receive(connection)
            try connection.send(answer)
        }
        let gateway = try gateway(upstream.port, "timeouts: {total: 30s}")
        let connection = try Connection(port: gateway.port)
        try connection.send(
            "POST /v1/forms/order/send/x HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n"
                + "Connection: close\r\nContent-Length: 23\r\n\r\n{\"fields\":{\"note\":\"n\"}}")
        #expect(try connection.receiveRest().utf8.count { $0 == UInt8(ascii: "a") } >= count)
        try gateway.waitForLog(#""message":"request""#)
        let line = try #require(gateway.log.split(separator: "\n").first { $0.contains(#""message":"request""#) })
        let logged = try JSONValue(text: String(line))
        #expect(logged["bytesOut"]?.text == "\(count)")
        #expect(logged["error"]?.text == (count < 100_000 ? "-1005" : nil))
    }

    /// Nobody would see the aliases that are made for an upstream that is not asked.
    @Test func noAliasIsMadeForAnUpstreamAtRest() throws {
        let configuration = """
            \(Setting.base)
            routes: [{name: orders, kind: upstream, url: "http://127.0.0.1:\(try Upstream.deserted())",
              allowPlaintext: true, breaker: {failures: 1, rest: 1h}}]
            """
        let form = "form: order\nroute: orders\nfields: [{name: note, tokenization: {}}]"
        let gateway = try GatewayProcess(in: Setting.workspace(configuration, forms: ["order": form]))
        func send(_ note: String) throws -> Int {
            try gateway.post("/v1/forms/order/send/x", #"{"fields":{"note":"\#(note)"}}"#).status
        }
        func created() throws -> String? {
            try gateway.admin("GET", "/metrics").bodyText.split(separator: "\n")
                .first { $0.hasPrefix("cloakroom_items_total") }.map(String.init)
        }
        #expect(try send("one") == 502)
        let before = try created()
        #expect(before != nil)
        #expect(try send("two") == 503)
        #expect(try created() == before)
    }

    /// Callers that do not read slow their upstream down: what it would like to send all at once is never in memory.
    @Test func aSlowCallerSlowsTheUpstreamDown() throws {
        let length = 16_000_000
        let answer = "HTTP/1.1 200 OK\r\nContent-Length: \(length)\r\n\r\n" + String(repeating: "a", count: length)
        let upstream = try Upstream { upstream, connection in
            _ = try upstream.receive(connection)
            try connection.send(answer)
        }
        let gateway = try gateway(upstream.port, "timeouts: {total: 1h}")
        let before = try gateway.peakMemory()
        let body = #"{"fields":{"note":"n"}}"#
        let callers = try (0..<12).map { _ in
            let connection = try Connection(port: gateway.port)
            try connection.send(
                "POST /v1/forms/order/send/x HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n"
                    + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)")
            return connection
        }
        for caller in callers { try eventually("the answer begins") { try caller.hasArrivals() } }
        for caller in callers { #expect(try caller.receive().body.count == length) }
        // All of them would be 187,500 KiB.
        #expect(try gateway.peakMemory() - before < 60_000)
    }
}

/// Whether an upstream works.
private final class Wellness: Sendable {
    let isWell: Mutex<Bool>
    init(isWell: consuming Mutex<Bool>) { self.isWell = isWell }
}
