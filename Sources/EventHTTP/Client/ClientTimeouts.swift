/// How long an upstream may take (reference: routes, `timeouts`).
public struct ClientTimeouts: Sendable {
    /// To resolve the name, connect and, for https, shake hands.
    public var connect: Duration
    /// For the whole exchange, connecting included.
    public var exchange: Duration

    public init(connect: Duration = .seconds(10), exchange: Duration = .seconds(60)) {
        self.connect = connect
        self.exchange = exchange
    }
}
