/// The head of a response that has passed every check.
public struct ResponseHead: Sendable {
    /// 100 … 599.
    public let status: Int
    public let version: HTTPVersion
    public let headers: Headers
    /// How the body ends, the method of the request taken into account (RFC 9112 §6.3).
    public let framing: BodyFraming
    /// Whether the connection may be used again once the body has been read.
    public let keepAlive: Bool
    /// How many bytes of the buffer the head took.
    public let byteCount: Int

    /// Whether another head follows, that of the answer proper (RFC 9110 §15.2). 101 is among them: a client that did not
    /// ask for another protocol must refuse it.
    public var isInformational: Bool { status < 200 }
}
