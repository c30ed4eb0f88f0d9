import Foundation
import Testing

/// What becomes of headers on their way to an upstream and back.
@Suite(.waits) struct HeaderPassageTests {
    private static let body = #"{"fields":{"note":"n"}}"#

    /// - Parameters:
    ///   - settings: of the route.
    ///   - lines: header lines of the upstream's answer, each with its CRLF.
    private func gateway(
        _ settings: String, answering lines: String = "", origins: String = "[]"
    ) throws -> (GatewayProcess, Upstream) {
        let answer =
            Array("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n".utf8) + lines.unicodeScalars.map { UInt8($0.value) }
            + Array("\r\nok".utf8)
        let upstream = try Upstream { upstream, connection in
            while true {
                _ = try upstream.receive(connection)
                try connection.send(answer)
            }
        }
        let url = "url: \"http://127.0.0.1:\(upstream.port)\", allowPlaintext: true"
        let configuration = """
            \(Setting.base)
            routes:
              - {name: orders, kind: upstream, \(url), \(settings)}
              - {name: back, kind: reveal, \(url), \(settings), reveal: {headers: [X-Token]}}
            """
        let form = "form: order\nroute: orders\nallowedOrigins: \(origins)\nfields: [{name: note}]"
        return (try GatewayProcess(in: Setting.workspace(configuration, forms: ["order": form])), upstream)
    }

    private func send(
        _ gateway: GatewayProcess, _ line: String = "", to target: String = "/v1/forms/order/send/x",
        type: String = "application/json"
    ) throws -> Message {
        let connection = try Connection(port: gateway.port)
        let text =
            "POST \(target) HTTP/1.1\r\nHost: a\r\nContent-Type: \(type)\r\nAuthorization: \(User.dev.authorization)\r\n"
            + "Content-Length: \(Self.body.utf8.count)\r\n\(line)\r\n\(Self.body)"
        try connection.send(text.unicodeScalars.map { UInt8($0.value) })
        return try connection.receive()
    }

    /// The characters of these tests are sent as bytes of Latin-1: é alone is no UTF-8, Ã© is.
    @Test func aHeaderThatIsNotUTF8IsNeverPassedOnAltered() throws {
        let (gateway, upstream) = try gateway("forwardHeaders: [X-One]")
        let reveal = "/v1/routes/back/x"
        for answer in try [
            send(gateway, "X-One: caf\u{E9}\r\n"), send(gateway, "X-One: a\r\nX-One: \u{FF}\r\n"),
            send(gateway, "X-One: \u{E9}\r\n", to: reveal), send(gateway, "X-Token: \u{E9}\r\n", to: reveal),
            send(gateway, to: reveal, type: "text/\u{E9}"),
        ] {
            #expect(answer.status == 400)
            #expect(try answer.json()["error"]?.string("type") == "malformedRequest")
        }
        #expect(upstream.requests.isEmpty)
        #expect(try send(gateway, "X-One: caf\u{C3}\u{A9}\r\nX-Two: \u{E9}\r\n").status == 200)
        #expect(upstream.requests.first?["X-One"] == "caf\u{E9}")
    }

    /// The reader of these tests shows what is no UTF-8 as U+FFFD; the bytes are looked at where they are written.
    @Test func aHeaderOfAnAnswerNeedNotBeUTF8() throws {
        let (gateway, upstream) = try gateway(
            "responseHeaders: [X-One, Location, Date, Access-Control-Allow-Origin]",
            answering:
                "X-One: \u{E9}\r\nX-One: \u{C3}\u{A9}\r\nLocation: /caf\u{E9}\r\nX-Two: \u{E9}\r\nDate: \u{E9}\r\n"
                + "Access-Control-Allow-Origin: \u{E9}\r\n")
        let answer = try send(gateway)
        #expect(answer.status == 200 && upstream.requests.count == 1)
        #expect(Set(answer.all("X-One")) == ["\u{E9}", "\u{FFFD}"] && answer["Location"] == "/caf\u{FFFD}")
        #expect(answer.all("X-Two").isEmpty && answer.all("Access-Control-Allow-Origin") == [])
        #expect(answer["Date"]?.hasSuffix("GMT") == true)
    }

    /// RFC 9110 section 7.6.1.
    @Test func whatTheUpstreamKeepsToItsConnectionIsNotPassedBack() throws {
        let (gateway, upstream) = try gateway(
            "responseHeaders: [X-One, X-Two, X-Three, Content-Type]",
            answering: "X-One: 1\r\nConnection: x-ONE , keep-alive\r\nConnection: X-Three\r\nX-Two: 2\r\nX-Three: 3\r\n"
        )
        let answer = try send(gateway)
        #expect(answer.status == 200 && upstream.requests.count == 1)
        #expect(answer.all("X-One").isEmpty && answer.all("X-Three").isEmpty && answer["X-Two"] == "2")
    }

    @Test func anAnswerHasOneDate() throws {
        let date = "Sun, 06 Nov 1994 08:49:37 GMT"
        let lines = "DATE: \(date)\r\nDate: Mon, 07 Nov 1994 08:49:37 GMT\r\n"
        let (gateway, upstream) = try gateway("responseHeaders: [date]", answering: lines)
        #expect(try send(gateway).all("Date") == [date])
        let (plain, other) = try self.gateway("methods: [POST]", answering: lines)
        let own = try send(plain).all("Date")
        #expect(own.count == 1 && own != [date])
        #expect(upstream.requests.count == 1 && other.requests.count == 1)
    }

    /// Who may read an answer is the form's to say.
    @Test func anUpstreamHasNoSayInWhoMayRead() throws {
        let headers = "responseHeaders: [Access-Control-Allow-Origin, access-control-allow-credentials, X-One]"
        let lines =
            "Access-Control-Allow-Origin: *\r\nAccess-Control-Allow-Credentials: true\r\nX-One: 1\r\n"
        let (gateway, upstream) = try gateway(headers, answering: lines, origins: "[\"https://shop.example\"]")
        for origin in ["https://shop.example", "https://other.example"] {
            let answer = try send(gateway, "Origin: \(origin)\r\n")
            #expect(answer.all("Access-Control-Allow-Origin") == (origin.contains("shop") ? [origin] : []))
            #expect(answer.all("Access-Control-Allow-Credentials").isEmpty && answer["X-One"] == "1")
        }
        let (open, other) = try self.gateway(headers, answering: lines)
        #expect(try send(open).all("Access-Control-Allow-Origin") == ["*"])
        #expect(upstream.requests.count == 2 && other.requests.count == 1)
    }
}
