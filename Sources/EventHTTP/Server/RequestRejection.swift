public import HTTPWire

/// A request that the server rejects before the handler sees it. The server's owner writes the response. The connection is
/// closed after it: no byte behind a rejected request is taken for another request (RFC 9112 section 9.6).
public struct RequestRejection: Error, Sendable {
    /// 400, 408, 413, 414, 417, 431, 500, 501, 503 or 505.
    public let status: Int
    /// A fixed sentence that quotes nothing of the request.
    public let reason: String
    /// The head, if it was complete.
    public let head: RequestHead?
    /// The readable part of a head that could not be parsed.
    public let partialHead: PartialHead?
    /// Of a body that is too large: how many bytes are allowed. Nil for every other reason.
    public let bodyLimit: Int?
    /// The client's address in network byte order; an IPv4 address is mapped into IPv6 (RFC 4291 section 2.5.5.2).
    public internal(set) var remoteBits: (high: UInt64, low: UInt64) = (0, 0)
    /// Whether a balancer has said that it does not know the client (PROXY protocol).
    public internal(set) var hidesClient = false

    init(
        status: Int, reason: String, head: RequestHead? = nil, partialHead: PartialHead? = nil,
        bodyLimit: Int? = nil
    ) {
        self.bodyLimit = bodyLimit
        self.status = status
        self.reason = reason
        self.head = head
        self.partialHead = partialHead
    }

    init(_ error: WireError, head: RequestHead? = nil, partialHead: PartialHead? = nil, bodyLimit: Int? = nil) {
        self.init(
            status: error.status, reason: error.reason, head: head, partialHead: partialHead,
            bodyLimit: error == .bodyTooLarge ? bodyLimit : nil)
    }
}

/// Why the server ends a connection. Boxed, because the error travels through every read.
indirect enum ConnectionEnd: Error {
    /// The client cannot receive a response any more.
    case gone
    /// No request has begun in time.
    case idle
    /// An error response is sent, then the connection is closed.
    case rejected(RequestRejection)
}
