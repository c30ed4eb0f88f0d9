import Crypto

/// Keys for other uses than values, made from the vault's fingerprint key, which stays the same for as long as the vault:
/// whoever holds the master key can make them, and nobody else.
public enum DerivedKey: String, Sendable {
    /// Chains the lines of the audit log.
    case audit = "cloakroom/key/audit/1"
    /// Proves to a running process that a command holds the master key.
    case operations = "cloakroom/key/operations/1"
    /// Names answers that are kept for repeated requests.
    case answers = "cloakroom/key/answers/1"

    /// HMAC-SHA-256 under the fingerprint key (NIST SP 800-108, one block). Fingerprints are made by the same key over
    /// texts that begin with the vault's id: no such text is one of these, but by a chance of 2^-128.
    func bytes(_ fingerprints: HMACSHA256, vaultID: [UInt8]) throws(VaultError) -> [UInt8] {
        try crypto(try fingerprints.code(for: Array(rawValue.utf8) + vaultID))
    }

    /// The key of a vault that is not opened: from what its store holds. Throws `wrongMasterKey` and `corrupt`.
    public func bytes(
        vaultID: [UInt8], keys: [WrappedKey], masterKey: MasterKey
    ) throws(VaultError) -> [UInt8] {
        guard let wrapped = keys.first(where: { $0.purpose == .fingerprint }) else {
            throw .corrupt("the vault's keys are missing")
        }
        var key = try KeyEnvelope.unwrap(wrapped, under: masterKey)
        defer { SecureWipe.wipe(&key) }
        return try bytes(crypto(try HMACSHA256(key: key)), vaultID: vaultID)
    }
}

extension Vault {
    /// A key for another use, the same for as long as this vault exists.
    public func key(for use: DerivedKey) throws(VaultError) -> [UInt8] {
        try use.bytes(keyring.fingerprints, vaultID: sealer.vaultID)
    }
}
