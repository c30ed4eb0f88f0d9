import Access
import EventHTTP
import HTTPWire

extension TrustedProxies {
    /// Where a request comes from: its peer, or what trusted proxies say of it.
    func client(of request: ServerRequest) -> ClientAddress {
        let peer = IPAddress(high: request.remoteBits.high, low: request.remoteBits.low)
        if isEmpty { return ClientAddress(peer) }
        // What is not UTF-8 is no address.
        return client(
            of: peer, forwarded: request.head.headers.texts("Forwarded").map { $0 ?? "" },
            xForwardedFor: request.head.headers.texts("X-Forwarded-For").map { $0 ?? "" })
    }
}
