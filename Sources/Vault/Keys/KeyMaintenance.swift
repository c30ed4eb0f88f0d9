import Crypto

/// Steps on a vault's keys inside a store's transaction.
enum KeyMaintenance {
    /// The keys of a new vault: a fingerprint key and a first data key.
    static func make(
        under master: MasterKey, random: RandomPool, now: Int64
    ) throws(VaultError) -> [WrappedKey] {
        [
            try newKey(id: 1, .fingerprint, under: master, random: random, now: now).wrapped,
            try newKey(id: 2, .data, under: master, random: random, now: now).wrapped,
        ]
    }

    /// Seals that were set aside.
    struct Reservation: Sendable {
        /// Under which key.
        let key: WrappedKey
        let granted: Int64
        /// The key itself, if it was made for this: by now the vault may hold another master key than it was wrapped under.
        let made: DataKey?
    }

    /// Sets seals aside under the newest data key, or under a new one where that is used up, too old, or a change is
    /// asked for. Throws `unavailable` while another master key is being put in place, under which a new key would have to be
    /// wrapped: the store has it already, and the keyring has not.
    static func reserve(
        _ uses: Int64, in transaction: any AliasTransaction, keyring: Keyring, random: RandomPool, now: Int64,
        rotating: Bool = false
    ) throws(VaultError) -> Reservation {
        let keys = try transaction.keys()
        let block = keyring.policy.block(for: uses)
        guard let newest = keys.last(where: { $0.purpose == .data }), let last = keys.last else {
            throw .corrupt("the vault's keys are missing")
        }
        if !rotating, keyring.policy.allows(newest, block: block, now: now) {
            let key = newest.reserving(block)
            try transaction.update(key)
            return Reservation(key: key, granted: block, made: nil)
        }
        let master = keyring.master
        do {
            var bytes = try KeyEnvelope.unwrap(newest, under: master)
            SecureWipe.wipe(&bytes)
        } catch .wrongMasterKey { throw .unavailable("the master key is being changed") }
        let new = try newKey(id: last.id + 1, .data, under: master, random: random, now: now)
        let key = new.wrapped.reserving(block)
        try transaction.insert(key)
        return Reservation(key: key, granted: block, made: new.key)
    }

    private static func newKey(
        id: Int64, _ purpose: WrappedKey.Purpose, under master: MasterKey, random: RandomPool, now: Int64
    ) throws(VaultError) -> (wrapped: WrappedKey, key: DataKey) {
        var bytes = try crypto(try random.bytes(32))
        defer { SecureWipe.wipe(&bytes) }
        let wrapped = try KeyEnvelope.wrap(bytes, id: id, purpose: purpose, createdAt: now, under: master)
        return (wrapped, try crypto(try DataKey(id: id, createdAt: now, key: bytes)))
    }
}

extension WrappedKey {
    /// The same key with more seals set aside.
    func reserving(_ uses: Int64) -> WrappedKey {
        WrappedKey(
            id: id, purpose: purpose, wrapped: wrapped, createdAt: createdAt, reservedUses: reservedUses + uses)
    }
}
