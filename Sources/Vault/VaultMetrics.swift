import Synchronization

/// What a vault has done since it was opened, and how full it is: plain numbers for a metrics page.
public struct VaultMetrics: Sendable {
    /// Items that `create` has returned aliases for.
    public var created = 0
    /// Those of them that needed no commit: their aliases were remembered, or read from a shared store.
    public var remembered = 0
    /// Aliases deleted.
    public var deleted = 0
    /// Reads that found a record which is not what this vault wrote.
    public var damaged = 0
    /// Volatile aliases alive.
    public var volatileAliases = 0
    /// How full the fullest known narrow space of each format is, 0–1 (`docs/reference/vault-api.md` section 6, exhaustion).
    public var fullness: [AliasFormat: Double] = [:]
}

/// The counters behind `VaultMetrics`.
final class VaultCounters: Sendable {
    private let createdItems = Atomic(0)
    private let rememberedItems = Atomic(0)
    private let deletedAliases = Atomic(0)

    init() {}

    func created(_ count: Int, remembered: Int) {
        createdItems.wrappingAdd(count, ordering: .relaxed)
        rememberedItems.wrappingAdd(remembered, ordering: .relaxed)
    }

    private let damagedReads = Atomic(0)

    func foundDamage(_ rows: Int = 1) { damagedReads.wrappingAdd(rows, ordering: .relaxed) }

    func deleted(_ count: Int) { deletedAliases.wrappingAdd(count, ordering: .relaxed) }

    func read(into metrics: inout VaultMetrics) {
        metrics.created = createdItems.load(ordering: .relaxed)
        metrics.remembered = rememberedItems.load(ordering: .relaxed)
        metrics.deleted = deletedAliases.load(ordering: .relaxed)
        metrics.damaged = damagedReads.load(ordering: .relaxed)
    }
}

extension Vault {
    /// The figures as they are now: what has expired is not among them.
    public var metrics: VaultMetrics {
        volatile.sweep()
        var metrics = VaultMetrics()
        counters.read(into: &metrics)
        metrics.volatileAliases = sharedVolatiles?.store.count ?? volatile.count
        metrics.fullness = spaces.fullness
        return metrics
    }
}
