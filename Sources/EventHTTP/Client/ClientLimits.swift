public import HTTPWire

/// How much an upstream may send.
public struct ClientLimits: Sendable {
    /// Sizes of status line and headers.
    public var head: HeadLimits
    /// The most bytes of a body.
    public var bodyBytes: Int
    /// The most bytes of unfinished bodies that one loop holds only so that it can still say that something is wrong with them.
    public var heldBytes: Int

    public init(head: HeadLimits = HeadLimits(), bodyBytes: Int = 16 << 20, heldBytes: Int = 32 << 20) {
        self.head = head
        self.heldBytes = max(0, heldBytes)
        self.bodyBytes = max(0, bodyBytes)
    }
}
