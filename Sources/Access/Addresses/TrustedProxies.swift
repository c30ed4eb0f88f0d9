/// The proxies whose word on the client's address is taken (`server.trustedProxies`; `docs/reference/access.md`
/// section 4).
public struct TrustedProxies: Sendable {
    /// Elements of a header that are looked at, from the right. A chain of real proxies is far shorter.
    static let maximumHops = 64

    private let networks: [Network]

    /// Proxies of these networks are believed.
    public init(_ networks: [Network]) {
        self.networks = networks
    }

    /// Whether any proxy is trusted. If not, the headers need not be looked up.
    public var isEmpty: Bool { networks.isEmpty }

    /// The client of a request that arrived from `peer`.
    ///
    /// Each proxy appends the address that it got the request from, so that the lists are read from the right: the
    /// first address that is not a trusted proxy is the client's, and what stands to its left is the client's own
    /// claim. An element that is no address (`unknown`, `_hidden`, rubbish) ends the search: the client is not proven
    /// then. `Forwarded` (RFC 7239) and `X-Forwarded-For` must agree if both are present: a proxy maintains one of
    /// them and passes the other on as the client wrote it, and nothing tells which.
    ///
    /// - Parameters:
    ///   - peer: the address at the other end of the connection, or that of the PROXY protocol.
    ///   - forwarded: the values of all `Forwarded` fields, in order.
    ///   - xForwardedFor: the values of all `X-Forwarded-For` fields, in order.
    public func client(of peer: IPAddress, forwarded: [String], xForwardedFor: [String]) -> ClientAddress {
        guard networks.contains(peer) else { return ClientAddress(peer) }
        switch (forwarded.isEmpty, xForwardedFor.isEmpty) {
        case (true, true): return ClientAddress(peer)
        case (false, true): return walk(ForwardedHeader.hops(forwarded), from: peer)
        case (true, false): return walk(ForwardedHeader.plainHops(xForwardedFor), from: peer)
        case (false, false):
            let one = walk(ForwardedHeader.hops(forwarded), from: peer)
            let other = walk(ForwardedHeader.plainHops(xForwardedFor), from: peer)
            return one == other ? one : ClientAddress(peer, isProven: false)
        }
    }

    /// The client of a request that arrived from `peer` with headers that could not be read: if the peer is a proxy, it
    /// is not proven.
    public func client(of peer: IPAddress) -> ClientAddress {
        ClientAddress(peer, isProven: !networks.contains(peer))
    }

    /// - Parameter hops: from left to right; nil if the header cannot be read.
    private func walk(_ hops: [IPAddress?]?, from peer: IPAddress) -> ClientAddress {
        guard let hops, !hops.isEmpty else { return ClientAddress(peer, isProven: false) }
        var known = peer
        for hop in hops.reversed().prefix(Self.maximumHops) {
            guard let hop else { return ClientAddress(known, isProven: false) }
            guard networks.contains(hop) else { return ClientAddress(hop) }
            known = hop
        }
        return ClientAddress(known, isProven: hops.count <= Self.maximumHops)
    }
}
