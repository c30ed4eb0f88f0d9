import Synchronization

/// The values that live in memory only, and the place where it is decided who gets an alias.
///
/// Values are kept sealed under a key that is made at start and never leaves the process, rather than in locked pages:
/// one small key is then all that a core dump or a swapped page could give away, the number of values is not bound by
/// `RLIMIT_MEMLOCK`, and a residue scan finds no value in the clear.
///
/// An alias must be free in both storages at once. The race between a persistent request that looks here and a
/// volatile one that looks into the store is closed by reserving first and looking elsewhere afterwards: a
/// persistent request reserves an alias here before it inserts it and keeps the reservation until its commit is visible; a
/// volatile request reserves it here before it asks the store. Of two that want the same alias, the later one to come
/// here finds the reservation of the other, or, when that is gone, the other's committed row.
final class VolatileStore: Sendable {
    private let state: Mutex<VolatileState>
    private let clock: VaultClock
    private let lifetime: Int64
    private let spaces: SpaceLedger

    init(lifetime: Int64, capacity: Int, clock: VaultClock, spaces: SpaceLedger) {
        state = Mutex(VolatileState(capacity: capacity))
        // A thousand years are enough, and no sum overflows.
        self.lifetime = min(max(0, lifetime), 1 << 45)
        self.clock = clock
        self.spaces = spaces
    }

    /// How many volatile aliases are alive or about to be.
    var count: Int { state.withLock { $0.count } }

    /// Whether there is no room for one more.
    var isFull: Bool { withState { state, _ in state.isFull } }

    /// Drops everything that has expired, letting others in between.
    func sweep() {
        while withState(dropping: 1_024, { state, now in state.hasExpired(now: now) }) {}
    }

    /// Drops as much of it as every access does.
    func sweepSome() { withState { _, _ in } }

    /// An id for a new value.
    func nextID() -> Int64 { state.withLock { $0.nextID() } }

    /// Reserves an alias that is about to become persistent; `false` if it is taken here.
    func reservePersistent(_ alias: String) -> Bool {
        withState { state, now in state.reservePersistent(alias, now: now) }
    }

    /// Reserves an alias that is about to become volatile; `false` if it is taken here. Throws `volatileStorageFull`
    /// if there is no room for one more, and `tooManyAliases` if there is none for the value.
    ///
    /// - Parameters:
    ///   - id: of the value.
    ///   - further: places of a new value beside those of its aliases.
    ///   - item: that asks for it.
    func reserveVolatile(_ alias: String, of id: Int64, further: Int, item: Int) throws(VaultError) -> Bool {
        switch withState({ state, now in state.reserveVolatile(alias, of: id, further: further, now: now) }) {
        case .reserved: return true
        case .taken: return false
        case .noRoom: throw .volatileStorageFull
        case .tooMany: throw .tooManyAliases(item: item)
        }
    }

    /// Takes reservations of both kinds back.
    func release(persistent: [String], volatile: [String]) {
        guard !persistent.isEmpty || !volatile.isEmpty else { return }
        state.withLock { $0.release(persistent: persistent, volatile: volatile) }
    }

    /// Makes reserved aliases visible, all at once: new values, and further aliases of values that are alive.
    func publish(_ records: [VolatileRecord], additions: [(id: Int64, alias: Alias)]) {
        guard !records.isEmpty || !additions.isEmpty else { return }
        withState { state, now in
            for record in records { state.publish(record, expiresAt: now + lifetime) }
            for addition in additions { state.add(addition.alias, to: addition.id, now: now) }
        }
    }

    /// Retains `place` until a volatile alias goes, and `further` until its value does.
    func keep(_ place: any AnyObject & Sendable, and further: FurtherPlaces?, with alias: String) {
        withState { state, _ in state.keep(place, and: further, with: alias) }
    }

    /// The value that this alias stands for, if it is alive.
    func record(alias: String) -> VolatileRecord? {
        withState { state, now in state.live(alias, now: now) }
    }

    /// Replaces the classifiers of the alias's value; `false` if there is none. Throws `volatileStorageFull` if there is no room for what
    /// it takes then.
    ///
    /// - Parameter places: retained until the value goes.
    func replaceClassifiers(
        of alias: String, with classifiers: [String], holding places: FurtherPlaces?
    ) throws(VaultError) -> Bool {
        let isReplaced = withState { state, now in
            state.replaceClassifiers(of: alias, with: classifiers, holding: places, now: now)
        }
        guard let isReplaced else { throw .volatileStorageFull }
        return isReplaced
    }

    /// Removes these aliases if all of them are alive, and values with their last alias; else removes none and
    /// returns those that are not.
    func remove(_ aliases: [String]) -> [String] {
        withState { state, now in
            let unknown = aliases.filter { state.live($0, now: now) == nil }
            if unknown.isEmpty { state.remove(aliases) }
            return unknown
        }
    }

    /// Removes the values that carry this classifier.
    func remove(classifier: String) -> ErasedVolatiles {
        withState { state, now in
            let records = state.records(classifier: classifier, now: now)
            let aliases = records.flatMap { $0.aliases.map(\.alias) }
            state.remove(aliases)
            return ErasedVolatiles(values: records.count, aliases: aliases.count)
        }
    }

    /// Every access drops some of what has expired, so that none has to drop all of it.
    private func withState<Result>(
        dropping limit: Int = 256, _ access: (inout VolatileState, Int64) -> sending Result
    ) -> sending Result {
        let (result, freed) = state.withLock { state in
            let now = clock.elapsedMilliseconds()
            state.dropExpired(now: now, limit: limit)
            let result = access(&state, now)
            return (result, state.takeFreed())
        }
        spaces.released(freed)
        return result
    }
}
