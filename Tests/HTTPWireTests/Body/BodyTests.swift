import HTTPWire
import Testing

/// Bodies of each framing: complete, truncated, too long, malformed; bytes of the next message are not consumed.
struct BodyTests {
    enum Outcome: Equatable {
        case complete([UInt8], left: Int)
        case unfinished([UInt8])
        case failed(WireError)
    }

    private func decode(
        _ bytes: [UInt8], _ framing: BodyFraming, _ delivery: Delivery, limit: Int = 100
    ) -> Outcome {
        var payload: [UInt8] = []
        var taken = 0
        do {
            var decoder = try BodyDecoder(framing, limit: limit)
            for piece in delivery.pieces(of: bytes) {
                let progress = try decoder.decode(piece.span, into: &payload)
                taken += progress.consumed
                if progress.isComplete { return .complete(payload, left: bytes.count - taken) }
                #expect(progress.consumed == piece.count)
            }
            try decoder.finish()
            return .complete(payload, left: 0)
        } catch WireError.truncated {
            return .unfinished(payload)
        } catch let error {
            return .failed(error)
        }
    }

    @Test(arguments: [
        ("0\r\n\r\n", ""),
        ("000\r\n\r\n", ""),
        ("5\r\nhello\r\n0\r\n\r\n", "hello"),
        ("05\r\nhello\r\n00\r\n\r\n", "hello"),
        ("0000000000000005\r\nhello\r\n0\r\n\r\n", "hello"),
        ("1\r\nh\r\n4\r\nello\r\n0\r\n\r\n", "hello"),
        ("a\r\n0123456789\r\nA\r\n0123456789\r\n0\r\n\r\n", "01234567890123456789"),
        ("2\r\n\r\n\r\n0\r\n\r\n", "\r\n"),
        ("5;a\r\nhello\r\n0;b\r\n\r\n", "hello"),
        ("5;a=b;c=\"d\\\"e;\t\u{FF}\"\r\nhello\r\n0\r\n\r\n", "hello"),
        ("5 ; a = b ; c\r\nhello\r\n0\r\n\r\n", "hello"),
        ("5;a=\"\";b\r\nhello\r\n0\r\n\r\n", "hello"),
        ("5\r\nhello\r\n0\r\nX: y\r\nZ:\r\n\r\n", "hello"),
        ("5\r\nhello\r\n0\r\nContent-Length: 7\r\nTransfer-Encoding: gzip\r\n\r\n", "hello"),
    ])
    func chunks(_ text: String, _ payload: String) {
        for delivery in Delivery.allCases {
            let next = latin1("GET /")
            let expected = Outcome.complete(Array(payload.utf8), left: next.count)
            // A piece that contains the end is passed in completely; the rest is counted from the first byte not consumed.
            #expect(decode(latin1(text) + next, .chunked, delivery) == expected, "\(delivery)")
            #expect(decode(latin1(text), .chunked, delivery) == .complete(Array(payload.utf8), left: 0), "\(delivery)")
        }
    }

    @Test(arguments: [
        ("0x5\r\nhello\r\n0\r\n\r\n", WireError.malformedChunkSize),
        ("\r\n", .malformedChunkSize),
        (";a\r\n", .malformedChunkSize),
        ("-5\r\nhello\r\n", .malformedChunkSize),
        ("+5\r\nhello\r\n", .malformedChunkSize),
        (" 5\r\nhello\r\n", .malformedChunkSize),
        ("5 \r\nhello\r\n", .malformedChunkSize),
        ("5\t\r\nhello\r\n", .malformedChunkSize),
        ("5 5\r\nhello\r\n", .malformedChunkSize),
        ("5,5\r\nhello\r\n", .malformedChunkSize),
        ("5.\r\nhello\r\n", .malformedChunkSize),
        ("g\r\n", .malformedChunkSize),
        ("5_0\r\n", .malformedChunkSize),
        ("5\u{0}\r\nhello\r\n", .malformedChunkSize),
        ("00000000000000005\r\nhello\r\n", .malformedChunkSize),
        ("8000000000000000\r\n", .malformedChunkSize),
        ("ffffffffffffffff\r\n", .malformedChunkSize),
        ("fffffffffffffffff\r\n", .malformedChunkSize),
        ("100000000000000005\r\nhello\r\n", .malformedChunkSize),
        ("5\nhello\r\n", .bareLineFeed),
        ("5\rhello\r\n", .bareCarriageReturn),
        ("5;\r\nhello\r\n", .malformedChunkExtension),
        ("5;;a\r\nhello\r\n", .malformedChunkExtension),
        ("5;=a\r\nhello\r\n", .malformedChunkExtension),
        ("5;a=\r\nhello\r\n", .malformedChunkExtension),
        ("5;a b\r\nhello\r\n", .malformedChunkExtension),
        ("5;a \r\nhello\r\n", .malformedChunkExtension),
        ("5;a=b \r\nhello\r\n", .malformedChunkExtension),
        ("5;a\nhello\r\n", .malformedChunkExtension),
        ("5;a\rhello\r\n", .bareCarriageReturn),
        ("5;a=\"b\r\nhello\r\n", .malformedChunkExtension),
        ("5;a=\"\\\u{1}\"\r\nhello\r\n", .malformedChunkExtension),
        ("5;a=\"b\"c\r\nhello\r\n", .malformedChunkExtension),
        ("5;a\u{0}\r\nhello\r\n", .malformedChunkExtension),
        ("5\r\nhello0\r\n\r\n", .junkAfterChunk),
        ("5\r\nhello\n0\r\n\r\n", .junkAfterChunk),
        ("5\r\nhello\r0\r\n\r\n", .junkAfterChunk),
        ("5\r\nhello!\r\n0\r\n\r\n", .junkAfterChunk),
        ("5\r\nhello!\n0\r\n\r\n", .junkAfterChunk),
        ("5\r\nhello\r\n\r\n", .malformedChunkSize),
        ("65\r\n", .bodyTooLarge),
        ("7fffffffffffffff\r\n", .bodyTooLarge),
        ("64\r\n" + String(repeating: "a", count: 100) + "\r\n1\r\n", .bodyTooLarge),
        ("0\r\nX\r\n\r\n", .malformedTrailer),
        ("0\r\n X: y\r\n\r\n", .malformedTrailer),
        ("0\r\nX : y\r\n\r\n", .malformedTrailer),
        ("0\r\n: y\r\n\r\n", .malformedTrailer),
        ("0\r\nX: y\r\n z\r\n\r\n", .malformedTrailer),
        ("0\r\nX: \u{0}\r\n\r\n", .malformedTrailer),
        ("0\r\nX: y\n\r\n", .bareLineFeed),
        ("0\r\nX: y\r\r\n", .bareCarriageReturn),
        ("0\r\n\n", .bareLineFeed),
        ("0\r\n\rX", .bareCarriageReturn),
        ("0\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n", .malformedTrailer),
    ])
    func malformedChunks(_ text: String, _ error: WireError) {
        for delivery in Delivery.allCases {
            #expect(decode(latin1(text), .chunked, delivery) == .failed(error), "\(delivery)")
        }
    }

