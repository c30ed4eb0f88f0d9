public import Access
import Crypto

extension SaltedHash {
    /// Hashes `secret` under a new salt. Takes a good part of a second.
    public init(of secret: String) throws(StartError) {
        do {
            try self.init(of: PresentedSecret(Array(secret.utf8)), salt: SystemRandomNumberGenerator.bytes(16))
        } catch {
            throw StartError("the secret cannot be hashed: \(error)")
        }
    }
}
