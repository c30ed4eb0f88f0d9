/// Steps on a vault's keys inside a store's transaction.
enum KeyMaintenance {
    /// The keys of a new vault: a fingerprint key and a first data key.
    static func make(
        under master: MasterKey, random: RandomPool, now: Int64
    ) throws(VaultError) -> [WrappedKey] {
        [
            try newKey(id: 1, .fingerprint, under: master, random: random, now: now),
            try newKey(id: 2, .data, under: master, random: random, now: now),
        ]
    }

    /// Sets seals aside under the newest data key, or under a new one where that is used up, too old, or a change is
    /// asked for.
    static func reserve(
        _ uses: Int64, in transaction: any AliasTransaction, keyring: Keyring, random: RandomPool, now: Int64,
        rotating: Bool = false
    ) throws(VaultError) -> (key: WrappedKey, granted: Int64) {
        let keys = try transaction.keys()
        let block = keyring.policy.block(for: uses)
        guard let newest = keys.last(where: { $0.purpose == .data }), let last = keys.last else {
            throw .corrupt("the vault's keys are missing")
        }
        if !rotating, keyring.policy.allows(newest, block: block, now: now) {
            let key = newest.reserving(block)
            try transaction.update(key)
            return (key, block)
        }
        let key = try newKey(id: last.id + 1, .data, under: keyring.master, random: random, now: now)
            .reserving(block)
        try transaction.insert(key)
        return (key, block)
    }

    private static func newKey(
        id: Int64, _ purpose: WrappedKey.Purpose, under master: MasterKey, random: RandomPool, now: Int64
    ) throws(VaultError) -> WrappedKey {
        var bytes = try random.bytes(32)
        defer { SecureWipe.wipe(&bytes) }
        return try KeyEnvelope.wrap(bytes, id: id, purpose: purpose, createdAt: now, under: master)
    }
}

extension WrappedKey {
    /// The same key with more seals set aside.
    func reserving(_ uses: Int64) -> WrappedKey {
        WrappedKey(
            id: id, purpose: purpose, wrapped: wrapped, createdAt: createdAt, reservedUses: reservedUses + uses)
    }
}