    @Test(arguments: Delivery.allCases)
    func extensionsAndTrailersAreBounded(_ delivery: Delivery) {
        let long = String(repeating: "a", count: 4000)
        #expect(decode(latin1("0;\(long)\r\n\r\n"), .chunked, delivery) == .complete([], left: 0))
        #expect(
            decode(latin1("1;\(long)\r\na\r\n0;\(long)\r\n\r\n"), .chunked, delivery)
                == .failed(.chunkExtensionsTooLong))
        #expect(decode(latin1("0\r\nX: \(long)\r\n\r\n"), .chunked, delivery) == .complete([], left: 0))
        #expect(
            decode(latin1("0\r\nX: \(long)\r\nY: \(long)\r\nZ: \(long)\r\n\r\n"), .chunked, delivery)
                == .failed(.trailersTooLarge))
    }

    @Test func chunksCutShortAreNeverWhole() {
        let bytes = latin1("5;a=\"b\"\r\nhello\r\n1\r\n!\r\n0\r\nX: y\r\n\r\n")
        for count in 0..<bytes.count {
            guard case .unfinished = decode(Array(bytes[..<count]), .chunked, .randomA) else {
                Issue.record("taken for whole after \(count) bytes")
                continue
            }
        }
    }

    @Test(arguments: Delivery.allCases)
    func fixedLength(_ delivery: Delivery) {
        #expect(decode(latin1("hello"), .length(5), delivery) == .complete(latin1("hello"), left: 0))
        #expect(decode(latin1("helloGET"), .length(5), delivery) == .complete(latin1("hello"), left: 3))
        #expect(decode(latin1("hell"), .length(5), delivery) == .unfinished(latin1("hell")))
        #expect(decode([], .length(0), delivery) == .complete([], left: 0))
        #expect(decode(latin1("GET"), .length(0), delivery) == .complete([], left: 3))
        #expect(decode([], .length(101), delivery) == .failed(.bodyTooLarge))
        #expect(decode([], .length(.max), delivery) == .failed(.bodyTooLarge))
        #expect(decode(latin1("GET"), .none, delivery) == .complete([], left: 3))
    }

    @Test(arguments: Delivery.allCases)
    func untilClose(_ delivery: Delivery) {
        let hundred = [UInt8](repeating: 7, count: 100)
        #expect(decode(hundred, .untilClose, delivery) == .complete(hundred, left: 0))
        #expect(decode([], .untilClose, delivery) == .complete([], left: 0))
        #expect(decode(hundred + [7], .untilClose, delivery) == .failed(.bodyTooLarge))
    }

    @Test func anErrorIsRepeatedForEver() throws {
        var decoder = try BodyDecoder(.chunked, limit: 10)
        var payload: [UInt8] = []
        #expect(throws: WireError.malformedChunkSize) { try decoder.decode(latin1("x").span, into: &payload) }
        #expect(throws: WireError.malformedChunkSize) { try decoder.decode(latin1("0\r\n\r\n").span, into: &payload) }
        #expect(throws: WireError.malformedChunkSize) { try decoder.finish() }
        #expect(!decoder.isComplete)
    }
}
