public import HTTPWire

/// An answer whose head is whole. So is its body, unless it was asked to be passed on while it arrives.
public struct ClientResponse: Sendable {
    /// 200 … 599.
    public let status: Int
    public let headers: Headers
    /// The body without its framing; empty if it is still to come.
    public let body: [UInt8]
    /// The body that is still to come.
    public let incoming: IncomingBody?
    /// To be kept for as long as `body` is, if it is large.
    public let held: HeldBytes?
}
