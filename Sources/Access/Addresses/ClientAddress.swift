/// The address that a request comes from, as far as it can be known behind proxies.
public struct ClientAddress: Hashable, Sendable {
    /// The client's address; where that is hidden, the one of the last hop that is known.
    public let address: IPAddress
    /// Whether `address` is the client's own. A list of allowed networks takes only a proven address, because the
    /// address of a proxy is often inside such a network.
    public let isProven: Bool

    /// What limits count by: the subscriber of the address. All clients that hide behind one proxy are one stranger,
    /// and another than the proxy itself, or a program beside it: a client can hide itself by a header that it writes,
    /// and would use up what they may.
    public var subscriber: ClientAddress { ClientAddress(address.subscriber, isProven: isProven) }

    /// An address, and whether it is known to be the client's own.
    public init(_ address: IPAddress, isProven: Bool = true) {
        self.address = address
        self.isProven = isProven
    }
}

extension ClientAddress: CustomStringConvertible {
    /// The address, and whether it is proven: texts are equal where addresses are.
    public var description: String { isProven ? address.description : "\(address) (not proven)" }
}
