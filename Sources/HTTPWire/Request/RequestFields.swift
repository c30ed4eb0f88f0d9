/// The header lines of a request that the protocol itself uses.
struct RequestFields: Sendable {
    private var hasHost = false
    private var bodyEnd = FramingFields()
    private(set) var connection = ConnectionOptions()
    private(set) var expectsContinue = false

    mutating func note(_ field: Field, in bytes: Span<UInt8>) throws(WireError) {
        switch field.known {
        case .host: try noteHost(bytes, field.value)
        case .contentLength: try bodyEnd.noteContentLength(bytes, value: field.value)
        case .transferEncoding: try bodyEnd.noteTransferEncoding(bytes, value: field.value)
        case .connection: try connection.note(bytes, value: field.value)
        case .expect: try noteExpectation(bytes, field.value)
        case .contentType, .authorization, .origin, nil: break
        }
    }

    /// The body's framing after all lines. An HTTP/1.1 request must have a Host by then (RFC 9112 section 3.2).
    func framing(in version: HTTPVersion) throws(WireError) -> BodyFraming {
        guard hasHost || version == .http10 else { throw .missingHost }
        return try bodyEnd.framing(in: version) ?? .none
    }

    private mutating func noteHost(_ bytes: Span<UInt8>, _ value: Range<Int>) throws(WireError) {
        guard !hasHost else { throw .repeatedHost }
        guard Authority(bytes, value) != nil else { throw .malformedHost }
        hasHost = true
    }

    private mutating func noteExpectation(_ bytes: Span<UInt8>, _ value: Range<Int>) throws(WireError) {
        guard bytes.equals("100-continue", ignoringCaseIn: value) else { throw .unknownExpectation }
        expectsContinue = true
    }
}
