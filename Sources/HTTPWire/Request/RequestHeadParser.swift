/// Reads request heads from a growing buffer.
///
/// Pass ``parse(_:)`` everything that has arrived since the end of the last message; if it returns `nil`, call it again
/// with the same bytes followed by more. It continues where it stopped. After a head it is ready for the next one; after an
/// error every call throws the same error, since no byte after a malformed message may be taken for a request.
public struct RequestHeadParser: Sendable {
    /// The number of empty lines that are ignored before a request: some old clients send one after a body (RFC 9112 section 2.2).
    private static let toleratedEmptyLines = 2

    private let limits: HeadLimits
    private var scanner = LineScanner()
    private var emptyLines = 0
    private var line: RequestLine?
    private var startOfFields = 0
    private var section = FieldSection()
    private var noted = RequestFields()
    private var failure: WireError?

    /// Refuses what is larger than the limits.
    public init(limits: HeadLimits = HeadLimits()) {
        self.limits = limits
    }

    /// Whether no byte of a request has been seen yet, except empty lines: a connection in this state is idle, not slow.
    public var isAtStart: Bool { line == nil && scanner.isAtLineStart }

    /// Whether the request line of an incomplete or malformed head has passed every check.
    public var hasRequestLine: Bool { line != nil }

    /// The next head, or `nil` if more bytes are needed.
    public mutating func parse(_ buffer: Span<UInt8>) throws(WireError) -> RequestHead? {
        if let failure { throw failure }
        do throws(WireError) {
            return try advance(buffer)
        } catch {
            failure = error
            throw error
        }
    }

    private mutating func advance(_ buffer: Span<UInt8>) throws(WireError) -> RequestHead? {
        guard let line = try requestLine(buffer) else { return nil }
        let limit = startOfFields + limits.headerBytes
        while let next = try scanner.next(in: buffer, before: limit, orThrow: .headersTooLarge) {
            if next.isEmpty { return try finish(buffer, line) }
            let field = try section.append(buffer, line: next, atMost: limits.headerCount)
            try noted.note(field, in: buffer)
        }
        return nil
    }

    private mutating func requestLine(_ buffer: Span<UInt8>) throws(WireError) -> RequestLine? {
        if let line { return line }
        while true {
            let limit = scanner.start + limits.startLineBytes + 2
            guard let next = try scanner.next(in: buffer, before: limit, orThrow: .requestLineTooLong) else {
                return nil
            }
            if next.isEmpty {
                emptyLines += 1
                guard emptyLines <= RequestHeadParser.toleratedEmptyLines else { throw .tooManyEmptyLines }
            } else {
                line = try RequestLine(buffer, line: next)
                startOfFields = scanner.start
                return line
            }
        }
    }

    private mutating func finish(_ buffer: Span<UInt8>, _ line: RequestLine) throws(WireError) -> RequestHead {
        let byteCount = scanner.start
        let framing = try noted.framing(in: line.version)
        let persists = noted.connection.persists(in: line.version)
        // HTTP/1.0 has no 100 (RFC 9110 section 10.1.1), and without a body the client does not wait.
        let waits = noted.expectsContinue && line.version == .http11 && framing.hasBody
        let headers = section.take(buffer.extracting(0..<byteCount))
        scanner = LineScanner()
        noted = RequestFields()
        emptyLines = 0
        self.line = nil
        return RequestHead(
            method: Method.recognise(buffer, line.method.range),
            target: RequestTarget(bytes: headers.bytes, positions: line.target),
            version: line.version,
            headers: headers,
            framing: framing,
            keepAlive: persists,
            expectsContinue: waits,
            byteCount: byteCount
        )
    }
}
