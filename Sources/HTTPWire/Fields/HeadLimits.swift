/// The maximum size of a message's head.
public struct HeadLimits: Sendable, Hashable {
    /// The maximum size of a request or status line without its CRLF, in bytes (414).
    public let startLineBytes: Int
    /// The maximum size of the header section with all its CRLFs and the empty line, in bytes (431).
    public let headerBytes: Int
    /// The maximum number of header lines (431).
    public let headerCount: Int

    /// Values are clamped to 16 bytes … 16 MiB, and 1 … 65,536 lines, so that positions fit into 32 bits.
    public init(startLineBytes: Int = 8192, headerBytes: Int = 32768, headerCount: Int = 100) {
        self.startLineBytes = min(max(startLineBytes, 16), 1 << 24)
        self.headerBytes = min(max(headerBytes, 16), 1 << 24)
        self.headerCount = min(max(headerCount, 1), 1 << 16)
    }
}
