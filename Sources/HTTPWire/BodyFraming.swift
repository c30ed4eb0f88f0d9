/// How the end of a message's body is found (RFC 9112 section 6.3).
public enum BodyFraming: Sendable, Hashable {
    /// There is no body: the message ends with its head.
    case none
    /// The body is exactly this many bytes, by `Content-Length`.
    case length(Int)
    /// The body is sent in chunks, by `Transfer-Encoding: chunked`.
    case chunked
    /// The body is everything until the connection closes. Responses only.
    case untilClose

    /// Whether bytes of a body follow the head.
    public var hasBody: Bool {
        switch self {
        case .none, .length(0): false
        default: true
        }
    }
}
