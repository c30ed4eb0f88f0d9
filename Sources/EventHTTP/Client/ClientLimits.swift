public import HTTPWire

/// How much an upstream may send.
public struct ClientLimits: Sendable {
    /// Sizes of status line and headers.
    public var head: HeadLimits
    /// The maximum size of a body in bytes.
    public var bodyBytes: Int
    /// The bytes of bodies that may be streamed, and that one loop buffers all the same, so that an error in them can still be reported.
    /// Beyond it such bodies are streamed.
    public var bufferedBytes: Int

    /// The bytes of bodies that are held to their end, unfinished or in use, that one loop buffers. A caller who has its share of them
    /// gets ``ClientError/noRoom``, mostly before its request is sent.
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
