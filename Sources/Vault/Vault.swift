import Crypto
import Sensitive
import Synchronization

/// Swaps values for aliases and back (DESIGN section 6). One vault serves all event loops of a process; none of its
/// functions blocks the thread that calls it.
public final class Vault: Sendable {
    /// How this vault behaves.
    public let configuration: VaultConfiguration

    let store: any AliasStore
    let keyring: Keyring
    let sealer: Sealer
    let volatile: VolatileStore
    let spaces: SpaceLedger
    /// `nil` where reuse is off or other processes write to the store.
    let cache: ReuseCache?
    let random: RandomPool
    let counters = VaultCounters()
    /// What is kept of answers; nil until somebody has counted.
    let answers = Mutex<CountedAnswers?>(nil)
    /// Seals volatile values; lives as long as the process.
    private let ephemeralKey: DataKey

    /// Opens the vault that `store` keeps, or makes a new one in an empty store.
    ///
    /// Throws `wrongMasterKey`, having written nothing, if the store's keys are wrapped with another one.
    public static func open(
        _ configuration: VaultConfiguration, masterKey: MasterKey, store: any AliasStore
    ) async throws(VaultError) -> Vault {
        let random = RandomPool()
        let now = configuration.clock.unixSeconds()
        var state = try await store.read { (reading) throws(VaultError) in
            (vaultID: try reading.vaultID(), keys: try reading.keys())
        }
        if state.vaultID == nil, state.keys.isEmpty {
            let isEmpty = try await store.read { (reading) throws(VaultError) in
                try reading.values(after: 0, notSealedBy: 0, limit: 1).isEmpty
            }
            guard isEmpty else { throw .corrupt("there are values, but no keys") }
            let keys = try KeyMaintenance.make(under: masterKey, random: random, now: now)
            let fresh = try crypto(try random.bytes(16))
            state = try await store.write { (transaction) throws(VaultError) in
                if try transaction.vaultID() == nil {
                    try transaction.insert(vaultID: fresh)
                    for key in keys { try transaction.insert(key) }
                }
                return (vaultID: try transaction.vaultID(), keys: try transaction.keys())
            }
        }
        guard let vaultID = state.vaultID, vaultID.count == 16 else { throw .corrupt("the vault has no id") }
        let policy = KeyPolicy(lifetime: configuration.dataKeyLifetime, uses: configuration.dataKeyUses)
        let keyring = try Keyring(state.keys, master: masterKey, policy: policy)
        return try Vault(configuration, store, keyring, Sealer(vaultID: vaultID, random: random))
    }

    private init(
        _ configuration: VaultConfiguration, _ store: any AliasStore, _ keyring: Keyring, _ sealer: Sealer
    ) throws(VaultError) {
        self.configuration = configuration
        self.store = store
        self.keyring = keyring
        self.sealer = sealer
        random = sealer.random
        spaces = SpaceLedger()
        volatile = VolatileStore(
            lifetime: configuration.volatileLifetime, capacity: configuration.volatileCapacity,
            clock: configuration.clock, spaces: spaces)
        let remembers = configuration.reuse && store.isExclusive && configuration.reuseCacheCapacity > 0
        cache = remembers ? ReuseCache(capacity: configuration.reuseCacheCapacity) : nil
        var bytes = try crypto(try random.bytes(32))
        defer { SecureWipe.wipe(&bytes) }
        ephemeralKey = try crypto(try DataKey(id: 0, createdAt: configuration.clock.unixSeconds(), key: bytes))
    }

    /// Whether there is no room for one more volatile value.
    public var isVolatileStorageFull: Bool { volatile.isFull }

    /// Drops volatile values that have expired. To be called now and then; expired values are unknown either way.
    public func sweep() {
        volatile.sweep()
    }

    // MARK: Sealing

    func open(_ record: ValueRecord) throws(VaultError) -> SensitiveText {
        try sealer.open(record.sealed, id: record.id, storage: .persistent, key: keyring.key(record.keyID))
    }

    func open(_ record: VolatileRecord) throws(VaultError) -> SensitiveText {
        try sealer.open(record.sealed, id: record.id, storage: .volatile, key: ephemeralKey)
    }

    func seal(_ value: WorkingValue) throws(VaultError) -> VolatileRecord {
        VolatileRecord(
            id: value.id,
            sealed: try sealer.seal(value.text, id: value.id, storage: .volatile, key: ephemeralKey),
            classifiers: value.classifiers, aliases: value.aliases, createdAt: value.createdAt, expiresAt: 0)
    }
}
