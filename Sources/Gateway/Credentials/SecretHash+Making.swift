import Access
public import Configuration

extension SecretHash {
    /// Hashes `secret` under a new salt. Takes a good part of a second.
    public init(of secret: String) throws(StartError) {
        var generator = SystemRandomNumberGenerator()
        let salt = (0..<16).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        let hash: SaltedHash
        do { hash = try SaltedHash(of: PresentedSecret(Array(secret.utf8)), salt: salt) } catch {
            throw StartError("the secret cannot be hashed: \(error)")
        }
        guard let text = SecretHash(hash.description) else { throw StartError("the secret cannot be hashed") }
        self = text
    }
}
