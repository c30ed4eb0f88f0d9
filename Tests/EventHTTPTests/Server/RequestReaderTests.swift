import HTTPWire
import Testing

@testable import EventHTTP

@Suite struct RequestReaderTests {
    private static let conversation = Array(
        ("GET /a HTTP/1.1\r\nHost: x\r\n\r\n"
            + "POST /b HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\none\r\n"
            + "POST /c HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n2\r\ntw\r\n1;a\r\no\r\n0\r\nT: r\r\n\r\n"
            + "DELETE /d HTTP/1.1\r\nHost: x\r\n\r\nPO").utf8)
    private static let expected = ["GET /a ", "POST /b one", "POST /c two", "DELETE /d "]

    private func read(_ pieces: [ArraySlice<UInt8>]) throws -> (requests: [String], end: RequestReader.Phase) {
        var reader = RequestReader(limits: ServerLimits())
        var requests: [String] = []
        for piece in pieces {
            var whole = try reader.receive(Array(piece).span)
            while let request = whole {
                requests.append(
                    "\(request.head.method) \(request.head.target.text) \(String(decoding: request.body, as: UTF8.self))"
                )
                whole = try reader.next()
            }
        }
        return (requests, reader.phase)
    }

    @Test func readsTheSameHoweverItArrives() throws {
        var generator = Splits(seed: 7)
        for round in 0..<500 {
            let pieces = round == 0 ? [Self.conversation[...]] : generator.split(Self.conversation)
            let (requests, end) = try read(pieces)
            #expect(requests == Self.expected)
            #expect(end == .head)
        }
    }

    /// Requests in a row, of which every read ends within a head: only that head is kept.
    @Test func dropsTheRequestsBeforeAnUnfinishedHead() throws {
        var reader = RequestReader(limits: ServerLimits())
        let (begin, end) = (Array("GET /a HTTP/1.1\r\nHo".utf8), Array("st: x\r\n\r\n".utf8))
        #expect(try reader.receive(begin.span) == nil)
        for _ in 0..<2_000 {
            let request = try reader.receive((end + begin).span)
            #expect(request?.head.target.text == "/a")
            #expect(try reader.next() == nil)
            #expect(reader.unfinishedHeadBytes < 1_024)
        }
    }

    @Test func knowsWhatTheNextByteBelongsTo() throws {
        var reader = RequestReader(limits: ServerLimits())
        #expect(reader.phase == .idle)
        #expect(
            try reader.receive(Array("POST / HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\n".utf8).span)?.body == nil)
        #expect(reader.phase == .head)
        #expect(try reader.receive(Array("Content-Length: 2\r\n\r\n".utf8).span)?.body == nil)
        #expect(reader.phase == .body)
        let told = (reader.takeContinue(), reader.takeContinue())
        #expect(told == (true, false))
        let whole = try reader.receive(Array("hi".utf8).span)
        #expect(whole?.body == Array("hi".utf8))
        #expect(reader.phase == .idle)
    }

    /// Complete or not, and whichever byte exceeds the limit.
    @Test(arguments: [
        ("GET /a?b HTTP/1.1\r\nHost : x\r\n\r\n", true), ("GET /a?b HTTP/1.1\r\n\r\n", true),
        ("GET /a?b HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n", true), ("GET /a?b HTTP/3.1\r\n", false),
        ("GET /a?b x HTTP/1.1\r\n", false),
    ])
    func aRejectionKnowsWhetherTheRequestLineWasRead(text: String, isRead: Bool) throws {
        for isBytewise in [false, true] {
            var reader = RequestReader(limits: ServerLimits())
            do throws(RequestRejection) {
                let bytes = Array(text.utf8)
                if isBytewise { for byte in bytes { _ = try reader.receive([byte].span) } }
                _ = try reader.receive(bytes.span)
                Issue.record("it was not refused")
            } catch {
                #expect(error.head == nil && error.partialHead?.hasRequestLine == isRead)
                if isRead { #expect(error.partialHead?.target == "/a?b") }
            }
        }
    }

    @Test func aHeadThatIsNotWholeKnowsItsRequestLine() throws {
        var reader = RequestReader(limits: ServerLimits())
        for (piece, isRead) in [("GET /a HTTP", false), ("/1.1\r", false), ("\n", true), ("Host: x\r\nA", true)] {
            #expect(try reader.receive(Array(piece.utf8).span)?.body == nil)
            #expect(reader.partialHead?.hasRequestLine == isRead)
        }
    }

    @Test func nothingIsReadBehindABrokenRequest() throws {
        var reader = RequestReader(limits: ServerLimits())
        let bytes = Array("GET / HTTP/1.1\r\nHost : x\r\n\r\nGET / HTTP/1.1\r\nHost: x\r\n\r\n".utf8)
        for _ in 0..<2 {
            #expect(throws: RequestRejection.self) { try reader.receive(bytes.span) }
        }
    }
}
