import Crypto

/// 16 random bytes that a value gets when it is first stored and keeps for life. The seal of the value and the tags of all its
/// aliases cover them, so that no row of another value fits, not even of one that had the same id earlier.
public struct Binding: Hashable, Sendable {
    let bits: UInt128

    init(bits: UInt128) {
        self.bits = bits
    }

    /// The 16 bytes that a store kept; nil if there are not 16.
    public init?(bytes: [UInt8]) {
        guard let bits = UInt128(bigEndianBytes: bytes) else { return nil }
        self.bits = bits
    }

    /// The 16 bytes, for a store to keep.
    public var bytes: [UInt8] { bits.bigEndianBytes }
}

/// A message authentication code of 128 bits that a store keeps beside what it covers.
public struct RecordTag: Sendable {
    let bits: UInt128

    init(_ code: AuthenticationCode) {
        bits = code.leading128
    }

    /// The 16 bytes that a store kept; nil if there are not 16.
    public init?(bytes: [UInt8]) {
        guard let bits = UInt128(bigEndianBytes: bytes) else { return nil }
        self.bits = bits
    }

    /// The 16 bytes, for a store to keep.
    public var bytes: [UInt8] { bits.bigEndianBytes }

    /// Whether both are the same; the time that it takes does not tell where they differ.
    func matches(_ other: RecordTag) -> Bool { bits ^ other.bits == 0 }
}
