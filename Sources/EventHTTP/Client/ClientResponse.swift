public import HTTPWire

/// A response whose head is complete. Its body is complete too, unless it is streamed.
///
/// A class: it is passed through many asynchronous calls, each of which would retain every member of a structure.
public final class ClientResponse: Sendable {
    /// 200 … 599.
    public let status: Int
    /// The response's headers, as they came.
    public let headers: Headers
    /// The body without its framing; empty if it is streamed.
    public let body: [UInt8]
    /// The body that is still arriving.
    public let incoming: IncomingBody?
    /// Set if `body` is large: to be kept alive as long as `body`, which it keeps charged to the loop's budget.
    public let buffered: BufferedBytes?

    init(status: Int, headers: Headers, body: [UInt8], incoming: IncomingBody?, buffered: BufferedBytes?) {
        self.status = status
        self.headers = headers
        self.body = body
        self.incoming = incoming
        self.buffered = buffered
    }
}
