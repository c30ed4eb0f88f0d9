import Crypto

/// A key that seals values.
final class DataKey: Sendable {
    let id: Int64
    let createdAt: Int64
    let cipher: AES256GCM

    /// Takes the 32 bytes of the key.
    init(id: Int64, createdAt: Int64, key: [UInt8]) throws(CryptoError) {
        self.id = id
        self.createdAt = createdAt
        cipher = try AES256GCM(key: key)
    }
}
