import EventIO
import HTTPWire

/// Turns the bytes of one exchange into its answer. A value without I/O.
struct ResponseReader {
    /// Informational answers before the real one; a peer that sends more plays games.
    private static let maximumInformational = 16

    private let method: Method
    private let bodyLimit: Int
    private var parser: ResponseHeadParser
    /// The head of the answer proper, once it is there.
    private(set) var head: ResponseHead?
    private var decoder: BodyDecoder?
    private var body: [UInt8] = []
    private var kept = KeptBytes()
    private var informational = 0
    /// Whether a byte of an answer has come.
    private(set) var hasBegun = false
    /// Whether the answer is whole.
    private(set) var isComplete = false
    /// Whether the connection may be used again after the answer.
    private(set) var isReusable = false

    init(answering method: Method, limits: ClientLimits) {
        self.method = method
        bodyLimit = limits.bodyBytes
        parser = ResponseHeadParser(limits: limits.head)
    }

    /// Bytes of the body that have come and have not been taken.
    var heldBytes: Int { body.count }

    /// How many bytes the body will have, if the head says so.
    var announcedLength: Int? {
        if case .length(let length)? = head?.framing { length } else { nil }
    }

    /// Hands over what has come of the body.
    mutating func takeBody() -> [UInt8] {
        var taken: [UInt8] = []
        swap(&taken, &body)
        return taken
    }

    /// Takes in what has arrived.
    mutating func receive(_ bytes: Span<UInt8>) throws(WireError) {
        hasBegun = true
        if kept.isEmpty {
            let used = try advance(bytes)
            if !isComplete, used < bytes.count { kept.append(bytes.extracting(used..<bytes.count)) }
            return
        }
        // Taken out while it is read from; after an error no byte of it counts any more.
        var pending = KeptBytes()
        swap(&pending, &kept)
        pending.append(bytes)
        pending.drop(try advance(pending.bytes.span.extracting(pending.range)))
        swap(&pending, &kept)
    }

    /// The peer has ended in good order: whole is now only an answer that was to last until then.
    mutating func finish() throws(WireError) {
        guard head != nil, let decoder else { throw .truncated }
        try decoder.finish()
        isComplete = true
        isReusable = false
    }

    /// Answers how many of the bytes were used.
    private mutating func advance(_ bytes: Span<UInt8>) throws(WireError) -> Int {
        var used = 0
        while head == nil {
            guard let parsed = try parser.parse(bytes.extracting(used..<bytes.count), answering: method) else {
                return used
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
            return used
        }
        used += progress.consumed
        if progress.isComplete {
            isComplete = true
            // Bytes behind the answer belong to no request of ours.
            isReusable = head.keepAlive && used == bytes.count
        }
        return used
    }
}
