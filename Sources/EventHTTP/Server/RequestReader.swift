import EventIO
import HTTPWire

/// Turns the bytes of one connection into requests. A value without I/O.
///
/// It reads in place: bytes are kept only if they are an unfinished head, or belong to a later request.
struct RequestReader {
    /// A request that is whole.
    struct Whole {
        let head: RequestHead
        let body: [UInt8]
    }

    /// What the next byte belongs to.
    enum Phase { case idle, head, body }

    private var parser: RequestHeadParser
    private let bodyLimit: Int
    private var head: RequestHead?
    private var decoder: BodyDecoder?
    private var body: [UInt8] = []
    private var kept = KeptBytes()
    private var hasContinued = false

    init(limits: ServerLimits) {
        parser = RequestHeadParser(limits: limits.head)
        bodyLimit = limits.bodyBytes
    }

    var phase: Phase {
        if head != nil { return .body }
        return parser.isAtStart && kept.isEmpty ? .idle : .head
    }

    /// The head whose body is being read.
    var currentHead: RequestHead? { head }

    /// Gives up what has come of a body that nobody will read.
    mutating func forgetBody() { body = [] }

    /// What has come of its body.
    var heldBytes: Int { body.count }

    /// What has come of a head that is not whole.
    var unreadHead: UnreadHead? {
        guard head == nil, !kept.isEmpty else { return nil }
        return UnreadHead(kept.bytes.span.extracting(kept.range), hasRequestLine: parser.hasRequestLine)
    }

    /// Whether the client waits for `100 Continue` (RFC 9110 section 10.1.1); true once a request.
    mutating func takeContinue() -> Bool {
        guard let head, head.expectsContinue, body.isEmpty, !hasContinued else { return false }
        hasContinued = true
        return true
    }

    /// Takes in what has arrived; answers the first request that is whole by it.
    mutating func receive(_ bytes: Span<UInt8>) throws(Refusal) -> Whole? {
        if kept.isEmpty {
            let (used, whole) = try advance(bytes)
            if used < bytes.count { kept.append(bytes.extracting(used..<bytes.count)) }
            return whole
        }
        kept.append(bytes)
        return try next()
    }

    /// The next request among the bytes that came behind the last one.
    mutating func next() throws(Refusal) -> Whole? {
        guard !kept.isEmpty else { return nil }
        // Taken out while it is read from; after an error no byte of it counts any more.
        var pending = KeptBytes()
        swap(&pending, &kept)
        let (used, whole) = try advance(pending.bytes.span.extracting(pending.range))
        pending.drop(used)
        swap(&pending, &kept)
        return whole
    }

    private mutating func advance(_ bytes: Span<UInt8>) throws(Refusal) -> (used: Int, whole: Whole?) {
        guard let head else { return try begin(bytes) }
        do throws(WireError) {
            guard let progress = try decoder?.decode(bytes, into: &body) else { return (0, nil) }
            guard progress.isComplete else { return (progress.consumed, nil) }
            self.head = nil
            return (progress.consumed, finish(head))
        } catch {
            throw Refusal(error, head: head)
        }
    }

    /// Reads a head and what has come of its body. Nearly always that is all of it, and nothing has to be kept.
    private mutating func begin(_ bytes: Span<UInt8>) throws(Refusal) -> (used: Int, whole: Whole?) {
        let parsed: RequestHead
        do throws(WireError) {
            guard let complete = try parser.parse(bytes) else { return (0, nil) }
            parsed = complete
        } catch { throw Refusal(error, unread: UnreadHead(bytes, hasRequestLine: parser.hasRequestLine)) }
        let used = parsed.byteCount
        guard parsed.framing.hasBody else { return (used, Whole(head: parsed, body: [])) }
        do throws(WireError) {
            var decoder = try BodyDecoder(parsed.framing, limit: bodyLimit)
            let progress = try decoder.decode(bytes.extracting(used..<bytes.count), into: &body)
            if progress.isComplete { return (used + progress.consumed, finish(parsed)) }
            self.decoder = decoder
        } catch { throw Refusal(error, head: parsed) }
        head = parsed
        return (bytes.count, nil)
    }

    private mutating func finish(_ head: consuming RequestHead) -> Whole {
        var whole: [UInt8] = []
        swap(&whole, &body)
        decoder = nil
        hasContinued = false
        return Whole(head: head, body: whole)
    }
}
