import HTTPWire
import Testing

/// Well-formed requests, and what is parsed from them, however they arrive.
struct RequestAcceptanceTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let bytes: [UInt8]
        let events: [RequestStream.Event]

        init(_ text: String, _ events: RequestStream.Event...) {
            bytes = latin1(text)
            self.events = events
        }

        var testDescription: String { String(reflecting: String(decoding: bytes, as: UTF8.self)) }
    }

    private static func request(_ summary: String, _ body: String = "") -> RequestStream.Event {
        .request(summary, body: Array(body.utf8))
    }

    private static let get = "GET origin / http11 none host=a keepAlive=true continue=false"

    static let cases = [
        Case("GET / HTTP/1.1\r\nHost: a\r\n\r\n", request("\(get) Host=a")),
        Case("\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n", request("\(get) Host=a")),
        Case("\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n", request("\(get) Host=a")),
        Case("GET / HTTP/1.1\r\nhOsT:a\r\n\r\n", request("\(get) hOsT=a")),
        Case("GET / HTTP/1.1\r\nHost: \t a \t\r\nX:\r\nY: b\tc\r\n\r\n", request("\(get) Host=a|X=|Y=b\tc")),
        Case(
            "GET / HTTP/1.1\r\nHost: a\r\nX: \u{C3}\u{A9}\u{FF}\r\n!#$%&'*+-.^_`|~09azAZ: :\r\n\r\n",
            request("\(get) Host=a|X=é\u{FFFD}|!#$%&'*+-.^_`|~09azAZ=:")),
        Case(
            "GET /a/%2F//b;c=d,e:@!$&'()*+-._~?x=%20&y=/?:@+ HTTP/1.1\r\nHost: a.example:8080\r\n\r\n",
            request(
                "GET origin /a/%2F//b;c=d,e:@!$&'()*+-._~?x=%20&y=/?:@+ http11 none host=a.example:8080 "
                    + "keepAlive=true continue=false Host=a.example:8080")),
        Case(
            "GET /? HTTP/1.1\r\nHost: [::1]:80\r\n\r\n",
            request("GET origin /? http11 none host=[::1]:80 keepAlive=true continue=false Host=[::1]:80")),
        Case(
            "GET HTTP://b:81/c?d HTTP/1.1\r\nHost: a\r\n\r\n",
            request("GET absolute /c?d http11 none host=b:81 keepAlive=true continue=false Host=a")),
        Case(
            "GET https://b?d HTTP/1.1\r\nHost: a\r\n\r\n",
            request("GET absolute /?d http11 none host=b keepAlive=true continue=false Host=a")),
        Case(
            "OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n",
            request("OPTIONS asterisk * http11 none host=a keepAlive=true continue=false Host=a")),
        Case(
            "CONNECT b:443 HTTP/1.1\r\nHost: a\r\n\r\n",
            request("CONNECT authority  http11 none host=b:443 keepAlive=true continue=false Host=a")),
        Case(
            "get / HTTP/1.1\r\nHost: a\r\n\r\n",
            request("get origin / http11 none host=a keepAlive=true continue=false Host=a")),
        Case("GET / HTTP/1.0\r\n\r\n", request("GET origin / http10 none host=- keepAlive=false continue=false ")),
        Case(
            "GET / HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n",
            request("GET origin / http10 none host=- keepAlive=true continue=false Connection=Keep-Alive")),
        Case(
            "GET / HTTP/1.0\r\nConnection: close, keep-alive\r\n\r\n",
            request("GET origin / http10 none host=- keepAlive=false continue=false Connection=close, keep-alive")),
        Case(
            "GET / HTTP/1.1\r\nHost: a\r\nConnection: TE, , Close\r\n\r\n",
            request("GET origin / http11 none host=a keepAlive=false continue=false Host=a|Connection=TE, , Close")),
        Case(
            "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\nExpect: 100-continue\r\n\r\n",
            request(
                "POST origin / http11 length(0) host=a keepAlive=true continue=false "
                    + "Host=a|Content-Length=0|Expect=100-continue")),
        Case(
            "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 005\r\nExpect: 100-Continue\r\n\r\nhello",
            request(
                "POST origin / http11 length(5) host=a keepAlive=true continue=true "
                    + "Host=a|Content-Length=005|Expect=100-Continue", "hello")),
        Case(
            "POST / HTTP/1.0\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\nhello",
            request(
                "POST origin / http10 length(5) host=- keepAlive=false continue=false "
                    + "Content-Length=5|Expect=100-continue", "hello")),
        Case(
            "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: Chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
            request(
                "POST origin / http11 chunked host=a keepAlive=true continue=false Host=a|Transfer-Encoding=Chunked",
                "hello")),
    ]

    @Test(arguments: cases)
    func isReadTheSameHoweverItArrives(_ item: Case) {
        for delivery in Delivery.allCases {
            #expect(RequestStream.read(item.bytes, delivery) == item.events, "\(delivery)")
        }
    }

    @Test func pipelinedRequestsAreReadOneAfterTheOther() {
        let all = RequestAcceptanceTests.cases + RequestAcceptanceTests.cases.reversed()
        let bytes = all.flatMap(\.bytes)
        let events = all.flatMap(\.events)
        for delivery in Delivery.allCases {
            #expect(RequestStream.read(bytes, delivery) == events, "\(delivery)")
        }
    }

    @Test func aHeadThatStopsAnywhereIsUnfinishedAndNeverRefused() {
        let bytes = latin1("POST /a?b HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nhi")
        for count in 1..<bytes.count {
            #expect(RequestStream.read(Array(bytes[..<count]), .byteByByte) == [.unfinished], "\(count)")
        }
    }

    @Test func aParserKnowsWhetherARequestHasBegun() throws {
        var parser = RequestHeadParser()
        #expect(parser.isAtStart)
        #expect(try parser.parse(latin1("\r\n").span) == nil)
        #expect(parser.isAtStart)
        #expect(try parser.parse(latin1("\r\nG").span) == nil)
        #expect(!parser.isAtStart)
        #expect(try parser.parse(latin1("\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n").span) != nil)
        #expect(parser.isAtStart)
    }

    @Test(arguments: [
        "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "get", "PURGE", "M-SEARCH", "POSTS", "GE",
    ])
    func methodsKeepTheirNames(_ name: String) throws {
        var parser = RequestHeadParser()
        let head = try #require(try parser.parse(latin1("\(name) / HTTP/1.1\r\nHost: a\r\n\r\n").span))
        #expect(head.method.name == name)
        #expect(head.method == Method(name))
    }

    @Test(arguments: [
        "a", "A.b-c_d~1", "1.2.3.4:80", "[::]", "[::1]:8080", "[1:2:3:4:5:6:7:8]", "[1::8]", "[::1.2.3.4]", "[1::]",
        "[::ffff:255.255.255.255]", "[1:2:3:4:5:6:1.2.3.4]", "a:", "a:65535", "a%20b", "a!$&'()*+,;=",
    ])
    func hostsOfTheGrammarAreTaken(_ host: String) throws {
        var parser = RequestHeadParser()
        let head = try #require(try parser.parse(latin1("GET / HTTP/1.1\r\nHost: \(host)\r\n\r\n").span))
        #expect(head.host == host)
    }

    @Test func headersAreFoundByNameInAnyCase() throws {
        var parser = RequestHeadParser()
        let text = "GET / HTTP/1.1\r\nHost: a\r\nX-One: 1\r\nx-one: 2\r\nContent-Type: t\r\nAuthorization: b\r\n\r\n"
        let headers = try #require(try parser.parse(latin1(text).span)).headers
        #expect(headers["X-ONE"] == "1")
        #expect(headers["x-one"] == "1")
        #expect(headers.all("X-one") == ["1", "2"])
        #expect(headers["x-on"] == nil)
        #expect(headers.all("x-onf") == [])
        #expect(headers.contains("host"))
        #expect(!headers.isRepeated(.host) && !headers.isRepeated(.authorization))
        #expect(!headers.contains(""))
        #expect(headers[.contentType] == "t")
        #expect(headers[.authorization] == "b")
        #expect(headers[.expect] == nil)
        #expect(headers.count == 5)
        #expect(headers.map(\.name) == ["Host", "X-One", "x-one", "Content-Type", "Authorization"])
    }

    @Test func tellsWhatConnectionKeepsToItself() throws {
        var parser = RequestHeadParser()
        let text =
            "GET / HTTP/1.1\r\nHost: a\r\nConnection: keep-alive, X-One\r\nconnection:x-TWO ,,\r\nX-One: 1\r\n\r\n"
        let headers = try #require(try parser.parse(latin1(text).span)).headers
        for name in ["x-one", "X-ONE", "x-two", "keep-alive"] { #expect(headers.isConnectionSpecific(name), "\(name)") }
        for name in ["x-on", "x-ones", "one", "host", "connection"] {
            #expect(!headers.isConnectionSpecific(name), "\(name)")
        }
    }

    @Test func valuesThatAreNotUTF8AreTold() throws {
        var parser = RequestHeadParser()
        let text = "GET / HTTP/1.1\r\nHost: a\r\nX: caf\u{E9}\r\nx: caf\u{C3}\u{A9}\r\nX:\r\n\r\n"
        let headers = try #require(try parser.parse(latin1(text).span)).headers
        #expect(headers.texts("x") == [nil, "café", ""])
        #expect(headers.opaque("X") == [latin1("caf\u{E9}"), Array("café".utf8), []])
    }

    @Test func printingAHeadShowsNothingOfItsHeaders() throws {
        var parser = RequestHeadParser()
        let text = "GET /a?secret=1 HTTP/1.1\r\nHost: a\r\nAuthorization: secret\r\n\r\n"
        let head = try #require(try parser.parse(latin1(text).span))
        var dumped = ""
        dump(head, to: &dumped)
        for shown in ["\(head)", String(reflecting: head), dumped] {
            #expect(!shown.contains("secret"))
            // The bytes of "secret", as an array prints them.
            #expect(!shown.contains("115"))
        }
        #expect(head.headers["authorization"] == "secret")
    }
}
