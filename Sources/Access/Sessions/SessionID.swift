import Crypto

/// The `jti` of a session: 128 random bits, which logs may show. It identifies a session; only the token proves one.
public struct SessionID: Hashable, Sendable, CustomStringConvertible {
    private let high: UInt64
    private let low: UInt64

    /// From 128 random bits.
    public init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// Nil unless there are 16 bytes.
    public init?(bytes: [UInt8]) {
        guard let bits = UInt128(bigEndianBytes: bytes) else { return nil }
        high = UInt64(truncatingIfNeeded: bits >> 64)
        low = UInt64(truncatingIfNeeded: bits)
    }

    /// Nil if `text` is not what `description` returns.
    public init?(_ text: String) {
        guard text.utf8.count == 22, let bytes = CompactToken.decode(Array(text.utf8)) else { return nil }
        self.init(bytes: bytes)
    }

    /// Its 16 bytes.
    public var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(16)
        bytes.append(bigEndian: high)
        bytes.append(bigEndian: low)
        return bytes
    }

    /// 22 characters of base64url.
    public var description: String {
        // Sound: each of the 22 characters that the buffer has room for is written.
        String(unsafeUninitializedCapacity: 22) { text in
            for place in 0..<22 { text.initializeElement(at: place, to: Self.digits[Int(bits(of: place))]) }
            return 22
        }
    }

    /// The six bits, four at the end, of one character.
    private func bits(of place: Int) -> UInt64 {
        switch place {
        case 0..<10: high >> UInt64(58 - 6 * place) & 63
        case 10: (high << 2 | low >> 62) & 63
        case 11..<21: low >> UInt64(56 - 6 * (place - 11)) & 63
        default: low << 4 & 63
        }
    }

    private static let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
}
