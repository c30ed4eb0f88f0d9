import Access
public import Configuration
import Crypto

extension SecretHash {
    /// Hashes `secret` under a new salt. Takes a good part of a second.
    public init(of secret: String) throws(StartError) {
        let hash: SaltedHash
        do {
            hash = try SaltedHash(
                of: PresentedSecret(Array(secret.utf8)), salt: SystemRandomNumberGenerator.bytes(16))
        } catch {
            throw StartError("the secret cannot be hashed: \(error)")
        }
        guard let text = SecretHash(hash.description) else { throw StartError("the secret cannot be hashed") }
        self = text
    }
}
