import JSON
import Testing

/// HTTP/1.1 as clients use it (RFC 9112, RFC 9110).
@Suite(.waits) struct ProtocolTests {
    private let gateway: GatewayProcess
    private let connection: Connection

    init() throws {
        gateway = try Setting.shared.get()
        connection = try Connection(port: gateway.port)
    }

    /// A send to the echo route, so that every answer tells its request.
    private func echo(_ note: String, _ headers: String = "") -> String {
        let body = #"{"fields":{"note":"\#(note)"}}"#
        return "POST /v1/forms/memo/send HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n\(headers)"
            + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
    }

    private func note(_ message: Message) throws -> String? { try message.json().string("note") }

    @Test func manyRequestsShareAConnection() throws {
        for index in 0..<50 {
            try connection.send(echo("n\(index)"))
            let answer = try connection.receive()
            #expect(try answer.status == 200 && note(answer) == "n\(index)")
            #expect(answer["Connection"] == nil)
        }
    }

    @Test func pipelinedRequestsAreAnsweredInOrder() throws {
        try connection.send((0..<50).map { echo("n\($0)") }.joined() + "GET /v1/forms HTTP/1.1\r\nHost: a\r\n\r\n")
        for index in 0..<50 { #expect(try note(connection.receive()) == "n\(index)") }
        #expect(try connection.receive().status == 200)
    }

    @Test func theBytesMayComeOneByOne() throws {
        for byte in (echo("slow") + echo("slower")).utf8 { try connection.send([byte]) }
        #expect(try note(connection.receive()) == "slow")
        #expect(try note(connection.receive()) == "slower")
    }

    @Test(arguments: [false, true])
    func aBodyMayComeInChunks(byteByByte: Bool) throws {
        let request =
            "POST /v1/forms/memo/send HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nTransfer-Encoding: Chunked\r\n\r\n"
            + "C;name=\"a;b\"\r\n{\"fields\":{\"\r\n00011\r\nnote\":\"chunked\"}}\r\n0\r\nX-Trailer: y\r\n\r\n"
        if byteByByte {
            for byte in request.utf8 { try connection.send([byte]) }
        } else {
            try connection.send(request)
        }
        #expect(try note(connection.receive()) == "chunked")
        try connection.send(echo("after"))
        #expect(try note(connection.receive()) == "after")
    }

    @Test func aClientThatAsksIsToldToGoOn() throws {
        let body = #"{"fields":{"note":"asked"}}"#
        try connection.send(
            "POST /v1/forms/memo/send HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n"
                + "Expect: 100-continue\r\nContent-Length: \(body.utf8.count)\r\n\r\n")
        let go = try connection.receive()
        #expect(go.status == 100 && go.body.isEmpty)
        try connection.send(body)
        #expect(try note(connection.receive()) == "asked")
    }

    @Test func anotherExpectationIs417() throws {
        try connection.send(echo("x", "Expect: a-miracle\r\n"))
        #expect(try connection.receive().status == 417)
    }

    @Test(arguments: ["/v1/forms", "/v1/forms/checkout"])
    func headAnswersAsGetWithoutABody(_ target: String) throws {
        try connection.send("HEAD \(target) HTTP/1.1\r\nHost: a\r\n\r\nGET \(target) HTTP/1.1\r\nHost: a\r\n\r\n")
        let head = try connection.receive(answersHead: true)
        let get = try connection.receive()
        #expect(head.status == 200 && get.status == 200 && !get.body.isEmpty)
        #expect(head["Content-Length"] == String(get.body.count) && head["Content-Type"] == get["Content-Type"])
    }

    @Test func anEmptyBodyIsOne() throws {
        try connection.send("GET /v1/forms HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n" + echo("next"))
        #expect(try connection.receive().status == 200)
        #expect(try note(connection.receive()) == "next")
    }

    @Test func theTargetMayBeAWholeURL() throws {
        let relative = echo("absolute")
        try connection.send(relative.replacing("POST /v1", with: "POST http://other.example:99/v1"))
        #expect(try note(connection.receive()) == "absolute")
        try connection.send("GET http://other.example/aliases HTTP/1.1\r\nHost: a\r\n\r\n")
        let refused = try connection.receive()
        #expect(refused.status == 401)
        #expect(try refused.json()["errors"]?.array?.first?.string("href") == "http://other.example/aliases")
    }

    @Test func anOldClientGetsOneAnswerUnlessItAsksForMore() throws {
        try connection.send("GET /v1/forms HTTP/1.0\r\n\r\n")
        #expect(try connection.receive().status == 200)
        #expect(try connection.receiveRest().isEmpty)

        let other = try Connection(port: gateway.port)
        try other.send("GET /v1/forms HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
        let first = try other.receive()
        #expect(first.status == 200 && first["Connection"]?.lowercased() == "keep-alive")
        try other.send("GET /v1/forms HTTP/1.0\r\n\r\n")
        #expect(try other.receive().status == 200)
        #expect(try other.receiveRest().isEmpty)
    }

    @Test func aClientMayAskToClose() throws {
        try connection.send(echo("last", "Connection: foo, Close\r\n") + echo("never"))
        let answer = try connection.receive()
        #expect(try note(answer) == "last")
        #expect(answer["Connection"] == "close")
        #expect(try connection.receiveRest().isEmpty)
    }

    @Test func aClientMayEndSendingBeforeItReads() throws {
        try connection.send(echo("half") + echo("closed"))
        connection.endSending()
        #expect(try note(connection.receive()) == "half")
        #expect(try note(connection.receive()) == "closed")
        #expect(try connection.receiveRest().isEmpty)
    }

    @Test func anEmptyLineBeforeARequestIsSkipped() throws {
        try connection.send("\r\n" + echo("skipped"))
        #expect(try note(connection.receive()) == "skipped")
    }

    @Test func everyAnswerHasADateAndAName() throws {
        try connection.send("GET /v1/forms HTTP/1.1\r\nHost: a\r\nX-Request-Id: my.own-id_7\r\n\r\n")
        let named = try connection.receive()
        #expect(named["X-Request-Id"] == "my.own-id_7" && named["Date"]?.hasSuffix(" GMT") == true)
        try connection.send("GET /v1/forms HTTP/1.1\r\nHost: a\r\nX-Request-Id: not a name\r\n\r\n")
        let given = try #require(connection.receive()["X-Request-Id"])
        #expect(try /[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/.wholeMatch(in: given) != nil)
    }
}
