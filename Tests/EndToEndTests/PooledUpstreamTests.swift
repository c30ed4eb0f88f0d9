import Dispatch
import JSON
import Testing

/// Connections to an upstream that are used again, and what must not come of it (docs/reference/proxy.md section 2).
@Suite(.waits) struct PooledUpstreamTests {
    private static func gateway(_ upstream: Upstream) throws -> GatewayProcess {
        let configuration = """
            \(Setting.base)
            routes:
              - name: r
                kind: upstream
                url: "http://127.0.0.1:\(upstream.port)"
                allowPlaintext: true
                methods: [GET, POST, PUT, PATCH, DELETE]
            """
        let form = "form: f\nroute: r\nfields: [{name: note}]"
        return try GatewayProcess(
            in: Setting.workspace(configuration, forms: ["f": form]), ["--set", "server.workers=1"])
    }

    private static func answer(_ text: String) -> String {
        "HTTP/1.1 200 OK\r\nContent-Length: \(text.utf8.count)\r\n\r\n\(text)"
    }

    private static func send(_ gateway: GatewayProcess, _ path: String, _ method: String = "POST") throws -> Message {
        try gateway.request(
            method, "/v1/forms/f/send/\(path)", ["Content-Type": "application/json"], body: #"{"fields":{}}"#)
    }

    /// The upstream hangs up instead of answering the second request of a connection. Only what may be repeated is.
    @Test(arguments: [("GET", 200), ("PUT", 200), ("DELETE", 200), ("POST", 502), ("PATCH", 502)])
    func onlyIdempotentRequestsAreTriedAgain(_ method: String, _ status: Int) throws {
        let upstream = try Upstream { upstream, connection in
            try connection.send(Self.answer(upstream.receive(connection).target))
            _ = try upstream.receive(connection)
        }
        let gateway = try Self.gateway(upstream)
        #expect(try Self.send(gateway, "first", method).bodyText == "/first")
        let second = try Self.send(gateway, "second", method)
        #expect(second.status == status)
        if status == 200 {
            #expect(second.bodyText == "/second")
        } else {
            #expect(try second.json()["error", "code"]?.text == "-1005")
        }
        #expect(upstream.requests.filter { $0.target == "/second" }.count == (status == 200 ? 2 : 1))
    }

    /// A connection that was closed while nobody used it is not used.
    @Test func aConnectionThatWasClosedMeanwhileIsNotUsed() throws {
        let closed = DispatchSemaphore(value: 0)
        let upstream = try Upstream { upstream, connection in
            try connection.send(Self.answer(upstream.receive(connection).target))
            connection.shut()
            closed.signal()
        }
        let gateway = try Self.gateway(upstream)
        for index in 0..<50 {
            #expect(try Self.send(gateway, "\(index)").bodyText == "/\(index)")
            closed.wait()
        }
        #expect(upstream.requests.count == 50)
    }

    /// What an upstream says without being asked is nobody's answer.
    @Test(arguments: ["HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\npoison", "poison", "\r\n"])
    func bytesBehindAnAnswerAreNobodysAnswer(_ surplus: String) throws {
        let upstream = try Upstream { upstream, connection in
            while true { try connection.send(Self.answer(upstream.receive(connection).target) + surplus) }
        }
        let gateway = try Self.gateway(upstream)
        for index in 0..<5 { #expect(try Self.send(gateway, "\(index)").bodyText == "/\(index)") }
    }

    /// Answers that have no body, whatever their headers say, do not shift the next one.
    @Test func answersWithoutABodyLeaveTheConnectionInOrder() throws {
        let heads = [
            "204": "HTTP/1.1 204 No Content\r\n\r\n", "304": "HTTP/1.1 304 Not Modified\r\nContent-Length: 4\r\n\r\n",
        ]
        let upstream = try Upstream { upstream, connection in
            while true {
                let target = try upstream.receive(connection).target
                try connection.send(heads[String(target.dropFirst())] ?? Self.answer(target))
            }
        }
        let gateway = try Self.gateway(upstream)
        for status in ["204", "304"] {
            let bodiless = try Self.send(gateway, status)
            #expect(bodiless.status == Int(status) && bodiless["Cloakroom-Upstream-Status"] == status)
            #expect(try Self.send(gateway, "next").bodyText == "/next")
        }
    }

    /// An upstream may answer before it has read the request.
    @Test func anEarlyAnswerCounts() throws {
        let upstream = try Upstream { upstream, connection in
            try connection.send("HTTP/1.1 413 No\r\nConnection: close\r\nContent-Length: 3\r\n\r\nbig")
            _ = try? connection.receiveRest()
        }
        let gateway = try Self.gateway(upstream)
        let answer = try gateway.post(
            "/v1/forms/f/send/x", #"{"fields":{"note":"\#(String(repeating: "n", count: 900_000))"}}"#)
        #expect(answer.status == 413 && answer.bodyText == "big" && answer["Cloakroom-Upstream-Status"] == "413")
    }
}
