import Sensitive

extension Vault {
    /// Whether there is no room for one more volatile value.
    public var isVolatileStorageFull: Bool {
        sharedVolatiles.map { $0.store.count >= configuration.volatileCapacity } ?? volatile.isFull
    }

    /// Whether other processes store and read the same volatile values.
    public var sharesVolatile: Bool { sharedVolatiles != nil }

    /// Why volatile values can't be stored or read; nil if they can. Asks nothing of the server that keeps them.
    public var volatileFailure: VaultError? { sharedVolatiles?.store.failure }

    /// Checks the server that keeps the volatile values, if there is one: its settings, and that it stores. To be called regularly.
    public func checkVolatile() async throws(VaultError) {
        guard let shared = sharedVolatiles else { return }
        shared.leases.dropEnded()
        let began = configuration.clock.elapsedMilliseconds()
        try await shared.store.check(shared.vault)
        shared.leases.keep(atMost: shared.store.count, from: began)
    }

    /// Keeps `lease` for as long as this volatile alias lives: its end is how the caller's share of the places learns of the alias's. An
    /// alias that does not live, or that has a lease already, keeps nothing.
    ///
    /// - Parameter seconds: where other processes share the volatile values, after so many it is not kept any more.
    public func keep(_ lease: any AnyObject & Sendable, withVolatile alias: String, for seconds: Int64) {
        if let shared = sharedVolatiles { return shared.leases.keep(lease, with: alias, for: seconds) }
        volatile.keep(lease, with: alias)
    }

    /// How many volatile aliases live in all, those of other processes too; nil if no other process has any here.
    public var sharedVolatileAliases: Int? { sharedVolatiles?.store.count }

    /// Drops volatile values that have expired. To be called regularly; expired values are unknown either way.
    public func sweep() {
        volatile.sweep()
        sharedVolatiles?.leases.dropEnded()
    }

    /// Drops some of them, so that what is kept with aliases that have ended is given back before a request is refused for want of it.
    public func sweepSome() {
        volatile.sweepSome()
        sharedVolatiles?.leases.dropEnded()
    }

    func open(_ record: VolatileRecord) throws(VaultError) -> SensitiveText {
        try sealer.open(record.sealed, volatile: record.id, with: ephemeralKey)
    }

    /// The record of a new value. Its own end counts only if it comes before the vault's.
    func seal(_ value: WorkingValue) throws(VaultError) -> VolatileRecord {
        var end = Int64.max
        if let expiresAt = value.expiresAt {
            let seconds = min(max(0, expiresAt), 1 << 40)
            let left = max(0, seconds * 1_000 - configuration.clock.unixMilliseconds())
            end = configuration.clock.elapsedMilliseconds() + left
        }
        return VolatileRecord(
            id: value.id, sealed: try sealer.seal(value.text, volatile: value.id, under: ephemeralKey),
            classifiers: value.classifiers, aliases: value.aliases, createdAt: value.createdAt,
            endsAt: value.expiresAt, expiresAt: end)
    }
}
