/// A body that ends with its connection (RFC 9112 §6.3, item 8). Whether it is whole cannot be known.
public struct UntilCloseDecoder: Sendable {
    private var allowance: Int

    public init(limit: Int) {
        allowance = limit
    }

    /// Appends all of `buffer` to `payload`. Throws ``WireError/bodyTooLarge`` once there is more than the limit.
    public mutating func decode(
        _ buffer: Span<UInt8>, into payload: inout [UInt8]
    ) throws(WireError) -> BodyProgress {
        guard buffer.count <= allowance else { throw .bodyTooLarge }
        allowance -= buffer.count
        buffer.append(to: &payload)
        return BodyProgress(consumed: buffer.count, isComplete: false)
    }
}
