import Sensitive

/// What the calls do where several processes share the volatile values. Persistent values are looked for first: they don't depend on
/// the server that keeps the volatile ones.
extension Vault {
    /// The results of all items. Volatile values are stored first and taken back if the rest fails: an alias that was not returned
    /// reveals nothing, and a commit can't be taken back.
    func carryOutShared(
        _ items: [PlannedItem], now: Int64, _ admission: AliasAdmission?, within limit: WaitLimit?
    ) async throws(VaultError) -> [StoredValue] {
        guard let shared = sharedVolatiles, items.contains(where: \.mayBeVolatile) else {
            return try await carryOut(items, now: now, admission, within: limit).results
        }
        let references = try await notStored(items)
        let plan: SharedVolatileCreation.Plan
        do {
            plan = try await shared.change { () async throws(VaultError) in
                let found = try await findShared(references, in: shared)
                var creation = SharedVolatileCreation(self, shared, now: now)
                let plan = try creation.run(items, found)
                return (plan.changes, plan)
            }
        } catch .outcomeUnknown(let reason) {
            // The server may have made the changes: no caller knows the aliases, which end with their values.
            throw .unavailable(reason)
        }
        for (alias, name) in plan.large { shared.places.note(name, of: alias, for: shared.longestLife) }
        do { return try await carryOut(plan.items, now: now, admission).results } catch {
            // One by one: some may never have been stored, because their end has passed.
            for alias in plan.made { _ = try? await shared.remove([alias]) }
            throw error
        }
    }

    /// The aliases that items reference and that may be volatile: those that the store has are not.
    private func notStored(_ items: [PlannedItem]) async throws(VaultError) -> [String] {
        var (named, others): ([String], [String]) = ([], [])
        for item in items {
            guard let alias = item.volatileReference else { continue }
            if case .reference(_, _, .volatile) = item { named.append(alias) } else { others.append(alias) }
        }
        return named + (try await notStored(others))
    }

    /// Those of the aliases that the store does not have.
    func notStored(_ aliases: [String]) async throws(VaultError) -> [String] {
        if aliases.isEmpty { return [] }
        return try await store.read { (reading) throws(VaultError) in
            var others: [String] = []
            for alias in aliases where try !reading.holds(alias: alias) { others.append(alias) }
            return others
        }
    }

    /// The items without references to shared volatile values, which take some of the room.
    func withoutShared(
        _ items: [PlannedItem], _ room: inout RevealRoom
    ) async throws(VaultError) -> [PlannedItem] {
        guard let shared = sharedVolatiles else { return items }
        let found = try await findShared(try await notStored(items), in: shared, room: room)
        if found.isEmpty { return items }
        for value in found.values { try room.take(sealed: value.stored.sealed.count) }
        return items.filter { item in item.volatileReference.map { found[ExactText($0)] == nil } ?? true }
    }

    /// Adds the shared volatile values of those aliases for which nothing was found.
    func addShared(
        _ found: inout [ExactText: StoredValue], of aliases: [String], room: RevealRoom
    ) async throws(VaultError) {
        guard let shared = sharedVolatiles, case let others = missing(found, of: aliases), !others.isEmpty else {
            return
        }
        add(try await findShared(others, in: shared, room: room), to: &found)
    }

    /// Adds the shared volatile values of those texts for which nothing was found.
    func addShared(
        _ found: inout [String: LookedUpValue], of texts: [String], room: RevealRoom
    ) async throws(VaultError) {
        guard let shared = sharedVolatiles, case let others = missing(found, of: texts), !others.isEmpty else { return }
        add(try await findShared(others, in: shared, room: room), to: &found)
    }

    @inline(never)
    private func add(_ values: [ExactText: SharedVolatiles.Found], to found: inout [ExactText: StoredValue]) {
        for (alias, value) in values { found[alias] = value.record.stored(aliases: value.record.aliases) }
    }

    @inline(never)
    private func add(_ values: [ExactText: SharedVolatiles.Found], to found: inout [String: LookedUpValue]) {
        for (alias, value) in values {
            let record = value.record
            found[alias.text] = LookedUpValue(
                volatile: record.value, classifiers: record.classifiers, aliases: record.aliases, askedFor: alias.text)
        }
    }

    /// Removes aliases of the store and shared volatile ones. What the store has is not looked for on the server. Returns those that were
    /// damaged.
    func deleteShared(
        _ aliases: [String], _ shared: SharedVolatiles, storage: Storage?, within limit: WaitLimit?
    ) async throws(VaultError) -> [String] {
        if storage == .volatile { return try await remove(aliases, shared) }
        let unknown: [String]
        do throws(VaultError) { return try await deleteStored(aliases, within: limit) } catch {
            guard case .unknownAliases(let others) = error else { throw error }
            unknown = others
        }
        // Nothing was deleted.
        let volatile = Set(unknown.map(ExactText.init))
        let stored = aliases.filter { !volatile.contains(ExactText($0)) }
        if stored.isEmpty { return try await remove(unknown, shared) }
        let found = try await shared.known(unknown)
        let gone = unknown.filter { !found.contains(ExactText($0)) }
        guard gone.isEmpty else { throw .unknownAliases(gone) }
        var damaged = try await deleteStored(stored, within: limit)
        do {
            // One that has expired since it was looked up is gone: that is what was asked for.
            for alias in unknown { damaged += try await shared.remove([alias]).damaged }
        } catch { throw .outcomeUnknown("volatile aliases may live until they expire") }
        return damaged
    }

    private func remove(_ aliases: [String], _ shared: SharedVolatiles) async throws(VaultError) -> [String] {
        let removal = try await shared.remove(aliases)
        guard removal.unknown.isEmpty else { throw .unknownAliases(removal.unknown) }
        counters.foundDamage(removal.damaged.count)
        return removal.damaged
    }

    /// False if the alias is none of a shared volatile value.
    func replaceShared(
        _ alias: String, _ classifiers: [String], holding places: FurtherPlaces?
    ) async throws(VaultError) -> Bool {
        try await sharedVolatiles?.replaceClassifiers(of: alias, with: classifiers, holding: places) ?? false
    }

    private func findShared(
        _ aliases: [String], in shared: SharedVolatiles, room: RevealRoom? = nil
    ) async throws(VaultError) -> [ExactText: SharedVolatiles.Found] {
        do { return try await shared.find(aliases, room: room) } catch {
            if error.isDamage { counters.foundDamage() }
            throw error
        }
    }
}

extension PlannedItem {
    fileprivate var mayBeVolatile: Bool {
        switch self {
        case .value(let value): value.storage == .volatile
        case .reference: volatileReference != nil
        case .finished: false
        }
    }

    /// The alias that it references, unless the storage that it names is another one, or no volatile alias is like it.
    fileprivate var volatileReference: String? {
        guard case .reference(let alias, _, let storage) = self, storage != .persistent,
            SharedVolatiles.mayBeAlias(alias)
        else { return nil }
        return alias
    }
}
