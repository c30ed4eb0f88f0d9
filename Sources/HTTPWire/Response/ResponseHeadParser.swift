/// Reads response heads from a growing buffer, as ``RequestHeadParser`` reads those of requests, and as strictly: a peer
/// whose answer could end in two places is not to be believed.
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

    public init(limits: HeadLimits = HeadLimits()) {
        self.limits = limits
    }

    /// The next head, or `nil` if more bytes are needed; `method` is that of the request being answered.
    ///
    /// Throws ``WireError/notHTTP`` if the first bytes are no HTTP at all, any other error if the answer is malformed.
    public mutating func parse(
        _ buffer: Span<UInt8>, answering method: Method
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
        case .host, .expect, .contentType, .authorization, nil: break
        }
    }

    private mutating func finish(
        _ buffer: Span<UInt8>, _ line: StatusLine, _ method: Method
    ) throws(WireError) -> ResponseHead {
        let byteCount = scanner.start
        let framing = try bodyFraming(line, answering: method)
        let persists = connection.persists(in: line.version) && framing != .untilClose
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

    /// RFC 9112 §6.3. A 1xx or 204 that announces a body contradicts itself and is refused; 304 and the answer to HEAD
    /// may tell the length that the body would have had.
    private func bodyFraming(_ line: StatusLine, answering method: Method) throws(WireError) -> BodyFraming {
        let announced = try bodyEnd.framing(in: line.version)
        if line.status < 200 || line.status == 204 {
            guard announced?.hasBody != true else { throw .bodyNotAllowed }
            return .none
        }
        if method == .head || line.status == 304 { return .none }
        return announced ?? .untilClose
    }
}
