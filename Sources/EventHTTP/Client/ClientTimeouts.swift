internal import EventIO

/// How long an upstream may take (`docs/reference/proxy.md` section 1, `timeouts`).
public struct ClientTimeouts: Sendable {
    // In milliseconds, converted once and not for every request.
    let connect: Int64
    let response: Int64?
    let exchange: Int64

    /// - Parameters:
    ///   - connect: to get a connection: waiting for the pool, the name look-up, TCP and, for https, the TLS handshake.
    ///   - response: from the start of sending to the first byte of the response; `nil`: the time of the whole exchange.
    ///   - exchange: the whole exchange, connecting included.
    public init(connect: Duration = .seconds(10), response: Duration? = nil, exchange: Duration = .seconds(60)) {
        self.connect = connect.wholeMilliseconds
        self.response = response?.wholeMilliseconds
        self.exchange = exchange.wholeMilliseconds
    }
}
