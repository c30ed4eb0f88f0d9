public import HTTPWire

/// How much an upstream may send.
public struct ClientLimits: Sendable {
    /// Sizes of status line and headers.
    public var head: HeadLimits
    /// The maximum size of a body in bytes.
    public var bodyBytes: Int
    /// The bytes of unfinished bodies of unknown length that one loop buffers, so that an error in them can still be reported.
    /// Beyond it such bodies are streamed.
    public var bufferedBytes: Int

    /// The bytes of bodies that are needed completely, unfinished or in use, that one loop buffers; beyond it such a response
    /// fails with ``ClientError/responseTooLarge``.
    public var completeBytes: Int

    /// - Parameter completeBytes: nil for 64 MiB, or four times `bodyBytes` if that is more.
    public init(
        head: HeadLimits = HeadLimits(), bodyBytes: Int = 16 << 20, bufferedBytes: Int = 32 << 20,
        completeBytes: Int? = nil
    ) {
        self.completeBytes = completeBytes ?? max(64 << 20, min(max(0, bodyBytes), .max / 4) * 4)
        self.head = head
        self.bufferedBytes = max(0, bufferedBytes)
        self.bodyBytes = max(0, bodyBytes)
    }
}
