internal import EventIO

/// How long an upstream may take (reference: routes, `timeouts`).
public struct ClientTimeouts: Sendable {
    // In milliseconds, worked out once and not for every request.
    let connect: Int64
    let response: Int64?
    let exchange: Int64

    /// - Parameters:
    ///   - connect: to get a connection: to wait for one's turn, resolve the name, connect and, for https, shake hands.
    ///   - response: from the start of sending to the first byte of the answer; `nil`: as long as the whole exchange may take.
    ///   - exchange: for the whole exchange, connecting included.
    public init(connect: Duration = .seconds(10), response: Duration? = nil, exchange: Duration = .seconds(60)) {
        self.connect = connect.wholeMilliseconds
        self.response = response?.wholeMilliseconds
        self.exchange = exchange.wholeMilliseconds
    }
}
