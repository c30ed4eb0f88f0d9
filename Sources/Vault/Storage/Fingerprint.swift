/// The keyed digest by which an equal value is found again: HMAC-SHA-256 over vault id and value under the vault's
/// fingerprint key. Never returned, logged or exported.
public struct Fingerprint: Hashable, Sendable {
    private let first: UInt64
    private let second: UInt64
    private let third: UInt64
    private let fourth: UInt64

    /// Takes the 32 bytes as they lie in memory.
    init(words: (UInt64, UInt64, UInt64, UInt64)) {
        (first, second, third, fourth) = words
    }

    /// The 32 bytes that a store kept; `nil` if there are not 32.
    public init?(bytes: [UInt8]) {
        guard bytes.count == 32 else { return nil }
        self.init(
            words: bytes.withUnsafeBytes { bytes in
                (
                    bytes.loadUnaligned(as: UInt64.self), bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self),
                    bytes.loadUnaligned(fromByteOffset: 16, as: UInt64.self),
                    bytes.loadUnaligned(fromByteOffset: 24, as: UInt64.self)
                )
            }
        )
    }

    /// The 32 bytes, for a store to keep.
    public var bytes: [UInt8] {
        withUnsafeBytes(of: (first, second, third, fourth)) { Array($0) }
    }

    /// Already uniform and keyed: a part of it is as good a hash as any.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(first)
    }

    /// A small number that spreads fingerprints evenly.
    var shard: Int { Int(truncatingIfNeeded: second >> 1) }
}
