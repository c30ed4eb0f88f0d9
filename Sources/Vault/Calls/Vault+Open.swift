import Crypto

extension Vault {
    /// Opens the vault that `store` keeps, or makes a new one in an empty store. A store of format 2 is brought into format 3 first.
    ///
    /// If the keys are wrapped under `masterKey` as the one that is to follow (see `changeMasterKey`), the change stays under way until
    /// `completeMasterKeyChange`.
    ///
    /// Throws `wrongMasterKey`, having written nothing, if the store's keys are wrapped with another one; `corrupt` if keys or the vault's
    /// id are missing or were changed; `damaged` if a row is none that a vault wrote; `unavailable`, `overloaded` or `outcomeUnknown` if the
    /// store cannot be used.
    ///
    /// - Parameter sharedVolatile: where volatile values live; nil for the memory of this process.
    public static func open(
        _ configuration: VaultConfiguration, masterKey: MasterKey, store: any AliasStore,
        sharedVolatile: (any SharedVolatileStore)? = nil
    ) async throws(VaultError) -> Vault {
        let random = RandomPool()
        let storeClock = StoreClock(configuration.clock)
        if !store.isExclusive { try await storeClock.read(store) { _ in } }
        var configuration = configuration
        configuration.clock = storeClock.clock
        let now = configuration.clock.unixSeconds()
        let policy = KeyPolicy(lifetime: configuration.dataKeyLifetime, uses: configuration.dataKeyUses)
        let counters = VaultCounters()
        try await store.upgrade { (source) throws(VaultError) in
            try FormatUpgrade(
                source, master: masterKey, policy: policy, random: random, now: now, counters: counters)
        }
        // Of one state: between two another process may make the vault.
        var founding = try await store.read { (reading) throws(VaultError) in try Founding(reading) }
        if founding.vaultID == nil, founding.keys.isEmpty {
            guard !founding.hasValues else { throw .corrupt("there are values, but no keys") }
            founding = try await makeVault(masterKey, random, now, in: store)
        }
        guard let vaultID = founding.vaultID, vaultID.count == 16 else { throw .corrupt("the vault has no id") }
        let envelope = KeyEnvelope(vaultID: vaultID)
        let keyring = try Keyring(
            founding.keys, envelope, master: masterKey, policy: policy,
            lingering: store.isExclusive ? 0 : keyLingers, clock: configuration.clock)
        let vault = try Vault(
            configuration, store, storeClock, keyring, Sealer(vaultID: vaultID, random: random), counters,
            sharing: sharedVolatile)
        store.hasBeenOpened()
        return vault
    }

    /// What a store says of its vault, at one moment.
    private struct Founding: Sendable {
        let vaultID: [UInt8]?
        let keys: [KeyRecord]
        let hasValues: Bool

        init(_ reading: any AliasReading) throws(VaultError) {
            vaultID = try reading.vaultID()
            keys = try reading.keys()
            hasValues = try !reading.values(after: 0, notSealedUnder: 0, limit: 1).isEmpty
        }
    }

    /// Makes a vault, unless another process has just made one: then it is that one.
    private static func makeVault(
        _ masterKey: MasterKey, _ random: RandomPool, _ now: Int64, in store: any AliasStore
    ) async throws(VaultError) -> Founding {
        let id = try crypto(try random.bytes(16))
        let keys = try KeyMaintenance.newVault(KeyEnvelope(vaultID: id), under: masterKey, random: random, now: now)
        return try await store.write { (transaction) throws(VaultError) in
            if try transaction.vaultID() == nil {
                try transaction.insert(vaultID: id)
                for key in keys { try transaction.insert(key) }
            }
            return try Founding(transaction)
        }
    }
}
