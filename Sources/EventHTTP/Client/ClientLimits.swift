public import HTTPWire

/// How much an upstream may send, and how many connections are kept for it.
public struct ClientLimits: Sendable {
    /// Sizes of status line and headers.
    public var head: HeadLimits
    /// The most bytes of a body.
    public var bodyBytes: Int
    /// Idle connections kept for an origin on each loop.
    public var idleConnections: Int
    /// How long a connection is kept without use. Shorter than what servers usually allow, so that they seldom close first.
    public var idleTimeout: Duration

    public init(
        head: HeadLimits = HeadLimits(), bodyBytes: Int = 16 << 20, idleConnections: Int = 256,
        idleTimeout: Duration = .seconds(30)
    ) {
        self.head = head
        self.bodyBytes = max(0, bodyBytes)
        self.idleConnections = max(0, idleConnections)
        self.idleTimeout = idleTimeout
    }
}
