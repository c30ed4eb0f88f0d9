import EventIO
import HTTPWire

/// Turns the bytes of one exchange into its response. A value without I/O.
struct ResponseReader {
    /// The most informational responses before the final one.
    private static let maximumInformational = 16

    private let method: Method
    private let bodyLimit: Int
    private var parser: ResponseHeadParser
    /// The head of the final response, once it is complete.
    private(set) var head: ResponseHead?
    private var decoder: BodyDecoder?
    private var body: [UInt8] = []
    /// Bytes at the beginning of `body` that have been taken.
    private var takenCount = 0
    private var pending = PendingBytes()
    private var informational = 0
    /// Whether a byte of a response has come.
    private(set) var hasBegun = false
    /// Whether the response is complete.
    private(set) var isComplete = false
    /// Whether the connection may be used again after the response.
    private(set) var isReusable = false

    init(for method: Method, limits: ClientLimits) {
        self.method = method
        bodyLimit = limits.bodyBytes
        parser = ResponseHeadParser(limits: limits.head)
    }

    /// How many bytes of the body have come and have not been taken.
    var bufferedBytes: Int { body.count - takenCount }

    /// The memory of the body, which stays until all of it has been taken.
    var heldBytes: Int { body.count }

    /// The length of the body, if the head states it.
    var announcedLength: Int? {
        if case .length(let length)? = head?.framing { length } else { nil }
    }

    /// Returns the bytes of the body that have come since the last call, or the first `limit` of them.
    mutating func takeBody(atMost limit: Int = .max) -> [UInt8] {
        if takenCount > 0 || bufferedBytes > limit {
            // The rest stays where it is: moving it forward for each of n pieces would cost n² bytes.
            let end = takenCount + min(limit, bufferedBytes)
            let taken = Array(body[takenCount..<end])
            takenCount = end
            if takenCount == body.count { (body, takenCount) = ([], 0) }
            return taken
        }
        var taken: [UInt8] = []
        swap(&taken, &body)
        return taken
    }

    /// Processes bytes that have arrived.
    mutating func receive(_ bytes: Span<UInt8>) throws(WireError) {
        hasBegun = true
        if pending.isEmpty {
            let used = try advance(bytes)
            if !isComplete, used < bytes.count { pending.append(bytes.extracting(used..<bytes.count)) }
            return
        }
        // Moved out while it is read from. After an error the rest is not needed.
        var current = PendingBytes()
        swap(&current, &pending)
        current.append(bytes)
        current.drop(try advance(current.bytes.span.extracting(current.range)))
        swap(&current, &pending)
    }

    /// The peer has closed properly. Completes a body that ends with the connection; throws for any other that is incomplete.
    mutating func finish() throws(WireError) {
        guard head != nil, let decoder else { throw .truncated }
        try decoder.finish()
        isComplete = true
        isReusable = false
    }

    /// Returns how many of the bytes were used.
    private mutating func advance(_ bytes: Span<UInt8>) throws(WireError) -> Int {
        var used = 0
        while head == nil {
            guard let parsed = try parser.parse(bytes.extracting(used..<bytes.count), for: method) else {
                return used
            }
            used += parsed.byteCount
            if parsed.isInformational {
                informational += 1
                // 101 is refused: no request asks for another protocol (RFC 9110 section 15.2.2).
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
            // Bytes after the response belong to no request.
            isReusable = head.keepAlive && used == bytes.count
        }
        return used
    }
}
