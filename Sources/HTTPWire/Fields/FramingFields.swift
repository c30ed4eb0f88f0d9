/// The headers that determine where the body ends. Anything that two parties could interpret differently is refused
/// (RFC 9112 sections 6.1, 6.3 and 11.2).
struct FramingFields: Sendable {
    private(set) var contentLength: Int?
    private var chunkedCount = 0
    private var unknownCount = 0
    private var endsInChunked = false

    private var hasTransferEncoding: Bool { chunkedCount + unknownCount > 0 }

    /// Adds a Content-Length header: only digits, and only one header, even if a second has the same value. A number too large for
    /// an `Int` becomes the largest one, which is above every limit on bodies.
    mutating func noteContentLength(_ bytes: Span<UInt8>, value: Range<Int>) throws(WireError) {
        guard contentLength == nil else { throw .repeatedContentLength }
        guard !value.isEmpty else { throw .malformedContentLength }
        var length = 0
        for index in value {
            guard bytes[index].isDigit else { throw .malformedContentLength }
            let (tenfold, overflow) = length.multipliedReportingOverflow(by: 10)
            let (sum, carry) = tenfold.addingReportingOverflow(Int(bytes[index] &- 0x30))
            length = overflow || carry || length == .max ? .max : sum
        }
        contentLength = length
    }

    /// Adds a Transfer-Encoding header, a list of codings with parameters (RFC 9112 section 6.1).
    mutating func noteTransferEncoding(_ bytes: Span<UInt8>, value: Range<Int>) throws(WireError) {
        var elements = ListElements(value)
        while let element = elements.next(in: bytes) {
            var end = element.lowerBound
            while end < element.upperBound, bytes[end] != .semicolon, !bytes[end].isBlank { end += 1 }
            let name = element.lowerBound..<end
            guard bytes.isToken(name) else { throw .malformedTransferEncoding }
            endsInChunked = bytes.equals("chunked", ignoringCaseIn: name)
            if endsInChunked {
                // `chunked` takes no parameters (RFC 9112 section 7.1).
                guard name == element else { throw .malformedTransferEncoding }
                chunkedCount += 1
            } else {
                unknownCount += 1
            }
        }
    }

    /// The framing after all headers; `nil` if they state none.
    func framing(in version: HTTPVersion) throws(WireError) -> BodyFraming? {
        guard hasTransferEncoding else { return contentLength.map(BodyFraming.length) }
        guard contentLength == nil else { throw .conflictingFraming }
        guard version == .http11 else { throw .transferEncodingInHTTP10 }
        guard chunkedCount <= 1, chunkedCount == 0 || endsInChunked else { throw .chunkedNotLast }
        guard unknownCount == 0 else { throw .unknownTransferCoding }
        return .chunked
    }
}
