/// How long an upstream may take (reference: routes, `timeouts`).
public struct ClientTimeouts: Sendable {
    /// To get a connection: to wait for one's turn, resolve the name, connect and, for https, shake hands.
    public var connect: Duration
    /// From the start of sending to the first byte of the answer; `nil`: as long as the whole exchange may take.
    public var response: Duration?
    /// For the whole exchange, connecting included.
    public var exchange: Duration

    public init(connect: Duration = .seconds(10), response: Duration? = nil, exchange: Duration = .seconds(60)) {
        self.connect = connect
        self.response = response
        self.exchange = exchange
    }
}
