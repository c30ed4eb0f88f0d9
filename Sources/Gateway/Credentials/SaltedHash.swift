import Crypto
import Sensitive

/// A secret that can be checked but not read: PBKDF2 with HMAC-SHA-256 (RFC 8018 section 5.2, NIST SP 800-132) under a
/// random salt. Written as `pbkdf2-sha256$<iterations>$<salt>$<hash>`, both in hexadecimal.
public struct SaltedHash: Sendable, CustomStringConvertible {
    private static let scheme = "pbkdf2-sha256"
    /// What OWASP's Password Storage Cheat Sheet asks of this function (2023).
    static let defaultIterations = 600_000

    private let iterations: Int
    private let salt: [UInt8]
    private let hash: [UInt8]

    /// Hashes `secret` under a new salt. Takes a good part of a second.
    public init(of secret: String) throws(StartError) {
        do { try self.init(of: SensitiveText(secret), iterations: Self.defaultIterations) } catch {
            throw StartError("the secret cannot be hashed: \(error)")
        }
    }

    init(of secret: SensitiveText, iterations: Int) throws(CryptoError) {
        var generator = SystemRandomNumberGenerator()
        salt = (0..<16).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        self.iterations = iterations
        hash = try Self.derive(from: secret, salt: salt, iterations: self.iterations)
    }

    /// Nil if `text` is not what `description` writes.
    public init?(_ text: String) {
        let parts = text.split(separator: "$", omittingEmptySubsequences: false)
        guard parts.count == 4, parts[0] == Self.scheme, let iterations = Int(parts[1]),
            (1_000...10_000_000).contains(iterations), let salt = Hexadecimal.decode(parts[2].utf8), salt.count >= 16,
            let hash = Hexadecimal.decode(parts[3].utf8), hash.count == 32
        else { return nil }
        self.iterations = iterations
        self.salt = salt
        self.hash = hash
    }

    /// Whether this is the hash of `secret`. Takes a good part of a second: never call it on a loop.
    func matches(_ secret: SensitiveText) -> Bool {
        guard let derived = try? Self.derive(from: secret, salt: salt, iterations: iterations) else { return false }
        return ConstantTime.equal(derived, hash)
    }

    /// The first and only block of PBKDF2: as many bytes as HMAC-SHA-256 gives.
    static func derive(
        from secret: SensitiveText, salt: [UInt8], iterations: Int
    ) throws(CryptoError) -> [UInt8] {
        let code = try HMACSHA256(key: Array(secret.exposed.utf8))
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
