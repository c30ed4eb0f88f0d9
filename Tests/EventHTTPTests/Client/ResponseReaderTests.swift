import HTTPWire
import Testing

@testable import EventHTTP

@Suite struct ResponseReaderTests {
    @Test(arguments: [
        ("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", true),
        ("HTTP/1.1 200 OK\r\nContent-Length: 5\r\nConnection: close\r\n\r\nhello", false),
        (
            "HTTP/1.1 102 P\r\n\r\nHTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nhel\r\n2\r\nlo\r\n0\r\n\r\n",
            true
        ),
    ])
    func readsTheSameHoweverItArrives(text: String, isReusable: Bool) throws {
        let bytes = Array(text.utf8)
        var generator = Splits(seed: 11)
        for round in 0..<300 {
            var reader = ResponseReader(for: .post, limits: ClientLimits())
            for piece in round == 0 ? [bytes[...]] : generator.split(bytes) {
                #expect(!reader.isComplete)
                try reader.receive(Array(piece).span)
            }
            #expect(reader.isComplete)
            #expect(reader.head?.status == 200)
            #expect(reader.takeBody() == Array("hello".utf8))
            #expect(reader.isReusable == isReusable)
        }
    }

    @Test func bytesBehindTheResponseMakeTheConnectionUseless() throws {
        var reader = ResponseReader(for: .get, limits: ClientLimits())
        try reader.receive(Array("HTTP/1.1 204 None\r\n\r\nHTTP".utf8).span)
        #expect(reader.isComplete)
        #expect(!reader.isReusable)
    }

    @Test(arguments: [
        ("Content-Length: 5\r\n\r\nhe", 5, 2), ("\r\nhello", nil, 5),
        ("Transfer-Encoding: chunked\r\n\r\n5\r\nhel", nil, 3),
    ])
    func howLongABodyIs(rest: String, announced: Int?, held: Int) throws {
        var reader = ResponseReader(for: .get, limits: ClientLimits())
        #expect(reader.announcedLength == nil)
        try reader.receive(Array("HTTP/1.1 200 OK\r\n\(rest)".utf8).span)
        #expect(reader.announcedLength == announced)
        #expect(reader.bufferedBytes == held)
    }

    /// Taken in pieces, while more arrives.
    @Test(arguments: [1, 3, 7, 100])
    func takesABodyInPieces(limit: Int) throws {
        var reader = ResponseReader(for: .get, limits: ClientLimits())
        try reader.receive(Array("HTTP/1.1 200 OK\r\nContent-Length: 20\r\n\r\n0123456789".utf8).span)
        var taken: [UInt8] = []
        for rest in ["", "abc", "defghij"] {
            try reader.receive(Array(rest.utf8).span)
            let piece = reader.takeBody(atMost: limit)
            #expect(piece.count <= limit && !piece.isEmpty)
            taken += piece
        }
        #expect(reader.bufferedBytes == 20 - taken.count)
        while case let piece = reader.takeBody(atMost: limit), !piece.isEmpty { taken += piece }
        #expect(String(decoding: taken, as: UTF8.self) == "0123456789abcdefghij" && reader.isComplete)
        #expect(reader.takeBody() == [])
    }

    @Test func endlessInformationIsRefused() throws {
        var reader = ResponseReader(for: .get, limits: ClientLimits())
        let bytes = Array(String(repeating: "HTTP/1.1 100 Continue\r\n\r\n", count: 17).utf8)
        #expect(throws: WireError.self) { try reader.receive(bytes.span) }
    }

    @Test func anResponseBeyondTheLimitIsRefused() throws {
        var reader = ResponseReader(for: .get, limits: ClientLimits(bodyBytes: 4))
        let bytes = Array("HTTP/1.1 200 OK\r\n\r\nhello".utf8)
        #expect(throws: WireError.bodyTooLarge) { try reader.receive(bytes.span) }
    }
}
