import HTTPWire
import Testing

/// Responses of upstreams: well-formed, malformed, and not HTTP.
struct ResponseTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let bytes: [UInt8]
        let method: Method
        let outcome: ResponseStream.Outcome

        init(_ text: String, _ head: String..., body: String = "", left: Int = 0, for method: Method = .get) {
            bytes = latin1(text)
            self.method = method
            outcome = .response(head, body: latin1(body), left: left)
        }

        init(_ text: String, _ error: WireError, for method: Method = .get) {
            bytes = latin1(text)
            self.method = method
            outcome = .failed(error)
        }

        var testDescription: String { "\(method) \(String(reflecting: String(decoding: bytes, as: UTF8.self)))" }
    }

    static let accepted = [
        Case("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi", "200 http11 length(2) keepAlive=true", body: "hi"),
        Case(
            "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhiHTTP", "200 http11 length(2) keepAlive=true", body: "hi",
            left: 4),
        Case("HTTP/1.1 200\r\nContent-Length: 0\r\n\r\n", "200 http11 length(0) keepAlive=true"),
        Case("HTTP/1.1 200 \r\nContent-Length: 0\r\n\r\n", "200 http11 length(0) keepAlive=true"),
        Case("HTTP/1.1 599 \u{E9}\t!\r\nContent-Length: 0\r\n\r\n", "599 http11 length(0) keepAlive=true"),
        Case(
            "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n", "200 http11 length(0) keepAlive=false"),
        Case("HTTP/1.0 200 OK\r\nContent-Length: 0\r\n\r\n", "200 http10 length(0) keepAlive=false"),
        Case(
            "HTTP/1.0 200 OK\r\nContent-Length: 0\r\nConnection: keep-alive\r\n\r\n",
            "200 http10 length(0) keepAlive=true"),
        Case("HTTP/1.1 200 OK\r\n\r\nhi", "200 http11 untilClose keepAlive=false", body: "hi"),
        Case("HTTP/1.0 200 OK\r\n\r\n", "200 http10 untilClose keepAlive=false"),
        Case(
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n",
            "200 http11 chunked keepAlive=true", body: "hi"),
        Case("HTTP/1.1 204 No Content\r\n\r\n", "204 http11 none keepAlive=true"),
        Case("HTTP/1.1 204 No Content\r\nContent-Length: 0\r\n\r\n", "204 http11 none keepAlive=true"),
        // RFC 9112 section 6.3: it ends with its head all the same. What may follow is read by nobody.
        Case("HTTP/1.1 204 No Content\r\nContent-Length: 2\r\n\r\n", "204 http11 none keepAlive=false"),
        Case("HTTP/1.1 204 No Content\r\nTransfer-Encoding: chunked\r\n\r\n", "204 http11 none keepAlive=false"),
        Case("HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\n", "304 http11 none keepAlive=true"),
        Case("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n", "200 http11 none keepAlive=true", for: .head),
        Case(
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", "200 http11 none keepAlive=true", for: .head),
        Case("HTTP/1.1 200 OK\r\n\r\n", "200 http11 none keepAlive=true", for: .head),
        Case(
            "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: a\r\n\r\nHTTP/1.1 200 OK\r\n"
                + "Content-Length: 2\r\n\r\nhi",
            "100 http11 none keepAlive=true", "103 http11 none keepAlive=true", "200 http11 length(2) keepAlive=true",
            body: "hi"),
    ]

    static let refused = [
        Case("\u{15}\u{3}\u{3}\u{0}\u{2}\u{2}\u{46}", .notHTTP),
        Case("SSH-2.0-OpenSSH_9.2\r\n", .notHTTP),
        Case("220 mail.example ESMTP\r\n", .notHTTP),
        Case("ICY 200 OK\r\n\r\n", .notHTTP),
        Case("http/1.1 200 OK\r\n\r\n", .notHTTP),
        Case(" HTTP/1.1 200 OK\r\n\r\n", .notHTTP),
        Case("\r\nHTTP/1.1 200 OK\r\n\r\n", .notHTTP),
        Case("<html>", .notHTTP),
        Case("HTTQ", .notHTTP),
        Case("\u{0}\u{0}\u{12}\u{4}\u{0}", .notHTTP),
        Case("", .truncated),
        Case("HTTP", .truncated),
        Case("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n", .truncated),
        Case("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nh", .truncated),
        Case("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n", .truncated),
        Case("HTTP/1.1 100 Continue\r\n\r\n", .truncated),
        Case("HTTP/2 200 OK\r\n\r\n", .malformedStatusLine),
        Case("HTTP/2.0 200 OK\r\n\r\n", .unsupportedVersion),
        Case("HTTP/1.1\r\n\r\n", .malformedStatusLine),
        Case("HTTP/1.1 20 OK\r\n\r\n", .malformedStatusLine),
        Case("HTTP/1.1 2000 OK\r\n\r\n", .malformedStatusLine),
        Case("HTTP/1.1 +20 OK\r\n\r\n", .malformedStatusLine),
        Case("HTTP/1.1 099 OK\r\n\r\n", .malformedStatusLine),
        Case("HTTP/1.1 600 OK\r\n\r\n", .malformedStatusLine),
        Case("HTTP/1.1  200 OK\r\n\r\n", .malformedStatusLine),
        Case("HTTP/1.1\t200 OK\r\n\r\n", .malformedStatusLine),
        Case("HTTP/1.1 200\tOK\r\n\r\n", .malformedStatusLine),
        Case("HTTP/1.1 200 OK\n\n", .bareLineFeed),
        Case("HTTP/1.1 200 OK\r\nX: a\rb\r\n\r\n", .bareCarriageReturn),
        Case("HTTP/1.1 200 \u{0}\r\n\r\n", .controlCharacter),
        Case("HTTP/1.1 200 OK\r\nX : a\r\n\r\n", .spaceBeforeColon),
        Case("HTTP/1.1 200 OK\r\nX: a\r\n b\r\n\r\n", .obsoleteFolding),
        Case("HTTP/1.1 200 OK\r\nX\r\n\r\n", .malformedFieldLine),
        Case("HTTP/1.1 200 OK\r\nContent-Length: +2\r\n\r\nhi", .malformedContentLength),
        Case("HTTP/1.1 200 OK\r\nContent-Length: 2, 2\r\n\r\nhi", .malformedContentLength),
        Case("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 2\r\n\r\nhi", .repeatedContentLength),
        Case("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\nhi", .conflictingFraming),
        Case("HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\nhi", .unknownTransferCoding),
        Case("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked, chunked\r\n\r\nhi", .chunkedNotLast),
        Case("HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", .transferEncodingInHTTP10),
        Case("HTTP/1.1 100 Continue\r\nContent-Length: 2\r\n\r\nhi", .bodyNotAllowed),
        Case("HTTP/1.1 200 OK\r\nContent-Length: 5, 5\r\n\r\n", .malformedContentLength, for: .head),
        Case("HTTP/1.1 200 OK\r\nContent-Length: 1001\r\n\r\n", .bodyTooLarge),
        Case("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3e9\r\n", .bodyTooLarge),
        Case("HTTP/1.1 200 \(String(repeating: "a", count: 64))", .headersTooLarge),
        Case("HTTP/1.1 200 OK\r\nX: \(String(repeating: "a", count: 256))\r\n\r\n", .headersTooLarge),
        Case("HTTP/1.1 200 OK\r\n\(String(repeating: "X: a\r\n", count: 9))\r\n", .tooManyHeaders),
    ]

    @Test(arguments: accepted + refused)
    func isReadTheSameHoweverItArrives(_ item: Case) {
        for delivery in Delivery.allCases {
            let outcome = ResponseStream.read(item.bytes, for: item.method, delivery)
            #expect(outcome == item.outcome, "\(delivery)")
        }
    }

    @Test func headersAreKept() throws {
        var parser = ResponseHeadParser()
        let text = "HTTP/1.1 200 OK\r\nSet-Cookie: a\r\nContent-Type: t\r\nset-cookie: b\r\nContent-Length: 0\r\n\r\n"
        let head = try #require(try parser.parse(latin1(text).span, for: .get))
        #expect(head.headers.all("Set-Cookie") == ["a", "b"])
        #expect(head.headers[.contentType] == "t")
        #expect(head.byteCount == text.utf8.count)
    }
}
