public import EventIO
public import HTTPWire

/// A whole request, as a handler gets it.
///
/// A class, so that handing it on counts one reference and not all of those that it holds.
public final class ServerRequest: Sendable {
    /// Method, target and headers.
    public let head: RequestHead
    /// The body without its framing.
    public let body: [UInt8]
    /// The loop that owns the connection; the handler runs on it.
    public let loop: EventLoop
    /// The client's address, without its port.
    public let remoteAddress: String
    /// Whether the request came over TLS.
    public let isSecure: Bool
    /// The names that the client has proven by its certificate.
    public let clientNames: [String]

    init(
        head: RequestHead, body: [UInt8], loop: EventLoop, remoteAddress: String, isSecure: Bool,
        clientNames: [String] = []
    ) {
        self.head = head
        self.body = body
        self.loop = loop
        self.remoteAddress = remoteAddress
        self.isSecure = isSecure
        self.clientNames = clientNames
    }
}
