public import Configuration
import Crypto
import Sensitive

extension SecretHash {
    /// What OWASP's Password Storage Cheat Sheet asks of this function (2023).
    static let defaultIterations = 600_000

    /// Hashes `secret` under a new salt. Takes a good part of a second.
    public init(of secret: String) throws(StartError) {
        do { try self.init(of: SensitiveText(secret), iterations: Self.defaultIterations) } catch {
            throw StartError("the secret cannot be hashed: \(error)")
        }
    }

    init(of secret: SensitiveText, iterations: Int) throws(CryptoError) {
        var generator = SystemRandomNumberGenerator()
        let salt = (0..<16).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        let hash = try Self.derive(from: secret, salt: salt, iterations: iterations)
        self.init(iterations: iterations, salt: salt, hash: hash)
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
}
