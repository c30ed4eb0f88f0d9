public import Crypto

/// A secret that can be checked but not read: PBKDF2 with HMAC-SHA-256 (RFC 8018 section 5.2, NIST SP 800-132) under a
/// random salt. Written as `pbkdf2-sha256$<iterations>$<salt>$<hash>`, both in hexadecimal.
public struct SaltedHash: Equatable, Sendable, CustomStringConvertible {
    private static let scheme = "pbkdf2-sha256"
    /// What OWASP's Password Storage Cheat Sheet asks of this function (2023).
    public static let defaultIterations = 600_000

    /// How many rounds a hash may have: fewer protect nothing, more would keep a thread for seconds.
    private static let rounds = 1_000...10_000_000

    /// Rounds: what an attacker pays for a try, and the gateway for the first one of each caller.
    public let iterations: Int
    private let salt: [UInt8]
    private let hash: [UInt8]

    /// Hashes `secret`. With the default number of iterations it takes a good part of a second.
    ///
    /// - Parameters:
    ///   - salt: 16 random bytes.
    ///   - iterations: from 1,000 to 10,000,000, as in a text.
    public init(of secret: PresentedSecret, salt: [UInt8], iterations: Int = defaultIterations) throws(CryptoError) {
        guard salt.count >= 16 else { throw .unsuitableLength("salt") }
        guard Self.rounds.contains(iterations) else { throw .unsuitableLength("rounds of a salted hash") }
        self.salt = salt
        self.iterations = iterations
        hash = try Self.derive(from: secret, salt: salt, iterations: iterations)
    }

    /// Nil if `text` is not what `description` returns.
    public init?(_ text: String) {
        let parts = text.split(separator: "$", omittingEmptySubsequences: false)
        guard parts.count == 4, parts[0] == Self.scheme, let iterations = Int(parts[1]),
            Self.rounds.contains(iterations), let salt = Hexadecimal.decode(parts[2].utf8), salt.count >= 16,
            let hash = Hexadecimal.decode(parts[3].utf8), hash.count == 32
        else { return nil }
        self.iterations = iterations
        self.salt = salt
        self.hash = hash
    }

    /// Whether this is the hash of `secret`. Takes a good part of a second: never call it on a loop.
    public func matches(_ secret: PresentedSecret) -> Bool {
        guard let derived = try? Self.derive(from: secret, salt: salt, iterations: iterations) else { return false }
        return ConstantTime.equal(derived, hash)
    }

    /// The first and only block of PBKDF2: as many bytes as HMAC-SHA-256 gives.
    static func derive(
        from secret: PresentedSecret, salt: [UInt8], iterations: Int
    ) throws(CryptoError) -> [UInt8] {
        let code = try HMACSHA256(key: secret.bytes)
        var link = try code.code(for: salt + [0, 0, 0, 1])
        var result = link
        for _ in 1..<max(iterations, 1) {
            link = try code.code(for: link)
            for index in result.indices { result[index] ^= link[index] }
        }
        return result
    }

    public var description: String {
        "\(Self.scheme)$\(iterations)$\(Hexadecimal.encode(salt))$\(Hexadecimal.encode(hash))"
    }
}
