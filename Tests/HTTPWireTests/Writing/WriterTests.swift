import HTTPWire
import Testing

struct WriterTests {
    private let keep = ResponseContext(version: .http11, isHead: false, keepAlive: true)
    private let close = ResponseContext(version: .http11, isHead: false, keepAlive: false)
    private let old = ResponseContext(version: .http10, isHead: false, keepAlive: true)
    private let head = ResponseContext(version: .http11, isHead: true, keepAlive: true)
    private let date = "Sun, 06 Nov 1994 08:49:37 GMT"

    private func response(
        _ status: Int, _ headers: [(String, String)] = [], _ body: String = "", to context: ResponseContext,
        date: String = ""
    ) throws -> String {
        var writer = WireWriter()
        let line = date.isEmpty ? FieldBlock.none : try FieldBlock([("Date", date)])
        try writer.response(status: status, headers: headers, body: latin1(body), to: context, date: line)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    @Test func wholeResponses() throws {
        let type = [("Content-Type", "text/plain")]
        #expect(
            try response(200, type, "hi", to: keep, date: date)
                == "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nDate: \(date)\r\nContent-Length: 2\r\n\r\nhi")
        #expect(
            try response(422, [], "hi", to: close)
                == "HTTP/1.1 422 Unprocessable Content\r\nConnection: close\r\nContent-Length: 2\r\n\r\nhi")
        #expect(
            try response(200, [], "hi", to: old)
                == "HTTP/1.1 200 OK\r\nConnection: keep-alive\r\nContent-Length: 2\r\n\r\nhi")
        #expect(try response(200, [], "hi", to: head) == "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n")
        #expect(try response(200, to: keep) == "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
        #expect(try response(204, [], "hi", to: keep) == "HTTP/1.1 204 No Content\r\n\r\n")
        #expect(try response(205, [], "", to: keep).hasPrefix("HTTP/1.1 205 Reset Content\r\n"))
        #expect(try response(304, [], "hi", to: keep) == "HTTP/1.1 304 Not Modified\r\n\r\n")
        #expect(try response(507, to: keep) == "HTTP/1.1 507 Insufficient Storage\r\nContent-Length: 0\r\n\r\n")
        #expect(try response(299, to: keep) == "HTTP/1.1 299 \r\nContent-Length: 0\r\n\r\n")
        #expect(
            try response(400, to: .unreadable(isHead: false))
                == "HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Length: 0\r\n\r\n")
    }

    @Test func framingIsTheWritersBusiness() throws {
        let meddling = [
            ("content-length", "7"), ("Transfer-Encoding", "chunked"), ("CONNECTION", "upgrade"), ("Host", "b"),
        ]
        #expect(try response(200, meddling, to: keep) == "HTTP/1.1 200 OK\r\nHost: b\r\nContent-Length: 0\r\n\r\n")
        var writer = WireWriter()
        try writer.request(.get, target: "/", host: "a", headers: meddling, body: [])
        #expect(writer.bytes == latin1("GET / HTTP/1.1\r\nHost: a\r\n\r\n"))
    }

    @Test(arguments: [
        ("X", "a\r\nY: b"), ("X", "a\nb"), ("X", "a\rb"), ("X", "a\u{0}"), ("X", "\u{7F}"), ("X", "\u{1}"), ("", "a"),
        ("X Y", "a"), ("X:", "a"), ("X\r\nY", "a"), ("É", "a"),
    ])
    func whatCannotBeWrittenLeavesNoTrace(_ name: String, _ value: String) throws {
        var writer = WireWriter()
        writer.continueResponse()
        let before = writer.bytes
        #expect(throws: WireError.unwritableField) {
            try writer.response(status: 200, headers: [("A", "b"), (name, value)], body: [], to: keep)
        }
        #expect(throws: WireError.unwritableField) {
            var context = keep
            _ = try writer.streamedResponse(status: 200, headers: [(name, value)], to: &context)
        }
        #expect(throws: WireError.unwritableField) {
            try writer.request(.get, target: "/", host: "a", headers: [(name, value)], body: [])
        }
        #expect(writer.bytes == before)
    }

    @Test(arguments: [
        ("GET", ""), ("GET", "/ a"), ("GET", "/\r\nX: y"), ("GET", "/é"), ("GET", "/\u{0}"), ("", "/"), ("G T", "/"),
        ("GET\r\n", "/"),
    ])
    func requestLinesThatCannotBeWritten(_ method: String, _ target: String) {
        var writer = WireWriter()
        #expect(throws: WireError.unwritableRequestLine) {
            try writer.request(Method(method), target: target, host: "a", headers: [], body: [])
        }
        #expect(writer.bytes.isEmpty)
    }

    @Test func blocksHoldLinesOfAllKinds() throws {
        func written(_ block: FieldBlock) throws -> [UInt8] {
            var writer = WireWriter()
            let context = ResponseContext(version: .http11, isHead: false, keepAlive: true)
            try writer.response(status: 204, fixed: block, headers: [], body: [], to: context)
            return Array(writer.bytes.dropFirst("HTTP/1.1 204 No Content\r\n".utf8.count).dropLast(2))
        }
        let literal = FieldBlock(literal: "Content-Type: application/json\r\nX: a: b\r\n")
        #expect(try written(literal) == latin1("Content-Type: application/json\r\nX: a: b\r\n"))
        #expect(literal.fields.map(\.0) == ["Content-Type", "X"])
        #expect(literal.fields.map(\.1) == ["application/json", "a: b"])
        #expect(try written(.none).isEmpty && FieldBlock.none.fields.isEmpty)
        let made = try FieldBlock([("A", "b"), ("C", "é")])
        #expect(try written(made) == Array("A: b\r\nC: é\r\n".utf8) && made.fields.count == 2)
        let opaque = try FieldBlock(opaque: [("A", latin1("caf\u{E9}"))])
        #expect(try written(opaque) == latin1("A: caf\u{E9}\r\n") && opaque.fields.isEmpty)
        for (name, value) in [("A b", "x"), ("", "x"), ("A", "x\r\nB: y"), ("A", "x\0"), ("A", "\u{7F}")] {
            #expect(throws: WireError.unwritableField) { try FieldBlock(opaque: [(name, latin1(value))]) }
        }
    }

    @Test func hostsAndDatesAreCheckedToo() {
        var writer = WireWriter()
        #expect(throws: WireError.unwritableField) {
            try writer.request(.get, target: "/", host: "a\r\nX: y", headers: [], body: [])
        }
        #expect(throws: WireError.unwritableField) {
            _ = try FieldBlock([("Date", "a\nb")])
        }
        #expect(writer.bytes.isEmpty)
    }

    @Test func requestsWrittenAreReadBack() throws {
        var writer = WireWriter(capacity: 16)
        try writer.request(.post, target: "/a?b", host: "h:1", headers: [("X", "é y")], body: latin1("hello"))
        try writer.request(.post, target: "/", host: "h", headers: [], body: [], keepAlive: false)
        try writer.request(.get, target: "/", host: "h", headers: [], body: [])
        let bytes = writer.take()
        #expect(writer.bytes.isEmpty)
        let rest = "keepAlive=true continue=false"
        let expected: [RequestStream.Event] = [
            .request(
                "POST origin /a?b http11 length(5) host=h:1 \(rest) Host=h:1|X=é y|Content-Length=5",
                body: latin1("hello")),
            .request(
                "POST origin / http11 length(0) host=h keepAlive=false continue=false "
                    + "Host=h|Connection=close|Content-Length=0", body: []),
            .request("GET origin / http11 none host=h \(rest) Host=h", body: []),
        ]
        for delivery in Delivery.allCases {
            #expect(RequestStream.read(bytes, delivery) == expected, "\(delivery)")
        }
    }

    @Test func responsesWrittenAreReadBack() throws {
        var writer = WireWriter()
        writer.continueResponse()
        try writer.response(status: 201, headers: [("X", "y")], body: latin1("hi"), to: keep)
        let expected = ResponseStream.Outcome.response(
            ["100 http11 none keepAlive=true", "201 http11 length(2) keepAlive=true"], body: latin1("hi"), left: 0)
        for delivery in Delivery.allCases { #expect(ResponseStream.read(writer.bytes, delivery) == expected) }
    }

    @Test func chunksWrittenAreReadBack() throws {
        var writer = WireWriter()
        var context = keep
        let framing = try writer.streamedResponse(status: 200, headers: [], to: &context)
        #expect(framing == .chunked)
        writer.chunk(latin1("hello "))
        writer.chunk([])
        writer.chunk([UInt8](repeating: 33, count: 300))
        writer.lastChunk()
        let expected = ResponseStream.Outcome.response(
            ["200 http11 chunked keepAlive=true"], body: latin1("hello ") + [UInt8](repeating: 33, count: 300), left: 0)
        for delivery in Delivery.allCases { #expect(ResponseStream.read(writer.bytes, delivery) == expected) }
    }

    @Test func streamedResponses() throws {
        func streamed(_ status: Int, to context: ResponseContext) throws -> (BodyFraming, String) {
            var writer = WireWriter()
            var context = context
            let framing = try writer.streamedResponse(status: status, headers: [], to: &context)
            let says = !String(decoding: writer.bytes, as: UTF8.self).contains("Connection: close")
            #expect(context.keepAlive == says)
            return (framing, String(decoding: writer.bytes, as: UTF8.self))
        }
        #expect(try streamed(200, to: keep) == (.chunked, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"))
        #expect(try streamed(200, to: head) == (.none, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"))
        #expect(try streamed(200, to: old) == (.untilClose, "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n"))
        let oldHead = ResponseContext(version: .http10, isHead: true, keepAlive: true)
        #expect(try streamed(200, to: oldHead) == (.none, "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n"))
        #expect(try streamed(204, to: keep) == (.none, "HTTP/1.1 204 No Content\r\n\r\n"))
    }

    /// A block cannot state where a body ends, or what happens to the connection.
    @Test(arguments: ["Content-Length", "transfer-encoding", "CONNECTION", "Host"])
    func blocksHoldNoFraming(name: String) throws {
        let block = try FieldBlock([("A", "b"), (name, "5")])
        let opaque = try FieldBlock(opaque: [(name, latin1("5")), ("C", latin1("\u{E9}"))])
        #expect(block.fields.map(\.0) == ["A"] && opaque.opaque.map(\.0) == ["C"])
        var writer = WireWriter()
        try writer.response(status: 204, fixed: block, headers: [], body: [], to: keep)
        #expect(String(decoding: writer.take(), as: UTF8.self) == "HTTP/1.1 204 No Content\r\nA: b\r\n\r\n")
    }

    @Test func contextsFollowTheRequest() throws {
        var parser = RequestHeadParser()
        let request = try #require(try parser.parse(latin1("HEAD / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n").span))
        let context = ResponseContext(request)
        #expect(context.version == .http10)
        #expect(context.isHead)
        #expect(context.keepAlive)
    }
}
