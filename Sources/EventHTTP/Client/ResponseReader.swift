import EventIO
import HTTPWire

/// Turns the bytes of one exchange into its answer. A value without I/O.
struct ResponseReader {
    /// An answer that is whole, and whether the connection may be used again.
    struct Whole {
        let response: ClientResponse
        let isReusable: Bool
    }

    /// Informational answers before the real one; a peer that sends more plays games.
    private static let maximumInformational = 16

    private let method: Method
    private let bodyLimit: Int
    private var parser: ResponseHeadParser
    private var head: ResponseHead?
    private var decoder: BodyDecoder?
    private var body: [UInt8] = []
    private var kept = KeptBytes()
    private var informational = 0
    /// Whether a byte of an answer has come.
    private(set) var hasBegun = false

    init(answering method: Method, limits: ClientLimits) {
        self.method = method
        bodyLimit = limits.bodyBytes
        parser = ResponseHeadParser(limits: limits.head)
    }

    /// Takes in what has arrived; answers the response once it is whole.
    mutating func receive(_ bytes: Span<UInt8>) throws(WireError) -> Whole? {
        hasBegun = true
        if kept.isEmpty {
            let (used, whole) = try advance(bytes)
            if whole == nil, used < bytes.count { kept.append(bytes.extracting(used..<bytes.count)) }
            return whole
        }
        // Taken out while it is read from; after an error no byte of it counts any more.
        var pending = KeptBytes()
        swap(&pending, &kept)
        pending.append(bytes)
        let (used, whole) = try advance(pending.bytes.span.extracting(pending.range))
        pending.drop(used)
        swap(&pending, &kept)
        return whole
    }

    /// The peer has ended in good order: whole is now only an answer that was to last until then.
    func finish() throws(WireError) -> Whole {
        guard let head, let decoder else { throw .truncated }
        try decoder.finish()
        return whole(head, body, isReusable: false)
    }

    private mutating func advance(_ bytes: Span<UInt8>) throws(WireError) -> (used: Int, whole: Whole?) {
        var used = 0
        while head == nil {
            guard let parsed = try parser.parse(bytes.extracting(used..<bytes.count), answering: method) else {
                return (used, nil)
            }
            used += parsed.byteCount
            if parsed.isInformational {
                informational += 1
                // Nobody asked for another protocol (RFC 9110 section 15.2.2).
                guard parsed.status != 101, informational <= ResponseReader.maximumInformational else {
                    throw .malformedStatusLine
                }
            } else {
                head = parsed
                decoder = try BodyDecoder(parsed.framing, limit: bodyLimit)
            }
        }
        guard let head, let progress = try decoder?.decode(bytes.extracting(used..<bytes.count), into: &body) else {
            return (used, nil)
        }
        used += progress.consumed
        guard progress.isComplete else { return (used, nil) }
        // Bytes behind the answer belong to no request of ours.
        return (used, whole(head, body, isReusable: head.keepAlive && used == bytes.count))
    }

    private func whole(_ head: ResponseHead, _ body: [UInt8], isReusable: Bool) -> Whole {
        Whole(
            response: ClientResponse(status: head.status, headers: head.headers, body: body), isReusable: isReusable)
    }
}
