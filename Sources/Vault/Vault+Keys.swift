import Crypto

/// A data key as `keys status` shows it.
public struct KeyStatus: Sendable {
    /// The key's number.
    public let id: Int64
    /// Unix seconds.
    public let createdAt: Int64
    /// Seals set aside under it, used or not.
    public let reservedUses: Int64
    /// Whether it seals new values.
    public let isActive: Bool
}

extension Vault {
    /// The data keys, oldest first.
    public func keyStatus() async throws(VaultError) -> [KeyStatus] {
        let keys = try await store.read { (reading) throws(VaultError) in try reading.keys() }
        if isShared { try keyring.learn(keys) }
        let active = keyring.active.id
        return keys.filter { $0.purpose == .data }.map {
            KeyStatus(id: $0.id, createdAt: $0.createdAt, reservedUses: $0.reservedUses, isActive: $0.id == active)
        }
    }

    /// Makes a new data key for what is written from now on.
    public func rotateKey() async throws(VaultError) {
        try await reserve(0, now: configuration.clock.unixSeconds(), rotating: true)
    }

    /// Seals values of older keys again under the active one, a batch at a time, beginning after the value `cursor`.
    /// Returns the cursor to go on with, or `nil` when no value is left under an older key and those keys are removed.
    ///
    /// Can be stopped and begun again at any time, from 0 or from the last cursor: a value's own row says which key it
    /// is under. Serving goes on meanwhile.
    public func rewrap(after cursor: Int64 = 0, batch: Int = 256) async throws(VaultError) -> Int64? {
        try await catchUp()
        try await setSealsAside(Int64(batch), now: configuration.clock.unixSeconds())
        let active = keyring.active
        let last = try await store.write { [self] (transaction) throws(VaultError) -> Int64? in
            // Nothing is to be sealed again under a key that another process has just replaced.
            if isShared, try transaction.keys().last(where: { $0.purpose == .data })?.id != active.id { return cursor }
            let records = try transaction.values(after: cursor, notSealedBy: active.id, limit: batch)
            try learnKeys(records.lazy.map(\.keyID), transaction)
            for var record in records {
                let value = try open(record)
                record.sealed = try sealer.seal(value, id: record.id, storage: .persistent, key: active)
                record.keyID = active.id
                try transaction.update(record)
            }
            return records.last?.id
        }
        if let last { return last }
        try await removeUnusedKeys(but: active)
        return nil
    }

    /// Wraps all keys under another master key; no value is touched.
    public func changeMasterKey(to master: MasterKey) async throws(VaultError) {
        let current = keyring.master
        try await store.write { (transaction) throws(VaultError) in
            for key in try transaction.keys() {
                var bytes = try KeyEnvelope.unwrap(key, under: current)
                defer { SecureWipe.wipe(&bytes) }
                try transaction.update(
                    KeyEnvelope.wrap(
                        bytes, id: key.id, purpose: key.purpose, createdAt: key.createdAt,
                        reservedUses: key.reservedUses, under: master))
            }
        }
        keyring.replaceMaster(master)
    }

    /// Makes sure that `uses` seals are set aside in the store before they are made.
    func setSealsAside(_ uses: Int64, now: Int64) async throws(VaultError) {
        guard !keyring.spend(uses, now: now) else { return }
        try await reserve(uses, now: now, rotating: false)
        _ = keyring.spend(uses, now: now)
    }

    private func reserve(_ uses: Int64, now: Int64, rotating: Bool) async throws(VaultError) {
        let reserved = try await store.write { [self] (transaction) throws(VaultError) in
            try KeyMaintenance.reserve(
                uses, in: transaction, keyring: keyring, random: random, now: now, rotating: rotating)
        }
        try keyring.adopt(reserved)
    }

    private func removeUnusedKeys(but active: DataKey) async throws(VaultError) {
        let isFresh = configuration.clock.unixSeconds() - active.createdAt < Self.keyLingers
        guard !isShared || !isFresh else { return }
        let active = active.id
        let removed = try await store.write { (transaction) throws(VaultError) in
            var removed: [Int64] = []
            for key in try transaction.keys() where key.purpose == .data && key.id < active {
                guard try !transaction.hasValues(sealedBy: key.id) else { continue }
                try transaction.delete(key: key.id)
                removed.append(key.id)
            }
            return removed
        }
        for id in removed { keyring.remove(id) }
    }
}
