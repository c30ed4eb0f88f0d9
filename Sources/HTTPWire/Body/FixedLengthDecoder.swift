/// A body of a known length (RFC 9112 section 6.2).
public struct FixedLengthDecoder: Sendable {
    /// The most memory that is reserved because of a header alone.
    private static let largestReservation = 65536

    /// How many bytes are still to come.
    public private(set) var remaining: Int
    private var hasReserved = false

    /// Throws ``WireError/bodyTooLarge`` if `length` is above `limit`.
    public init(length: Int, limit: Int) throws(WireError) {
        guard length <= limit else { throw .bodyTooLarge }
        remaining = max(length, 0)
    }

    /// Whether all of the length has been read.
    public var isComplete: Bool { remaining == 0 }

    /// Appends the body's payload in `buffer` to `payload`.
    public mutating func decode(_ buffer: Span<UInt8>, into payload: inout [UInt8]) -> BodyProgress {
        let count = min(buffer.count, remaining)
        if count > 0 {
            if !hasReserved {
                payload.reserveCapacity(payload.count + min(remaining, FixedLengthDecoder.largestReservation))
                hasReserved = true
            }
            buffer.extracting(0..<count).append(to: &payload)
            remaining -= count
        }
        return BodyProgress(consumed: count, isComplete: isComplete)
    }
}
