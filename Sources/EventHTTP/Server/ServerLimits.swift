public import HTTPWire

/// How much a client may send, and how many clients there may be.
public struct ServerLimits: Sendable {
    /// Sizes of request line and headers; beyond them 414 and 431.
    public var head: HeadLimits
    /// The most bytes of a body; beyond them 413.
    public var bodyBytes: Int
    /// The most connections at a time, over all loops; beyond them 503.
    public var connections: Int

    public init(head: HeadLimits = HeadLimits(), bodyBytes: Int = 1 << 20, connections: Int = 10_000) {
        self.head = head
        self.bodyBytes = max(0, bodyBytes)
        self.connections = max(1, connections)
    }
}
