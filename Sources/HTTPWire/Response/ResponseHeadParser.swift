/// The head of a response that has passed every check.
public struct ResponseHead: Sendable {
    /// 100 … 599.
    public let status: Int
    /// The version that the server speaks.
    public let version: HTTPVersion
    /// The header lines, in their order.
    public let headers: Headers
    /// How the body ends, considering the request's method (RFC 9112 section 6.3).
    public let framing: BodyFraming
    /// Whether the connection may be used again once the body has been read.
    public let keepAlive: Bool
    /// The size of the head in the buffer.
    public let byteCount: Int

    /// Whether the head of the final response follows (RFC 9110 section 15.2). Includes 101, which a client that did not request
    /// another protocol must refuse.
    public var isInformational: Bool { status < 200 }
}

/// Reads response heads from a growing buffer, as ``RequestHeadParser`` reads those of requests, and as strictly: a response
/// whose end is ambiguous is refused.
///
/// After an informational head (1xx) it is ready for the next one.
public struct ResponseHeadParser: Sendable {
    private let limits: HeadLimits
    private var scanner = LineScanner()
    private var isHTTP = false
    private var line: StatusLine?
    private var startOfFields = 0
    private var section = FieldSection()
    private var bodyEnd = FramingFields()
    private var connection = ConnectionOptions()
    private var failure: WireError?

    /// Refuses what is larger than the limits.
    public init(limits: HeadLimits = HeadLimits()) {
        self.limits = limits
    }

    /// The next head, or `nil` if more bytes are needed; `method` is that of the request.
    ///
    /// Throws ``WireError/notHTTP`` if the first bytes are not HTTP, any other error if the response is malformed.
    public mutating func parse(
        _ buffer: Span<UInt8>, for method: Method
    ) throws(WireError) -> ResponseHead? {
        if let failure { throw failure }
        do throws(WireError) {
            return try advance(buffer, method)
        } catch {
            failure = error
            throw error
        }
    }

    private mutating func advance(
        _ buffer: Span<UInt8>, _ method: Method
    ) throws(WireError) -> ResponseHead? {
        guard let line = try statusLine(buffer) else { return nil }
        let limit = startOfFields + limits.headerBytes
        while let next = try scanner.next(in: buffer, before: limit, orThrow: .headersTooLarge) {
            if next.isEmpty { return try finish(buffer, line, method) }
            try note(try section.append(buffer, line: next, atMost: limits.headerCount), in: buffer)
        }
        return nil
    }

    private mutating func statusLine(_ buffer: Span<UInt8>) throws(WireError) -> StatusLine? {
        if let line { return line }
        if !isHTTP {
            guard let verdict = StatusLine.startsAsHTTP(buffer) else { return nil }
            guard verdict else { throw .notHTTP }
            isHTTP = true
        }
        let limit = limits.startLineBytes + 2
        guard let next = try scanner.next(in: buffer, before: limit, orThrow: .headersTooLarge) else { return nil }
        line = try StatusLine(buffer, line: next)
        startOfFields = scanner.start
        return line
    }

    private mutating func note(_ field: Field, in buffer: Span<UInt8>) throws(WireError) {
        switch field.known {
        case .contentLength: try bodyEnd.noteContentLength(buffer, value: field.value)
        case .transferEncoding: try bodyEnd.noteTransferEncoding(buffer, value: field.value)
        case .connection: try connection.note(buffer, value: field.value)
        case .host, .expect, .contentType, .authorization, .origin, nil: break
        }
    }

    private mutating func finish(
        _ buffer: Span<UInt8>, _ line: StatusLine, _ method: Method
    ) throws(WireError) -> ResponseHead {
        let byteCount = scanner.start
        let framing = try bodyFraming(line, for: method)
        let persists = connection.persists(in: line.version) && framing != .untilClose && !hasStrayBody(line.status)
        let headers = section.take(buffer.extracting(0..<byteCount))
        self = ResponseHeadParser(limits: limits)
        return ResponseHead(
            status: line.status,
            version: line.version,
            headers: headers,
            framing: framing,
            keepAlive: persists,
            byteCount: byteCount
        )
    }

    /// RFC 9112 section 6.3. A 1xx that announces a body contradicts itself and is refused. A 204 ends with its head, whatever it announces;
    /// 304 and the response to HEAD may state the length that the body would have had.
    private func bodyFraming(_ line: StatusLine, for method: Method) throws(WireError) -> BodyFraming {
        let announced = try bodyEnd.framing(in: line.version)
        if line.status < 200 {
            guard announced?.hasBody != true else { throw .bodyNotAllowed }
            return .none
        }
        if method == .head || line.status == 204 || line.status == 304 { return .none }
        return announced ?? .untilClose
    }

    /// Whether bytes may follow a 204 that no response is made of.
    private func hasStrayBody(_ status: Int) -> Bool {
        status == 204 && (try? bodyEnd.framing(in: .http11)?.hasBody) == true
    }
}
