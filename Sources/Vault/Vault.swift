import Crypto
import Sensitive
import Synchronization

/// Swaps values for aliases and back (docs/architecture.md). One vault serves all event loops of a process; none of its
/// functions blocks the thread that calls it.
public final class Vault: Sendable {
    /// How this vault behaves. Its clock is the store's, if that has one.
    public let configuration: VaultConfiguration

    let store: any AliasStore
    let keyring: Keyring
    let sealer: Sealer
    let volatile: VolatileStore
    /// Where volatile values live if other processes share them; then `volatile` is empty.
    let sharedVolatiles: SharedVolatiles?
    let spaces: SpaceLedger
    /// `nil` where reuse is off or other processes write to the store.
    let cache: ReuseCache?
    /// Whether it pays to look for values that other processes may have stored.
    let recalls = RecallRate()
    let random: RandomPool
    let counters: VaultCounters
    /// How much is stored of responses; nil until it was counted.
    let responses = Mutex<CountedResponses?>(nil)
    /// Claims of requests that were not carried out, which are in the store still, or may be.
    let owedReleases = Mutex<[[UInt8]: OwedRelease]>([:])
    /// Keys that were made because the one before was due.
    let rotations = Mutex<[Int64]>([])
    let erasureNotes: ErasureNotes
    let storeClock: StoreClock
    /// Seals volatile values; lives as long as the process.
    let ephemeralKey: DataKey

    /// Puts the parts together; `open` makes them.
    init(
        _ configuration: VaultConfiguration, _ store: any AliasStore, _ clock: StoreClock, _ keyring: Keyring,
        _ sealer: Sealer, _ counters: VaultCounters, sharing sharedStore: (any SharedVolatileStore)? = nil
    ) throws(VaultError) {
        self.configuration = configuration
        self.store = store
        storeClock = clock
        self.keyring = keyring
        self.sealer = sealer
        self.counters = counters
        random = sealer.random
        spaces = SpaceLedger()
        volatile = VolatileStore(
            lifetime: configuration.volatileLifetime, capacity: configuration.volatileCapacity,
            clock: configuration.clock, spaces: spaces)
        sharedVolatiles = sharedStore.map { SharedVolatiles($0, sealer, keyring.sharedVolatile, configuration) }
        let remembers = configuration.reuse && store.isExclusive && configuration.reuseCacheCapacity > 0
        cache = remembers ? ReuseCache(capacity: configuration.reuseCacheCapacity) : nil
        erasureNotes = try ErasureNotes(root: keyring.root(.responses))
        var root = try crypto(try random.bytes(KeyEnvelope.keySize))
        defer { SecureWipe.wipe(&root) }
        ephemeralKey = try crypto(
            try DataKey(id: 0, createdAt: configuration.clock.unixSeconds(), root: root, keyring.envelope))
    }

    /// Whether other processes write to its store.
    public var isShared: Bool { !store.isExclusive }

    /// Reads from the store what is opened there and then: under keys that stay until it returns.
    func read<Result: Sendable>(
        _ work: @escaping @Sendable (any AliasReading) throws(VaultError) -> Result
    ) async throws(VaultError) -> Result {
        let use = keyring.beginUse()
        defer { keyring.endUse(use) }
        return try await store.read(work)
    }

    /// Runs a change in the store. If its outcome is unknown, everything is forgotten that is remembered of what is stored.
    ///
    /// - Parameter limit: how long it may wait; nil for what must not be refused.
    func write<Result: Sendable>(
        within limit: WaitLimit? = nil,
        _ work: @escaping @Sendable (any AliasTransaction) throws(VaultError) -> Result
    ) async throws(VaultError) -> Result {
        let use = keyring.beginUse()
        defer { keyring.endUse(use) }
        do { return try await store.write(within: limit, work) } catch {
            if case .outcomeUnknown = error {
                cache?.removeAll()
                responses.withLock { $0 = nil }
            }
            throw error
        }
    }
}

/// How much is stored of responses, as it was counted and then kept up to date by what this process does.
struct CountedResponses: Sendable {
    var totals: ResponseTotals
    /// Until when it holds where other processes store responses too: milliseconds of the elapsed time.
    let end: Int64
}
