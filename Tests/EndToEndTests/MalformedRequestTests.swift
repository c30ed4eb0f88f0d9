import Testing

/// Requests that RFC 9112 says to refuse, over a raw socket: one answer that is no success, then the end of the connection.
/// The valid request behind each of them is never taken for one.
@Suite(.waits) struct MalformedRequestTests {
    struct Case: CustomTestStringConvertible, Sendable {
        let name: String
        let bytes: String
        var status = 400

        init(_ name: String, _ bytes: String, _ status: Int = 400) {
            (self.name, self.bytes, self.status) = (name, bytes, status)
        }

        var testDescription: String { name }
    }

    private static let target = "/v1/forms/memo/validate"
    private static let body = #"{"fields":{}}"#
    private static let next = "GET /v1/forms HTTP/1.1\r\nHost: a\r\n\r\n"

    /// A POST with these header lines, each as given.
    private static func post(_ lines: String, body: String = body) -> String {
        "POST \(target) HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n\(lines)\r\n\(body)"
    }

    private static func chunked(_ chunks: String) -> String { post("Transfer-Encoding: chunked\r\n", body: chunks) }

    /// RFC 9112 section 6.3: where the body ends.
    static let framing = [
        Case("both framings", post("Content-Length: 13\r\nTransfer-Encoding: chunked\r\n", body: "0\r\n\r\n")),
        Case("both framings, turned", post("Transfer-Encoding: chunked\r\nContent-Length: 13\r\n", body: "0\r\n\r\n")),
        Case("differing lengths", post("Content-Length: 13\r\nContent-Length: 14\r\n")),
        Case("differing lengths in a list", post("Content-Length: 13, 14\r\n")),
        Case("signed length", post("Content-Length: +13\r\n")),
        Case("negative length", post("Content-Length: -13\r\n")),
        Case("hexadecimal length", post("Content-Length: 0xd\r\n")),
        Case("length with a point", post("Content-Length: 13.0\r\n")),
        Case("empty length", post("Content-Length: \r\n")),
        Case("length with a blank", post("Content-Length: 1 3\r\n")),
        Case("length beyond all numbers", post("Content-Length: 99999999999999999999999\r\n"), 413),
        Case(
            "length beyond all numbers and another",
            post("Content-Length: 99999999999999999999999\r\nContent-Length: 13\r\n")),
        Case("unknown coding", post("Transfer-Encoding: gzip\r\n"), 501),
        Case("unknown coding before chunked", post("Transfer-Encoding: gzip, chunked\r\n"), 501),
        Case("chunked is not last", post("Transfer-Encoding: chunked, gzip\r\n")),
        Case("chunked twice", post("Transfer-Encoding: chunked, chunked\r\n", body: "0\r\n\r\n")),
        Case("coding with a vertical tab", post("Transfer-Encoding: \u{B}chunked\r\n", body: "0\r\n\r\n")),
        Case(
            "coding in HTTP/1.0",
            post("Transfer-Encoding: chunked\r\n", body: "0\r\n\r\n").replacing("HTTP/1.1", with: "HTTP/1.0")),
    ]

    /// RFC 9112 section 7.1.
    static let chunks = [
        Case("chunk size with a prefix", chunked("0xd\r\n\(body)\r\n0\r\n\r\n")),
        Case("signed chunk size", chunked("+d\r\n\(body)\r\n0\r\n\r\n")),
        Case("empty chunk size", chunked("\r\n\(body)\r\n0\r\n\r\n")),
        Case("no chunk size", chunked("x\r\n\(body)\r\n0\r\n\r\n")),
        Case("blank before the chunk size", chunked(" d\r\n\(body)\r\n0\r\n\r\n")),
        Case("chunk size beyond all numbers", chunked("fffffffffffffffff\r\n\(body)\r\n0\r\n\r\n")),
        Case("junk after a chunk", chunked("d\r\n\(body)x\r\n0\r\n\r\n")),
        Case("no line end after a chunk", chunked("d\r\n\(body)0\r\n\r\n")),
        Case("bare LF after the chunk size", chunked("d\n\(body)\r\n0\r\n\r\n")),
        Case("bare LF after a chunk", chunked("d\r\n\(body)\n0\r\n\r\n")),
        Case("bare CR in a chunk extension", chunked("d;a\rb\r\n\(body)\r\n0\r\n\r\n")),
        Case("control character in a chunk extension", chunked("d;a=\u{1}\r\n\(body)\r\n0\r\n\r\n")),
        Case("trailer with a blank before the colon", chunked("d\r\n\(body)\r\n0\r\nX : y\r\n\r\n")),
        Case("trailer without a colon", chunked("d\r\n\(body)\r\n0\r\nX\r\n\r\n")),
    ]

