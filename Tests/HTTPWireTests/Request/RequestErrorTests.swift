import HTTPWire
import Testing

/// Bytes that must never be accepted as a request (RFC 9112 §2.2, §3, §5, §6, §11), however they arrive.
struct RequestErrorTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let bytes: [UInt8]
        let error: WireError

        init(_ text: String, _ error: WireError) {
            bytes = latin1(text)
            self.error = error
        }

        /// A well-formed request except for `lines`, which replace all headers other than Host.
        static func headers(_ lines: String, _ error: WireError) -> Case {
            Case("POST / HTTP/1.1\r\nHost: a\r\n\(lines)\r\n\r\nhello", error)
        }

        static func target(_ target: String, method: String = "GET", _ error: WireError = .malformedTarget) -> Case {
            Case("\(method) \(target) HTTP/1.1\r\nHost: a\r\n\r\n", error)
        }

        static func host(_ value: String) -> Case {
            Case("GET / HTTP/1.1\r\nHost: \(value)\r\n\r\n", .malformedHost)
        }

        var testDescription: String { String(reflecting: String(decoding: bytes, as: UTF8.self)) }
    }

    static let requestLines = [
        Case("GET /\r\nHost: a\r\n\r\n", .malformedRequestLine),
        Case("GET\r\n\r\n", .malformedRequestLine),
        Case("GET  / HTTP/1.1\r\nHost: a\r\n\r\n", .malformedVersion),
        Case("GET /  HTTP/1.1\r\nHost: a\r\n\r\n", .malformedVersion),
        Case("GET / HTTP/1.1 \r\nHost: a\r\n\r\n", .malformedVersion),
        Case(" GET / HTTP/1.1\r\nHost: a\r\n\r\n", .malformedMethod),
        Case("GET\t/ HTTP/1.1\r\nHost: a\r\n\r\n", .malformedMethod),
        Case("G(T / HTTP/1.1\r\nHost: a\r\n\r\n", .malformedMethod),
        Case("GÉT / HTTP/1.1\r\nHost: a\r\n\r\n", .malformedMethod),
        Case("GET / http/1.1\r\nHost: a\r\n\r\n", .malformedVersion),
        Case("GET / HTTP/1\r\nHost: a\r\n\r\n", .malformedVersion),
        Case("GET / HTTP/1.10\r\nHost: a\r\n\r\n", .malformedVersion),
        Case("GET / HTTP/11\r\nHost: a\r\n\r\n", .malformedVersion),
        Case("GET / HTTP/+1.1\r\nHost: a\r\n\r\n", .malformedVersion),
        Case("GET / HTTP/0.9\r\nHost: a\r\n\r\n", .unsupportedVersion),
        Case("GET / HTTP/1.2\r\nHost: a\r\n\r\n", .unsupportedVersion),
        Case("GET / HTTP/2.0\r\nHost: a\r\n\r\n", .unsupportedVersion),
        Case("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", .unsupportedVersion),
        Case("GET / HTTP/3.0\r\nHost: a\r\n\r\n", .unsupportedVersion),
        Case("\u{16}\u{3}\u{1}\u{2}\u{0}\u{1}\u{0}", .controlCharacter),
        Case("\r\n\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n", .tooManyEmptyLines),
    ]

    static let lineEnds = [
        Case("GET / HTTP/1.1\nHost: a\n\n", .bareLineFeed),
        Case("GET / HTTP/1.1\r\nHost: a\n\r\n", .bareLineFeed),
        Case("GET / HTTP/1.1\r\nHost: a\r\n\n", .bareLineFeed),
        Case("\nGET / HTTP/1.1\r\nHost: a\r\n\r\n", .bareLineFeed),
        Case("GET / HTTP/1.1\rHost: a\r\r", .bareCarriageReturn),
        Case("GET / HTTP/1.1\r\nHost: a\rX: b\r\n\r\n", .bareCarriageReturn),
        Case("GET / HTTP/1.1\r\r\nHost: a\r\n\r\n", .bareCarriageReturn),
        Case("GET / HTTP/1.1\r\nHost: a\r\n\rX", .bareCarriageReturn),
        Case("\rGET / HTTP/1.1\r\nHost: a\r\n\r\n", .bareCarriageReturn),
        Case("GET /\u{0} HTTP/1.1\r\nHost: a\r\n\r\n", .controlCharacter),
        .headers("X: a\u{0}b", .controlCharacter),
        .headers("X: a\u{1}b", .controlCharacter),
        .headers("X: a\u{B}b", .controlCharacter),
        .headers("X: a\u{C}b", .controlCharacter),
        .headers("X: a\u{1B}b", .controlCharacter),
        .headers("X: a\u{7F}b", .controlCharacter),
        .headers("X\u{0}: ab", .controlCharacter),
    ]

    static let targets = [
        Case.target("a"), .target("a/b"), .target("?a"), .target("*"), .target("/*", method: "CONNECT"),
        .target("/#f"), .target("/a?b#c"), .target("/\""), .target("/<a>"), .target("/a\\b"), .target("/^"),
        .target("/`"),
        .target("/{a}"), .target("/?\""), .target("/?<a>"), .target("/\u{E9}"), .target("/?\u{FF}"),
        .target("/a\tb"), .target("/%"), .target("/%4"), .target("/%4g"), .target("/%zz"), .target("/?%"),
        .target("/?%f"),
        .target("http:/a"), .target("http://"), .target("http:///a"), .target("http://?a"), .target("http://:80/"),
        .target("http://u@a/"), .target("http://u:p@a/"), .target("http://a:b/"), .target("http://a:65536/"),
        .target("http://a b/", .malformedVersion), .target("http://a/#f"), .target("http://[::1/"),
        .target("http://[::1]a/"), .target("ftp://a/"), .target("ws://a/"), .target("http//a"), .target("httpx://a/"),
        .target("a:80"), .target("a", method: "CONNECT"), .target("a:", method: "CONNECT"),
        .target("http://a:80/", method: "CONNECT"), .target("a:80/", method: "CONNECT"),
        .target("a:0x50", method: "CONNECT"), .target("", .malformedRequestLine),
    ]

    static let fieldLines = [
        Case.headers("X : a", .spaceBeforeColon),
        .headers("X\t: a", .spaceBeforeColon),
        .headers("Content-Length : 5", .spaceBeforeColon),
        .headers("Transfer-Encoding : chunked", .spaceBeforeColon),
        .headers("X: a\r\n b", .obsoleteFolding),
        .headers("X: a\r\n\tb", .obsoleteFolding),
        .headers("X: a\r\n ", .obsoleteFolding),
        .headers("X: a\r\n Content-Length: 5", .obsoleteFolding),
        Case("GET / HTTP/1.1\r\n Host: a\r\n\r\n", .obsoleteFolding),
        .headers("X", .malformedFieldLine),
        .headers(": a", .malformedFieldLine),
        .headers("X Y: a", .spaceBeforeColon),
        .headers("X(: a", .malformedFieldName),
        .headers("X\u{E9}: a", .malformedFieldName),
        .headers("\"X\": a", .malformedFieldLine),
        .headers("GET / HTTP/1.1", .spaceBeforeColon),
    ]

    static let hosts = [
        Case("GET / HTTP/1.1\r\n\r\n", .missingHost),
        Case("GET http://a/ HTTP/1.1\r\n\r\n", .missingHost),
        Case("GET / HTTP/1.1\r\nX: a\r\n\r\n", .missingHost),
        Case("GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n", .repeatedHost),
        Case("GET / HTTP/1.1\r\nHost: a\r\nhost: b\r\n\r\n", .repeatedHost),
        Case("GET / HTTP/1.0\r\nHost: a\r\nHost: a\r\n\r\n", .repeatedHost),
        .host(""), .host("a b"), .host("a, b:1:2"), .host("u@a"), .host("a/b"), .host("a:b"), .host("a:1:2"),
        .host("a:65536"), .host("a:-1"), .host(":80"), .host("http://a"), .host("a?b"), .host("a#b"), .host("[::1"),
        .host("::1"), .host("[]"), .host("[:1]"), .host("[1:2:3:4:5:6:7]"), .host("[1:2:3:4:5:6:7:8:9]"),
        .host("[1::2::3]"), .host("[12345::]"), .host("[::g]"), .host("[::1.2.3]"), .host("[::1.2.3.256]"),
        .host("[::01.2.3.4]"), .host("[1:2:3:4:5:6:7:1.2.3.4]"), .host("[::1]x"), .host("[fe80::1%25eth0]"),
        .host("[1:]"), .host("[:::1]"), .host("[::1.2.3.4.5]"), .host("a%"), .host("a%4"), .host("\u{E9}"),
        .host("a\\b"),
    ]

    static let framings = [
        Case.headers("Content-Length: +5", .malformedContentLength),
        .headers("Content-Length: -5", .malformedContentLength),
        .headers("Content-Length: 5 5", .malformedContentLength),
        .headers("Content-Length: 5, 5", .malformedContentLength),
        .headers("Content-Length: 5,", .malformedContentLength),
        .headers("Content-Length: 0x5", .malformedContentLength),
        .headers("Content-Length: 5.0", .malformedContentLength),
        .headers("Content-Length: 5;", .malformedContentLength),
        .headers("Content-Length: \"5\"", .malformedContentLength),
        .headers("Content-Length: five", .malformedContentLength),
        .headers("Content-Length:", .malformedContentLength),
        .headers("Content-Length: \u{B2}", .malformedContentLength),
        .headers("Content-Length: 9223372036854775808", .bodyTooLarge),
        .headers("Content-Length: 18446744073709551621", .bodyTooLarge),
        .headers("Content-Length: 99999999999999999999999999", .bodyTooLarge),
        .headers("Content-Length: 99999999999999999999999999x", .malformedContentLength),
        .headers("Content-Length: 99999999999999999999999999\r\nContent-Length: 5", .repeatedContentLength),
        .headers("Content-Length: 5\r\nContent-Length: 5", .repeatedContentLength),
        .headers("Content-Length: 5\r\nContent-Length: 6", .repeatedContentLength),
        .headers("Content-Length: 5\r\ncontent-length: 0", .repeatedContentLength),
        .headers("Content-Length: 5\r\nTransfer-Encoding: chunked", .conflictingFraming),
        .headers("Transfer-Encoding: chunked\r\nContent-Length: 5", .conflictingFraming),
        .headers("Content-Length: 0\r\nTransfer-Encoding: chunked", .conflictingFraming),
        .headers("Content-Length: 5\r\nTransfer-Encoding: identity", .conflictingFraming),
        .headers("Transfer-Encoding: gzip", .unknownTransferCoding),
        .headers("Transfer-Encoding: identity", .unknownTransferCoding),
        .headers("Transfer-Encoding: xchunked", .unknownTransferCoding),
        .headers("Transfer-Encoding: gzip, chunked", .unknownTransferCoding),
        .headers("Transfer-Encoding: gzip\r\nTransfer-Encoding: chunked", .unknownTransferCoding),
        .headers("Transfer-Encoding: chunked, chunked", .chunkedNotLast),
        .headers("Transfer-Encoding: chunked, identity", .chunkedNotLast),
        .headers("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked", .chunkedNotLast),
        .headers("Transfer-Encoding: chunked\r\nTransfer-Encoding: identity", .chunkedNotLast),
        .headers("Transfer-Encoding:", .malformedTransferEncoding),
        .headers("Transfer-Encoding: ,chunked", .malformedTransferEncoding),
        .headers("Transfer-Encoding: chunked,", .malformedTransferEncoding),
        .headers("Transfer-Encoding: \"chunked\"", .malformedTransferEncoding),
        .headers("Transfer-Encoding: chunked;a=b", .malformedTransferEncoding),
        .headers("Transfer-Encoding: chunked x", .malformedTransferEncoding),
        .headers("Transfer-Encoding: \u{B}chunked", .controlCharacter),
        Case("POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", .transferEncodingInHTTP10),
        .headers("Expect: 200-ok", .unknownExpectation),
        .headers("Expect: 100-continue, x", .unknownExpectation),
        .headers("Expect:", .unknownExpectation),
        .headers("Connection: a b", .malformedConnection),
        .headers("Connection: \"close\"", .malformedConnection),
    ]

    static let all = requestLines + lineEnds + targets + fieldLines + hosts + framings

    @Test(arguments: all)
    func isRefusedHoweverItArrives(_ item: Case) {
        // The bytes after it would be a request if they were parsed.
        let smuggled = latin1("GET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n")
        for delivery in Delivery.allCases {
            #expect(RequestStream.read(item.bytes + smuggled, delivery) == [.refused(item.error)], "\(delivery)")
        }
    }

    @Test func anErrorIsRepeatedForEver() {
        var parser = RequestHeadParser()
        #expect(throws: WireError.bareLineFeed) { try parser.parse(latin1("\n").span) }
        #expect(throws: WireError.bareLineFeed) { try parser.parse(latin1("GET / HTTP/1.1\r\nHost: a\r\n\r\n").span) }
    }

    @Test func statusesAreThoseOfTheStandards() {
        let special: [WireError: Int] = [
            .bodyTooLarge: 413, .requestLineTooLong: 414, .unknownExpectation: 417, .headersTooLarge: 431,
            .tooManyHeaders: 431, .trailersTooLarge: 431, .unwritableField: 500, .unwritableRequestLine: 500,
            .unknownTransferCoding: 501, .unsupportedVersion: 505,
        ]
        for error in WireError.allCases {
            #expect(error.status == special[error, default: 400], "\(error)")
            #expect(!error.reason.isEmpty)
        }
    }
}
