import Access
import Crypto
import Vault

/// The keys of sessions and of the digests of guesses: derived from a root key of the vault, so that all processes of a shared vault have
/// the same.
struct AccessKeys: Sendable {
    /// What `HKDF` gets as its salt, so that no derived key equals a key that is made of the same root elsewhere.
    private static let salt = Array("cloakroom access v1".utf8)

    let session: SessionKey
    /// 32 bytes.
    let guesses: [UInt8]

    /// - Parameter root: ``RootKey/operations`` of the vault.
    init(root: [UInt8]) throws(CryptoError) {
        session = try SessionKey(HKDF.key(from: root, salt: Self.salt, purpose: SessionKey.purpose))
        guesses = try HKDF.key(from: root, salt: Self.salt, purpose: GuessCounter.purpose)
    }
}
