import Crypto

/// Wrapping and unwrapping of a vault's keys. What is wrapped is purpose, id and key together, so that a wrapped key
/// that somebody moved to another row is not taken for that row's key.
enum KeyEnvelope {
    /// Wraps a new key.
    static func wrap(
        _ key: [UInt8], id: Int64, purpose: WrappedKey.Purpose, createdAt: Int64, reservedUses: Int64 = 0,
        under master: MasterKey
    ) throws(VaultError) -> WrappedKey {
        var secret = header(id: id, purpose: purpose) + key
        defer { SecureWipe.wipe(&secret) }
        let wrapped = try crypto(try master.wrap.wrap(secret))
        return WrappedKey(
            id: id, purpose: purpose, wrapped: wrapped, createdAt: createdAt, reservedUses: reservedUses)
    }

    /// The 32 bytes of a key. Throws `wrongMasterKey` if it was wrapped under another one.
    static func unwrap(_ key: WrappedKey, under master: MasterKey) throws(VaultError) -> [UInt8] {
        guard var secret = master.wrap.unwrap(key.wrapped) else { throw .wrongMasterKey }
        defer { SecureWipe.wipe(&secret) }
        let header = header(id: key.id, purpose: key.purpose)
        guard secret.count == header.count + 32, secret.starts(with: header) else {
            throw .corrupt("key \(key.id) is not the key that was stored under this number")
        }
        return Array(secret.dropFirst(header.count))
    }

    private static func header(id: Int64, purpose: WrappedKey.Purpose) -> [UInt8] {
        [purpose.rawValue] + bigEndian(id)
    }
}

/// The eight bytes of a number, most significant first.
func bigEndian(_ number: Int64) -> [UInt8] {
    withUnsafeBytes(of: number.bigEndian) { Array($0) }
}
