import Access
import EventHTTP
import HTTPWire

extension TrustedProxies {
    /// Where a request comes from. What a client says of itself through a balancer that does not know it proves nothing.
    func client(of request: ServerRequest) -> ClientAddress {
        if request.hidesClient { return Self.hidden(behind: request.remoteBits) }
        return client(of: request.head, from: request.remoteBits)
    }

    /// The same for a request that the HTTP layer has refused.
    func client(of rejection: RequestRejection) -> ClientAddress {
        if rejection.hidesClient { return Self.hidden(behind: rejection.remoteBits) }
        return client(of: rejection.head, from: rejection.remoteBits)
    }

    private static func hidden(behind bits: (high: UInt64, low: UInt64)) -> ClientAddress {
        ClientAddress(IPAddress(high: bits.high, low: bits.low), isProven: false)
    }

    /// Where a request comes from: its peer, or what trusted proxies say of it.
    ///
    /// - Parameter head: nil if it could not be read.
    func client(of head: RequestHead?, from bits: (high: UInt64, low: UInt64)) -> ClientAddress {
        let peer = IPAddress(high: bits.high, low: bits.low)
        if isEmpty { return ClientAddress(peer) }
        guard let head else { return client(of: peer) }
        // What is not UTF-8 is no address.
        return client(
            of: peer, forwarded: head.headers.texts("Forwarded").map { $0 ?? "" },
            xForwardedFor: head.headers.texts("X-Forwarded-For").map { $0 ?? "" })
    }
}
