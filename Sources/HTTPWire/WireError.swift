/// Why a message was refused, or could not be written.
///
/// The raw value is a sentence that may be shown to the peer: it is fixed text and never quotes the message.
/// The connection must be closed after every error: where the next message starts is unknown.
public enum WireError: String, Error, Sendable, Hashable, CaseIterable {
    // The shape of lines (RFC 9112 section 2.2, RFC 9110 section 5.5).
    case bareCarriageReturn = "a CR is not followed by LF"
    case bareLineFeed = "a line ends in LF without CR"
    case controlCharacter = "a control character in the message head"
    case tooManyEmptyLines = "too many empty lines before the request"

    // The request line (RFC 9112 section 3).
    case malformedRequestLine = "the request line is malformed"
    case malformedMethod = "the method is not a token"
    case malformedTarget = "the request target is malformed"
    case malformedVersion = "the HTTP version is malformed"
    case unsupportedVersion = "the HTTP version is not supported"
    case requestLineTooLong = "the request line is too long"

    // The header section (RFC 9112 section 5).
    case malformedFieldLine = "a header line has no colon or no name"
    case malformedFieldName = "a header name is not a token"
    case spaceBeforeColon = "white space between a header name and the colon"
    case obsoleteFolding = "a header line is folded"
    /// Of a response with its status line.
    case headersTooLarge = "the header section is too large"
    case tooManyHeaders = "too many header lines"

    // Host, Connection, Expect (RFC 9112 section 3.2, RFC 9110 sections 7.2, 7.6.1 and 10.1.1).
    case missingHost = "the Host header is missing"
    case repeatedHost = "the Host header is repeated"
    case malformedHost = "the Host header is malformed"
    case malformedConnection = "the Connection header is malformed"
    case unknownExpectation = "the expectation is not supported"

    // Where the message ends (RFC 9112 section 6).
    case malformedContentLength = "the Content-Length header is malformed"
    case repeatedContentLength = "the Content-Length header is repeated"
    case conflictingFraming = "Transfer-Encoding and Content-Length together"
    case malformedTransferEncoding = "the Transfer-Encoding header is malformed"
    case transferEncodingInHTTP10 = "Transfer-Encoding in an HTTP/1.0 message"
    case chunkedNotLast = "chunked is repeated or not the last transfer coding"
    case unknownTransferCoding = "the transfer coding is not supported"
    case bodyNotAllowed = "a message that cannot have a body announces one"

    // Bodies (RFC 9112 section 7.1).
    case malformedChunkSize = "a chunk size is malformed"
    case malformedChunkExtension = "a chunk extension is malformed"
    case chunkExtensionsTooLong = "the chunk extensions are too long"
    case junkAfterChunk = "a chunk is not followed by CRLF"
    case malformedTrailer = "a trailer line is malformed"
    case trailersTooLarge = "the trailer section is too large"
    case bodyTooLarge = "the body is too large"
    case truncated = "the connection was closed in the middle of a message"

    // Responses (RFC 9112 section 4).
    case notHTTP = "the response is not HTTP"
    case malformedStatusLine = "the status line is malformed"

    // Messages to be written.
    case unwritableField = "a header contains bytes that cannot be written"
    case unwritableRequestLine = "a method or target contains bytes that cannot be written"

    /// A fixed sentence that may be shown to the peer.
    public var reason: String { rawValue }

    /// The status of a server's response before it closes the connection (RFC 9110 section 15).
    public var status: Int {
        switch self {
        case .bodyTooLarge: 413
        case .requestLineTooLong: 414
        case .unknownExpectation: 417
        case .headersTooLarge, .tooManyHeaders, .trailersTooLarge: 431
        case .unwritableField, .unwritableRequestLine: 500
        case .unknownTransferCoding: 501
        case .unsupportedVersion: 505
        default: 400
        }
    }
}
