import Crypto

/// A key that seals values: three keys derived from one root.
final class DataKey: Sendable {
    let id: Int64
    let createdAt: Int64
    /// Seals.
    let cipher: XAES256GCM
    /// Makes nonces: see `Sealer`.
    let nonces: HMACSHA256
    /// Makes the tag of the key's own row.
    let metadata: KeyMetadata
    /// Shows, without telling anything of the key, whether two keys are the same: ten hexadecimal digits.
    let checkValue: String

    /// - Parameter root: the 32 bytes that are wrapped.
    init(id: Int64, createdAt: Int64, root: [UInt8], _ envelope: KeyEnvelope) throws(CryptoError) {
        self.id = id
        self.createdAt = createdAt
        var (seal, nonce) = (
            try envelope.subkey(of: root, "cloakroom/data/seal/3"),
            try envelope.subkey(of: root, "cloakroom/data/nonce/3")
        )
        defer {
            SecureWipe.wipe(&seal)
            SecureWipe.wipe(&nonce)
        }
        cipher = try XAES256GCM(key: seal)
        nonces = try HMACSHA256(key: nonce)
        metadata = try envelope.metadataKey(root)
        checkValue = try KeyCheck.value(of: root)
    }
}

/// Makes fingerprints.
struct FingerprintKey: Sendable {
    let id: Int64
    let createdAt: Int64
    let code: HMACSHA256

    /// - Parameter root: the 32 bytes that are wrapped.
    init(id: Int64, createdAt: Int64, root: [UInt8], _ envelope: KeyEnvelope) throws(CryptoError) {
        self.id = id
        self.createdAt = createdAt
        var key = try envelope.subkey(of: root, "cloakroom/fingerprint/3")
        defer { SecureWipe.wipe(&key) }
        code = try HMACSHA256(key: key)
    }
}

/// Makes the codes that bind what lies outside a seal.
struct IntegrityKeys: Sendable {
    let aliases: HMACSHA256
    let anchor: HMACSHA256
    let access: HMACSHA256

    /// - Parameter root: the 32 bytes that are wrapped.
    init(root: [UInt8], _ envelope: KeyEnvelope) throws(CryptoError) {
        func code(_ purpose: String) throws(CryptoError) -> HMACSHA256 {
            var key = try envelope.subkey(of: root, purpose)
            defer { SecureWipe.wipe(&key) }
            return try HMACSHA256(key: key)
        }
        aliases = try code("cloakroom/alias/3")
        anchor = try code("cloakroom/anchor/3")
        access = try code("cloakroom/access/3")
    }
}

/// Seals volatile values that several processes share, and names their aliases. Derived from the root of the codes, which all
/// processes have and which never changes: such a value lives shorter than a data key may linger.
struct SharedVolatileKeys: Sendable {
    let values: DataKey
    let names: HMACSHA256

    /// - Parameter root: the 32 bytes that are wrapped.
    init(root: [UInt8], _ envelope: KeyEnvelope) throws(CryptoError) {
        var (value, name) = (
            try envelope.subkey(of: root, "cloakroom/volatile/value/3"),
            try envelope.subkey(of: root, "cloakroom/volatile/name/3")
        )
        defer {
            SecureWipe.wipe(&value)
            SecureWipe.wipe(&name)
        }
        values = try DataKey(id: 0, createdAt: 0, root: value, envelope)
        names = try HMACSHA256(key: name)
    }
}

/// Key check values: 40 bits derived from a key, so that operators can compare keys without seeing them.
enum KeyCheck {
    static func value(of key: [UInt8]) throws(CryptoError) -> String {
        Hexadecimal.encode(try HKDF.key(from: key, purpose: Array("cloakroom/check/1".utf8), count: 5))
    }
}
