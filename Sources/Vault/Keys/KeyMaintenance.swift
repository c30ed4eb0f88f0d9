import Crypto

/// Steps on a vault's keys inside a store's transaction.
struct KeyMaintenance: Sendable {
    let keyring: Keyring
    let random: RandomPool

    /// What a vault has keys for, in the order of their ids.
    static let purposes: [KeyRecord.Purpose] = [.fingerprint, .data, .integrity, .audit, .operations, .responses]

    /// The keys of a new vault.
    static func newVault(
        _ envelope: KeyEnvelope, under master: MasterKey, random: RandomPool, now: Int64
    ) throws(VaultError) -> [KeyRecord] {
        var records: [KeyRecord] = []
        for (id, purpose) in zip(Int64(1)..., purposes) {
            var key = try crypto(try random.bytes(KeyEnvelope.keySize))
            defer { SecureWipe.wipe(&key) }
            records.append(
                try envelope.record(
                    of: key, id: id, purpose, createdAt: now, under: MasterKeys(current: master)))
        }
        return records
    }

    /// What is to be made beside an allotment of seals.
    enum Rotation: Sendable {
        /// A new data key only if the newest is too old or has made too many seals.
        case whenDue
        case dataKey
        /// A new fingerprint key too.
        case allKeys
    }

    /// Seals that may be made under a key.
    struct Allotment: Sendable {
        let key: DataKey
        let granted: Int64
        /// Whether the key was made for it.
        var isNew = false
        /// A fingerprint key that was made with it.
        var fingerprint: FingerprintKey?
    }

    /// Allots seals under the newest data key, or under a new one where that is due or asked for.
    ///
    /// While a change of the master key is under way that another process began, no key can be made, because it could not be wrapped
    /// under the key that is to follow: then the newest goes on being used, and a rotation that is asked for throws `unavailable`.
    func allot(
        _ uses: Int64, in transaction: any AliasTransaction, now: Int64, _ rotation: Rotation = .whenDue
    ) throws(VaultError) -> Allotment {
        let records = try transaction.keys()
        try keyring.follow(records)
        let block = keyring.policy.block(for: uses)
        guard let newest = records.last(where: { $0.purpose == .data }), let last = records.last else {
            throw .corrupt("the vault's keys are missing")
        }
        var masters = keyring.masters
        let isBeingChanged = records.contains { $0.pendingWrapped != nil }
        // Another process may have given the change up, or begun another one.
        if let next = masters.next, !keyring.envelope.isPending(newest, under: next) { masters.next = nil }
        let isBlocked = masters.next == nil && isBeingChanged
        if case .whenDue = rotation, let used = try keyWhileWaiting(for: newest, records) {
            return try allot(block, under: used, in: transaction)
        }
        if case .whenDue = rotation, isBlocked || keyring.policy.allows(newest, block: block, now: now) {
            return try allot(block, under: newest, in: transaction)
        }
        // A key that is wrapped under the old master key alone would be lost with it.
        guard !isBlocked else { throw .unavailable("the master key is being changed: restart with the new key first") }
        do { try wipe(keyring.envelope.open(newest, under: masters.current).key) } catch .wrongMasterKey {
            throw .unavailable("the master key was changed: restart with the new key first")
        }
        guard last.id < .max - 2 else { throw .corrupt("key \(last.id) has a number that was never given out") }
        var id = last.id
        var fingerprint: FingerprintKey?
        if case .allKeys = rotation {
            id += 1
            fingerprint = try makeKey(id, .fingerprint, under: masters, in: transaction, now: now) {
                (key) throws(CryptoError) in try FingerprintKey(id: id, createdAt: now, root: key, keyring.envelope)
            }
        }
        id += 1
        let made = try makeKey(id, .data, under: masters, in: transaction, now: now) { (key) throws(CryptoError) in
            try DataKey(id: id, createdAt: now, root: key, keyring.envelope)
        }
        guard let record = try transaction.keys().last(where: { $0.id == id }) else {
            throw .corrupt("the vault's keys are missing")
        }
        try transaction.update(record.allotting(block, made.metadata))
        return Allotment(key: made, granted: block, isNew: true, fingerprint: fingerprint)
    }

    /// The key to seal with while a newer one waits until all processes know it (``Keyring``); nil if none waits.
    private func keyWhileWaiting(for newest: KeyRecord, _ records: [KeyRecord]) throws(VaultError) -> KeyRecord? {
        guard keyring.waits else { return nil }
        let active = keyring.active.data.id
        return active < newest.id ? records.last { $0.id == active } : nil
    }

    private func allot(
        _ block: Int64, under record: KeyRecord, in transaction: any AliasTransaction
    ) throws(VaultError) -> Allotment {
        guard let key = keyring.key(record.id) else { throw .corrupt("there is no data key \(record.id)") }
        try key.metadata.check(record)
        try transaction.update(record.allotting(block, key.metadata))
        return Allotment(key: key, granted: block)
    }

    private func makeKey<Key>(
        _ id: Int64, _ purpose: KeyRecord.Purpose, under masters: MasterKeys, in transaction: any AliasTransaction,
        now: Int64, _ make: ([UInt8]) throws(CryptoError) -> Key
    ) throws(VaultError) -> Key {
        var bytes = try crypto(try random.bytes(KeyEnvelope.keySize))
        defer { SecureWipe.wipe(&bytes) }
        try transaction.insert(
            keyring.envelope.record(of: bytes, id: id, purpose, createdAt: now, under: masters))
        return try crypto(try make(bytes))
    }

    private func wipe(_ key: consuming [UInt8]) { SecureWipe.wipe(&key) }
}

extension KeyRecord {
    /// The same key with more seals allotted.
    func allotting(_ uses: Int64, _ metadata: KeyMetadata) throws(VaultError) -> KeyRecord {
        var record = self
        record.allottedUses += uses
        record.tag = try metadata.tag(
            id: id, purpose, createdAt: createdAt, allottedUses: record.allottedUses)
        return record
    }
}
