/// What the headers say about where the body ends. Anything that two parties could read differently is refused
/// (RFC 9112 §6.1, §6.3, §11.2).
struct FramingFields: Sendable {
    private(set) var contentLength: Int?
    private var chunkedCount = 0
    private var unknownCount = 0
    private var endsInChunked = false

    private var hasTransferEncoding: Bool { chunkedCount + unknownCount > 0 }

    /// Takes in a Content-Length header: digits, and only once, even if it says the same again. A number that is too large for an
    /// `Int` counts as the largest one, for which no body has room.
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

    /// Takes in a Transfer-Encoding header, a list of codings with parameters (RFC 9112 §6.1).
    mutating func noteTransferEncoding(_ bytes: Span<UInt8>, value: Range<Int>) throws(WireError) {
        var elements = ListElements(value)
        while let element = elements.next(in: bytes) {
            var end = element.lowerBound
            while end < element.upperBound, bytes[end] != .semicolon, !bytes[end].isBlank { end += 1 }
            let name = element.lowerBound..<end
            guard bytes.isToken(name) else { throw .malformedTransferEncoding }
            endsInChunked = bytes.equals("chunked", ignoringCaseIn: name)
            if endsInChunked {
                // `chunked` takes no parameters (RFC 9112 §7.1).
                guard name == element else { throw .malformedTransferEncoding }
                chunkedCount += 1
            } else {
                unknownCount += 1
            }
        }
    }

    /// The verdict once all headers are in; `nil` if they say nothing.
    func framing(in version: HTTPVersion) throws(WireError) -> BodyFraming? {
        guard hasTransferEncoding else { return contentLength.map(BodyFraming.length) }
        guard contentLength == nil else { throw .conflictingFraming }
        guard version == .http11 else { throw .transferEncodingInHTTP10 }
        guard chunkedCount <= 1, chunkedCount == 0 || endsInChunked else { throw .chunkedNotLast }
        guard unknownCount == 0 else { throw .unknownTransferCoding }
        return .chunked
    }
}
