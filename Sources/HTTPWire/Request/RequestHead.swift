/// The head of a request that has passed every check: request line, headers, and what follows from them.
public struct RequestHead: Sendable {
    public let method: Method
    public let target: RequestTarget
    public let version: HTTPVersion
    public let headers: Headers
    /// How the body ends; never ``BodyFraming/untilClose``.
    public let framing: BodyFraming
    /// Whether the client would have the connection stay open after this exchange (RFC 9112 §9.3).
    public let keepAlive: Bool
    /// Whether the client waits for `100 Continue` before it sends the body (RFC 9110 §10.1.1).
    public let expectsContinue: Bool
    /// How many bytes of the buffer the head took, together with empty lines before it.
    public let byteCount: Int

    /// The host and port that were asked for: those of an absolute target, or else the Host header
    /// (RFC 9112 §3.2.2). `nil` only in HTTP/1.0.
    public var host: String? { target.authority ?? headers[.host] }
}
