public import HTTPWire

/// A whole answer; a broken or unfinished one never becomes a value of this type.
public struct ClientResponse: Sendable {
    /// 200 … 599.
    public let status: Int
    public let headers: Headers
    /// The body without its framing.
    public let body: [UInt8]
}
