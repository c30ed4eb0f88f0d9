/// A secret that can be checked but not read: PBKDF2 with HMAC-SHA-256 (RFC 8018 section 5.2, NIST SP 800-132) under a random
/// salt. Written as `pbkdf2-sha256$<iterations>$<salt>$<hash>`, both in hexadecimal.
public struct SecretHash: Sendable, Hashable, CustomStringConvertible {
    private static let scheme = "pbkdf2-sha256"

    /// How often the function is applied.
    public let iterations: Int
    /// At least 16 bytes.
    public let salt: [UInt8]
    /// 32 bytes.
    public let hash: [UInt8]

    /// A hash that was computed.
    public init(iterations: Int, salt: [UInt8], hash: [UInt8]) {
        self.iterations = iterations
        self.salt = salt
        self.hash = hash
    }

    /// Nil if `text` is not what `description` writes, with 1,000 to 10,000,000 iterations.
    public init?(_ text: String) {
        let parts = text.split(separator: "$", omittingEmptySubsequences: false)
        guard parts.count == 4, parts[0] == Self.scheme, let iterations = Int(parts[1]),
            (1_000...10_000_000).contains(iterations), let salt = Self.bytes(parts[2]), salt.count >= 16,
            let hash = Self.bytes(parts[3]), hash.count == 32
        else { return nil }
        self.init(iterations: iterations, salt: salt, hash: hash)
    }

    public var description: String { "\(Self.scheme)$\(iterations)$\(Self.digits(salt))$\(Self.digits(hash))" }

    private static func digits(_ bytes: [UInt8]) -> String {
        bytes.reduce(into: "") { text, byte in text += (byte < 0x10 ? "0" : "") + String(byte, radix: 16) }
    }

    /// Nil if `text` is not pairs of hexadecimal digits.
    private static func bytes(_ text: Substring) -> [UInt8]? {
        let digits = text.map(\.hexDigitValue)
        guard digits.count % 2 == 0, text.utf8.count == digits.count else { return nil }
        var bytes: [UInt8] = []
        for index in stride(from: 0, to: digits.count, by: 2) {
            guard let high = digits[index], let low = digits[index + 1] else { return nil }
            bytes.append(UInt8(high << 4 | low))
        }
        return bytes
    }
}
