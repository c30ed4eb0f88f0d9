import EventIO
import HTTPWire

/// Turns the bytes of one connection into requests. A value without I/O.
///
/// It reads in place: bytes are copied only if they are an unfinished head, or belong to a later request.
struct RequestReader {
    /// A complete request.
    struct Complete {
        let head: RequestHead
        let body: [UInt8]
    }

    /// What the next byte belongs to.
    enum Phase { case idle, head, body }

    private var parser: RequestHeadParser
    private let bodyLimit: Int
    /// The head whose body is being read.
    private(set) var head: RequestHead?
    private var decoder: BodyDecoder?
    private var body: [UInt8] = []
    private var pending = PendingBytes()
    private var hasContinued = false

    init(limits: ServerLimits) {
        parser = RequestHeadParser(limits: limits.head)
        bodyLimit = limits.bodyBytes
    }

    var phase: Phase {
        if head != nil { return .body }
        return parser.isAtStart && pending.isOnlyLineEnds ? .idle : .head
    }

    /// Releases the received parts of a request that will not be used.
    mutating func discard() {
        body = []
        pending.drop(pending.range.count)
    }

    /// How many bytes of its body have come.
    var bufferedBytes: Int { body.count }

    /// The memory of a request that is not complete, without its body.
    var unfinishedHeadBytes: Int { head?.byteCount ?? (pending.isOnlyLineEnds ? 0 : pending.capacity) }

    /// What can be read of a head that is not complete.
    var partialHead: PartialHead? {
        guard head == nil, !pending.isEmpty else { return nil }
        return PartialHead(pending.bytes.span.extracting(pending.range), hasRequestLine: parser.hasRequestLine)
    }

    /// Whether the client waits for `100 Continue` (RFC 9110 section 10.1.1). True once per request.
    mutating func takeContinue() -> Bool {
        guard let head, head.expectsContinue, body.isEmpty, !hasContinued else { return false }
        hasContinued = true
        return true
    }

    /// Processes bytes that have arrived. Returns the first request that they complete.
    mutating func receive(_ bytes: Span<UInt8>) throws(RequestRejection) -> Complete? {
        if pending.isEmpty {
            let (used, complete) = try advance(bytes)
            if used < bytes.count { pending.append(bytes.extracting(used..<bytes.count)) }
            return complete
        }
        pending.append(bytes)
        return try next()
    }

    /// The next request in the bytes that came after the last one.
    mutating func next() throws(RequestRejection) -> Complete? {
        guard !pending.isEmpty else { return nil }
        // Moved out while it is read from. After an error the rest is not needed.
        var current = PendingBytes()
        swap(&current, &pending)
        let (used, complete) = try advance(current.bytes.span.extracting(current.range))
        current.drop(used)
        swap(&current, &pending)
        return complete
    }

    private mutating func advance(_ bytes: Span<UInt8>) throws(RequestRejection) -> (used: Int, complete: Complete?) {
        guard let head else { return try begin(bytes) }
        do throws(WireError) {
            guard let progress = try decoder?.decode(bytes, into: &body) else { return (0, nil) }
            guard progress.isComplete else { return (progress.consumed, nil) }
            self.head = nil
            return (progress.consumed, finish(head))
        } catch {
            throw RequestRejection(error, head: head, bodyLimit: bodyLimit)
        }
    }

    /// Reads a head and the received part of its body. Nearly always that is all of it, and nothing has to be copied.
    private mutating func begin(_ bytes: Span<UInt8>) throws(RequestRejection) -> (used: Int, complete: Complete?) {
        let parsed: RequestHead
        do throws(WireError) {
            guard let complete = try parser.parse(bytes) else { return (0, nil) }
            parsed = complete
        } catch {
            throw RequestRejection(error, partialHead: PartialHead(bytes, hasRequestLine: parser.hasRequestLine))
        }
        let used = parsed.byteCount
        guard parsed.framing.hasBody else { return (used, Complete(head: parsed, body: [])) }
        do throws(WireError) {
            var decoder = try BodyDecoder(parsed.framing, limit: bodyLimit)
            let progress = try decoder.decode(bytes.extracting(used..<bytes.count), into: &body)
            if progress.isComplete { return (used + progress.consumed, finish(parsed)) }
            self.decoder = decoder
        } catch { throw RequestRejection(error, head: parsed, bodyLimit: bodyLimit) }
        head = parsed
        return (bytes.count, nil)
    }

    private mutating func finish(_ head: consuming RequestHead) -> Complete {
        var complete: [UInt8] = []
        swap(&complete, &body)
        decoder = nil
        hasContinued = false
        return Complete(head: head, body: complete)
    }
}