    /// RFC 9112 sections 2, 3 and 5.
    static let heads = [
        Case("no Host", "GET /v1/forms HTTP/1.1\r\n\r\n"),
        Case("two Hosts", "GET /v1/forms HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n"),
        Case("Host with a path", "GET /v1/forms HTTP/1.1\r\nHost: a/b\r\n\r\n"),
        Case("Host with a blank", "GET /v1/forms HTTP/1.1\r\nHost: a b\r\n\r\n"),
        Case("folded header", "GET /v1/forms HTTP/1.1\r\nHost: a\r\nX: a\r\n b\r\n\r\n"),
        Case("blank before the first header", "GET /v1/forms HTTP/1.1\r\n Host: a\r\n\r\n"),
        Case("blank before the colon", "GET /v1/forms HTTP/1.1\r\nHost: a\r\nX : a\r\n\r\n"),
        Case("header without a colon", "GET /v1/forms HTTP/1.1\r\nHost: a\r\nX\r\n\r\n"),
        Case("header without a name", "GET /v1/forms HTTP/1.1\r\nHost: a\r\n: x\r\n\r\n"),
        Case("header name that is no token", "GET /v1/forms HTTP/1.1\r\nHost: a\r\nX(y): x\r\n\r\n"),
        Case("NUL in a header", "GET /v1/forms HTTP/1.1\r\nHost: a\r\nX: a\u{0}b\r\n\r\n"),
        Case("control character in a header", "GET /v1/forms HTTP/1.1\r\nHost: a\r\nX: a\u{1}b\r\n\r\n"),
        Case("DEL in a header", "GET /v1/forms HTTP/1.1\r\nHost: a\r\nX: a\u{7F}b\r\n\r\n"),
        Case("bare CR in a header", "GET /v1/forms HTTP/1.1\r\nHost: a\r\nX: a\rb\r\n\r\n"),
        Case("bare LF after a header", "GET /v1/forms HTTP/1.1\r\nHost: a\nX: a\r\n\r\n"),
        Case("bare LFs alone", "GET /v1/forms HTTP/1.1\nHost: a\n\n"),
        Case("bare LF at the head's end", "GET /v1/forms HTTP/1.1\r\nHost: a\r\n\n"),
        Case("two blanks before the target", "GET  /v1/forms HTTP/1.1\r\nHost: a\r\n\r\n"),
        Case("two blanks before the version", "GET /v1/forms  HTTP/1.1\r\nHost: a\r\n\r\n"),
        Case("a tab before the version", "GET /v1/forms\tHTTP/1.1\r\nHost: a\r\n\r\n"),
        Case("a blank behind the version", "GET /v1/forms HTTP/1.1 \r\nHost: a\r\n\r\n"),
        Case("no version", "GET /v1/forms\r\nHost: a\r\n\r\n"), Case("no target", "GET HTTP/1.1\r\nHost: a\r\n\r\n"),
        Case("lower-case version", "GET /v1/forms http/1.1\r\nHost: a\r\n\r\n"),
        Case("version without a point", "GET /v1/forms HTTP/11\r\nHost: a\r\n\r\n"),
        Case("version with two digits", "GET /v1/forms HTTP/1.10\r\nHost: a\r\n\r\n"),
        Case("HTTP/2", "GET /v1/forms HTTP/2.0\r\nHost: a\r\n\r\n", 505),
        Case("HTTP/0.9", "GET /v1/forms HTTP/0.9\r\nHost: a\r\n\r\n", 505),
        Case("HTTP/2 preface", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 505),
        Case("method that is no token", "G(T /v1/forms HTTP/1.1\r\nHost: a\r\n\r\n"),
        Case("control character in the target", "GET /v1/\u{1}forms HTTP/1.1\r\nHost: a\r\n\r\n"),
        Case("NUL in the target", "GET /v1/\u{0}forms HTTP/1.1\r\nHost: a\r\n\r\n"),
        Case("text beyond ASCII in the target", "GET /v1/f\u{F6}rms HTTP/1.1\r\nHost: a\r\n\r\n"),
        Case("fragment in the target", "GET /v1/forms#a HTTP/1.1\r\nHost: a\r\n\r\n"),
        Case("target without a slash", "GET v1/forms HTTP/1.1\r\nHost: a\r\n\r\n"),
        Case("broken percent-encoding", "GET /v1/forms/%zz HTTP/1.1\r\nHost: a\r\n\r\n"),
        Case("a TLS greeting", "\u{16}\u{3}\u{1}\u{2}\u{0}\u{1}\u{0}\u{1}\r\n\r\n"),
        Case("nothing like HTTP", "hello\r\n\r\n"),
    ]

    /// All in one write, then in single bytes: where the packets end must not matter.
    @Test(arguments: framing + chunks + heads, [false, true])
    func isRefusedAndTheConnectionEnds(_ refused: Case, byteByByte: Bool) throws {
        let gateway = try Setting.shared.get()
        let connection = try Connection(port: gateway.port)
        let bytes = Array((refused.bytes + Self.next).utf8)
        do {
            if byteByByte {
                for byte in bytes { try connection.send([byte]) }
            } else {
                try connection.send(bytes)
            }
        } catch is Trouble {
            // It need not take what comes behind a request that it refuses.
        }
        connection.endSending()
        let answer = try connection.receiveRest()
        #expect(answer.hasPrefix("HTTP/1.1 \(refused.status) "), "\(answer.prefix(40))")
        #expect(answer.ranges(of: "HTTP/1.1 ").count == 1)
        #expect(answer.contains("\r\nConnection: close\r\n") && answer.contains("\r\nX-Request-Id: "))
        #expect(answer.contains("urn:cloakroom:problem:"))
    }

    /// CONNECT and `*` are well-formed, but there is nothing behind them.
    @Test(arguments: ["CONNECT a:80", "OPTIONS *", "BREW /v1/forms"])
    func isNoSuccess(_ line: String) throws {
        let gateway = try Setting.shared.get()
        let connection = try Connection(port: gateway.port)
        try connection.send("\(line) HTTP/1.1\r\nHost: a:80\r\nConnection: close\r\n\r\n")
        #expect((400...599).contains(try connection.receive().status))
    }
}
