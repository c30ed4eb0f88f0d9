import Sensitive

extension Vault {
    /// Whether there is no room for one more volatile value.
    public var isVolatileStorageFull: Bool {
        sharedVolatiles.map { $0.store.places >= configuration.volatileCapacity } ?? volatile.isFull
    }

    /// Whether other processes store and read the same volatile values.
    public var sharesVolatile: Bool { sharedVolatiles != nil }

    /// Why volatile values can't be stored or read; nil if they can. Asks nothing of the server that keeps them.
    public var volatileFailure: VaultError? { sharedVolatiles?.store.failure }

    /// Checks the server that keeps the volatile values, if there is one: its settings, and that it stores. To be called regularly.
    public func checkVolatile() async throws(VaultError) {
        guard let shared = sharedVolatiles else { return }
        shared.places.dropEnded()
        let began = configuration.clock.elapsedMilliseconds()
        try await shared.store.check(shared.vault)
        shared.places.keep(atMost: shared.store.places, from: began)
    }

    /// Retains `place` until this volatile alias ends; its `deinit` then frees it in the caller's share. If the alias does not live, or has
    /// a place already, `place` is not retained.
    ///
    /// - Parameters:
    ///   - further: retained until the value of the alias, which the alias was made for, ends.
    ///   - seconds: where other processes share the volatile values, after so many both are released in any case.
    public func keep(
        _ place: any AnyObject & Sendable, and further: FurtherPlaces? = nil, withVolatile alias: String,
        for seconds: Int64
    ) {
        if let shared = sharedVolatiles { return shared.places.keep(place, and: further, with: alias, for: seconds) }
        volatile.keep(place, and: further, with: alias)
    }

    /// Places that the volatile value behind an alias would take with these classifiers beside those that it has; 0 if the alias is none of
    /// a volatile value.
    public func furtherPlaces(
        of alias: String, with classifiers: [String], storage: Storage?
    ) async throws(VaultError) -> Int {
        if storage == .persistent { return 0 }
        let classifiers = classifiers.distinctByBytes
        guard classifiers.areSuitable else { throw .unsuitableClassifiers(item: nil) }
        if let record = volatile.record(alias: alias) { return record.furtherPlaces(with: classifiers) }
        guard let shared = sharedVolatiles, case let names = try await notStored([alias]), !names.isEmpty else {
            return 0
        }
        return try await shared.furtherPlaces(of: alias, with: classifiers)
    }

    /// Places that volatile values take in all, those of other processes too; nil if no other process has any here.
    public var sharedVolatilePlaces: Int? { sharedVolatiles?.store.places }

    /// Drops volatile values that have expired. To be called regularly; expired values are unknown either way.
    public func sweep() {
        volatile.sweep()
        sharedVolatiles?.places.dropEnded()
    }

    /// Drops some of them, so that what is kept with aliases that have ended is given back before a request is refused for want of it.
    public func sweepSome() {
        volatile.sweepSome()
        sharedVolatiles?.places.dropEnded()
    }

    func open(_ record: VolatileRecord) throws(VaultError) -> SensitiveText {
        try sealer.open(record.sealed, volatile: record.id, with: ephemeralKey)
    }

    /// The same, opened once for all aliases of a value that one request asks for.
    ///
    /// - Parameter opened: those that the request has opened, by their ids.
    func open(
        _ record: VolatileRecord, sharing opened: inout [Int64: SensitiveText]
    ) throws(VaultError) -> SensitiveText {
        if let known = opened[record.id] { return known }
        let text = try open(record)
        opened[record.id] = text
        return text
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
            classifiers: value.classifiers, aliases: value.aliases, size: value.text.exposed.utf8.count,
            createdAt: value.createdAt, endsAt: value.expiresAt, expiresAt: end)
    }
}
