import Crypto

/// Wrapping of a vault's keys under its master key, and the tags of their rows.
///
/// What is wrapped is format, purpose, id, creation, vault id and key together, so that a wrapped key that was moved to another
/// row or another vault does not unwrap as that row's key. What changes while the wrapped form does not, the allotted uses, is
/// covered by the row's tag, under a key derived from the wrapped one.
struct KeyEnvelope: Sendable {
    static let keySize = 32
    private static let format: UInt8 = 3

    let vaultID: [UInt8]

    /// The record of a new key.
    func record(
        of key: [UInt8], id: Int64, _ purpose: KeyRecord.Purpose, createdAt: Int64, under masters: MasterKeys
    ) throws(VaultError) -> KeyRecord {
        let wrapped = try wrap(key, id, purpose, createdAt, under: masters.current)
        var pending: [UInt8]?
        if let next = masters.next { pending = try wrap(key, id, purpose, createdAt, under: next) }
        let tag = try crypto(try metadataKey(key)).tag(id: id, purpose, createdAt: createdAt, allottedUses: 0)
        return KeyRecord(
            id: id, purpose: purpose, wrapped: wrapped, pendingWrapped: pending, createdAt: createdAt, allottedUses: 0,
            tag: tag)
    }

    /// The key of a record, and whether it is wrapped under `master` as the key that is to follow. Throws `wrongMasterKey` if it is
    /// not wrapped under it, `corrupt` if its row was changed.
    func open(_ record: KeyRecord, under master: MasterKey) throws(VaultError) -> (key: [UInt8], isPending: Bool) {
        if let key = try unwrap(record.wrapped, of: record, under: master) { return (key, false) }
        guard let pending = record.pendingWrapped, let key = try unwrap(pending, of: record, under: master) else {
            throw .wrongMasterKey
        }
        return (key, true)
    }

    /// Whether a record's key is wrapped under `master` as the one that is to follow.
    func isPending(_ record: KeyRecord, under master: MasterKey) -> Bool {
        guard var found = try? open(record, under: master) else { return false }
        SecureWipe.wipe(&found.key)
        return found.isPending
    }

    /// The record with its key wrapped under one more master key, which is to follow the one that it is wrapped under; nil if none is.
    func preparing(
        _ record: KeyRecord, for next: MasterKey?, under master: MasterKey
    ) throws(VaultError) -> KeyRecord {
        var (key, _) = try open(record, under: master)
        defer { SecureWipe.wipe(&key) }
        var record = record
        record.wrapped = try wrap(key, record.id, record.purpose, record.createdAt, under: master)
        record.pendingWrapped = nil
        if let next { record.pendingWrapped = try wrap(key, record.id, record.purpose, record.createdAt, under: next) }
        return record
    }

    /// Makes the codes of a key's row.
    func metadataKey(_ key: [UInt8]) throws(CryptoError) -> KeyMetadata {
        var subkey = try subkey(of: key, "cloakroom/key/metadata/3")
        defer { SecureWipe.wipe(&subkey) }
        return KeyMetadata(code: try HMACSHA256(key: subkey))
    }

    /// A key for one use, derived from one of the vault's roots (`HKDF` with the vault's id as the salt).
    func subkey(of root: [UInt8], _ purpose: String) throws(CryptoError) -> [UInt8] {
        try HKDF.key(from: root, salt: vaultID, purpose: Array(purpose.utf8))
    }

    private func wrap(
        _ key: [UInt8], _ id: Int64, _ purpose: KeyRecord.Purpose, _ createdAt: Int64, under master: MasterKey
    ) throws(VaultError) -> [UInt8] {
        var secret = header(id, purpose, createdAt) + key
        defer { SecureWipe.wipe(&secret) }
        return try crypto(try master.wrap.wrap(secret))
    }

    /// Nil if it was wrapped under another master key.
    private func unwrap(
        _ wrapped: [UInt8], of record: KeyRecord, under master: MasterKey
    ) throws(VaultError) -> [UInt8]? {
        guard var secret = master.wrap.unwrap(wrapped) else { return nil }
        defer { SecureWipe.wipe(&secret) }
        let header = header(record.id, record.purpose, record.createdAt)
        guard secret.count == header.count + Self.keySize, secret.starts(with: header) else {
            throw .corrupt("key \(record.id) is not the key that was stored under this number")
        }
        var key = Array(secret.dropFirst(header.count))
        do { try crypto(try metadataKey(key)).check(record) } catch {
            SecureWipe.wipe(&key)
            throw error
        }
        return key
    }

    private func header(_ id: Int64, _ purpose: KeyRecord.Purpose, _ createdAt: Int64) -> [UInt8] {
        [Self.format, purpose.rawValue] + id.bigEndianBytes + createdAt.bigEndianBytes + vaultID
    }
}

/// Makes and checks the tag of one key's row.
struct KeyMetadata: Sendable {
    let code: HMACSHA256

    func tag(
        id: Int64, _ purpose: KeyRecord.Purpose, createdAt: Int64, allottedUses: Int64
    ) throws(VaultError) -> RecordTag {
        let message =
            [purpose.rawValue] + id.bigEndianBytes + createdAt.bigEndianBytes + allottedUses.bigEndianBytes
        return RecordTag(try crypto(try code.code(prefix: message, message: [])))
    }

    /// Throws `corrupt` if the row was changed.
    func check(_ record: KeyRecord) throws(VaultError) {
        let right = try tag(
            id: record.id, record.purpose, createdAt: record.createdAt, allottedUses: record.allottedUses)
        guard right.matches(record.tag) else { throw .corrupt("the row of key \(record.id) was changed") }
    }
}
