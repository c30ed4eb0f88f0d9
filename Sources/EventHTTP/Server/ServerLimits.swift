public import HTTPWire

/// How much a client may send, and how many clients there may be.
public struct ServerLimits: Sendable {
    /// Sizes of request line and headers; beyond them 414 and 431.
    public var head: HeadLimits
    /// The most bytes of a body; beyond them 413.
    public var bodyBytes: Int
    /// The most bytes of large bodies that one loop holds at a time; a body that is still to come then is answered by 503.
    public var heldBytes: Int
    /// The most connections at a time, over all loops; beyond them 503.
    public var connections: Int

    /// - Parameter heldBytes: nil for 64 MiB, or four of the largest bodies if that is more.
    public init(
        head: HeadLimits = HeadLimits(), bodyBytes: Int = 1 << 20, heldBytes: Int? = nil, connections: Int = 10_000
    ) {
        self.head = head
        self.bodyBytes = max(0, bodyBytes)
        self.heldBytes = heldBytes ?? max(64 << 20, min(self.bodyBytes, .max / 4) * 4)
        self.connections = max(1, connections)
    }
}
