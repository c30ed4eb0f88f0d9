public import HTTPWire

/// How much an upstream may send.
public struct ClientLimits: Sendable {
    /// Sizes of status line and headers.
    public var head: HeadLimits
    /// The most bytes of a body.
    public var bodyBytes: Int

    public init(head: HeadLimits = HeadLimits(), bodyBytes: Int = 16 << 20) {
        self.head = head
        self.bodyBytes = max(0, bodyBytes)
    }
}
