public import EventIO
public import HTTPWire

/// A complete request, as a handler gets it.
///
/// A class, so that passing it on retains one reference and not all that it contains.
public final class ServerRequest: Sendable {
    /// Method, target and headers.
    public let head: RequestHead
    /// The body without its framing.
    public let body: [UInt8]
    /// The loop of the connection; the handler runs on it.
    public let loop: EventLoop
    /// The client's address in network byte order; an IPv4 address is mapped into IPv6 (RFC 4291 section 2.5.5.2).
    public let remoteBits: (high: UInt64, low: UInt64)
    /// Whether the address is only that of a balancer, which does not say whom it forwards (`PROXY UNKNOWN`).
    public let hidesClient: Bool
    /// Whether the request came over TLS.
    public let isSecure: Bool
    /// The names in the client's verified certificate.
    public let clientNames: [String]
    /// How long it had waited before the handler was called, in milliseconds: exact to an eighth of `maxWait`.
    public let waited: Int64
    /// How long it may wait for its turn anywhere, `waited` included: ``ServerTimeouts/maxWait``, less what the loop needs. Nil for
    /// any time.
    public let maxWait: Duration?

    init(
        head: RequestHead, body: [UInt8], loop: EventLoop,
        remoteBits: (high: UInt64, low: UInt64), hidesClient: Bool = false, isSecure: Bool, clientNames: [String] = [],
        waited: Int64 = 0, maxWait: Duration? = nil
    ) {
        self.head = head
        self.body = body
        self.loop = loop
        self.remoteBits = remoteBits
        self.hidesClient = hidesClient
        self.isSecure = isSecure
        self.clientNames = clientNames
        self.waited = waited
        self.maxWait = maxWait
    }
}
