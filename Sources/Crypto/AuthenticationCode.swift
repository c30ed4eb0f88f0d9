/// The 32 bytes that HMAC-SHA-256 returns, held in registers or in place rather than in an array of their own.
public struct AuthenticationCode: Hashable, Sendable {
    package let words: (UInt64, UInt64, UInt64, UInt64)

    /// The 32 bytes as they lie in memory.
    package init(words: (UInt64, UInt64, UInt64, UInt64)) {
        self.words = words
    }

    /// Nil unless there are 32 bytes.
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

    /// The 32 bytes.
    public var bytes: [UInt8] { withUnsafeBytes(of: words) { Array($0) } }

    /// The first 16 bytes as a big-endian number: HMAC-SHA-256 truncated to 128 bits (RFC 2104 section 5).
    public var leading128: UInt128 {
        UInt128(UInt64(bigEndian: words.0)) << 64 | UInt128(UInt64(bigEndian: words.1))
    }

    public static func == (one: AuthenticationCode, other: AuthenticationCode) -> Bool {
        let (a, b) = (one.words, other.words)
        return (a.0 ^ b.0) | (a.1 ^ b.1) | (a.2 ^ b.2) | (a.3 ^ b.3) == 0
    }

    /// The code is uniform and keyed, so that one of its words is a good hash.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(words.0)
    }
}

extension AuthenticationCode: RedactedPrinting {}
