extension Vault {
    /// Removes these aliases, all or none; a value goes with its last alias. Repeated aliases count once. Throws
    /// `unknownAliases` with all that are unknown, expired, or of another storage than the one named.
    ///
    /// What is damaged is removed like the rest, unread: an alias whose row or whose value's row is not what the vault wrote. Returns
    /// these aliases.
    ///
    /// - Parameter limit: how long the request may wait for the store.
    @discardableResult
    public func delete(
        _ aliases: [String], storage: Storage? = nil, within limit: WaitLimit? = nil
    ) async throws(VaultError) -> [String] {
        let aliases = aliases.distinctByBytes
        if let shared = sharedVolatiles, storage != .persistent {
            let damaged = try await deleteShared(aliases, shared, storage: storage, within: limit)
            counters.deleted(aliases.count)
            return damaged
        }
        var damaged: [String] = []
        let inMemory = storage == .persistent ? [] : aliases.filter { volatile.record(alias: $0) != nil }
        let known = Set(inMemory.map(ExactText.init))
        let others = known.isEmpty ? aliases : aliases.filter { !known.contains(ExactText($0)) }
        if storage == .volatile || others.isEmpty {
            let unknown = others + (others.isEmpty ? volatile.remove(inMemory) : [])
            guard unknown.isEmpty else { throw .unknownAliases(unknown) }
        } else {
            damaged = try await deleteStored(others, within: limit)
            // One that has expired since it was looked up is gone: that is what was asked for.
            for alias in inMemory { _ = volatile.remove([alias]) }
        }
        counters.deleted(aliases.count)
        return damaged
    }

    /// Removes aliases of the store, all or none. Returns those that were damaged.
    func deleteStored(_ aliases: [String], within limit: WaitLimit? = nil) async throws(VaultError) -> [String] {
        let now = configuration.clock.unixSeconds()
        let (changed, damaged) = try await write(within: limit) { [self] (transaction) throws(VaultError) in
            try remove(aliases, in: transaction, now: now)
        }
        for fingerprint in changed { cache?.remove(fingerprint) }
        // What a damaged value is remembered by is not known.
        if !damaged.isEmpty { cache?.removeAll() }
        spaces.released(aliases)
        return damaged
    }

    /// Replaces the classifiers of the alias's value; repeated ones count once. Throws `unknownAliases`, `unsuitableClassifiers`,
    /// `volatileStorageFull`.
    ///
    /// - Parameter places: retained until the value ends, if that is volatile (``furtherPlaces(of:with:storage:)``).
    public func replaceClassifiers(
        of alias: String, with classifiers: [String], storage: Storage? = nil, holding places: FurtherPlaces? = nil,
        within limit: WaitLimit? = nil
    ) async throws(VaultError) {
        let classifiers = classifiers.distinctByBytes
        guard classifiers.areSuitable else { throw .unsuitableClassifiers(item: nil) }
        if storage != .persistent, try volatile.replaceClassifiers(of: alias, with: classifiers, holding: places) {
            return
        }
        do throws(VaultError) {
            guard storage != .volatile else { throw .unknownAliases([alias]) }
            try await replaceStored(alias, classifiers, within: limit)
        } catch {
            // What the store has is not looked for among the shared volatile values.
            guard case .unknownAliases = error, storage != .persistent,
                try await replaceShared(alias, classifiers, holding: places)
            else { throw error }
        }
    }

    private func replaceStored(
        _ alias: String, _ classifiers: [String], within limit: WaitLimit?
    ) async throws(VaultError) {
        let now = configuration.clock.unixSeconds()
        try await allotSeals(1, now: now)
        let fingerprints = try await write(within: limit) { [self] (transaction) throws(VaultError) in
            // Now: while this has waited, the key before may have been removed.
            let active = keyring.active
            let erasures = try openErasures(in: transaction)
            guard let opened = try open(alias, in: transaction, now: now), !erasures.holds(opened.record) else {
                throw .unknownAliases([alias])
            }
            var record = opened.record
            record.classifiers = classifiers
            try put(
                record, opened.text,
                aliases: { () throws(VaultError) in
                    try checked(transaction.aliases(of: opened.record.id), of: opened.record, askedFor: alias)
                }, under: active, beside: erasures, in: transaction)
            let fingerprints = [opened.record.fingerprint, record.fingerprint].compactMap { $0 }
            for fingerprint in fingerprints { cache?.invalidate(fingerprint) }
            return fingerprints
        }
        for fingerprint in fingerprints { cache?.remove(fingerprint) }
    }

    /// Removes a value with all aliases that name it, damaged or not, from the reuse cache too. Returns the aliases.
    @discardableResult
    func erase(_ record: ValueRecord, in transaction: any AliasTransaction) throws(VaultError) -> [String] {
        let aliases = try transaction.erase(value: record.id)
        if let fingerprint = record.fingerprint {
            // Before the commit already: if it fails, the value is found in the store again.
            cache?.invalidate(fingerprint)
            cache?.remove(fingerprint)
        }
        return aliases
    }

    /// The value behind an alias, checked, inside a transaction; nil if the alias is unknown or has expired.
    private func open(
        _ alias: String, in transaction: any AliasTransaction, now: Int64
    ) throws(VaultError) -> Opened? {
        let entry = try naming(alias) { () throws(VaultError) in try transaction.entry(alias: alias) }
        guard let entry else { return nil }
        if let record = entry.value { try learnKeys([record.keyID], transaction) }
        return try open(entry, askedFor: alias, now: now)
    }

    /// The fingerprints of the values that lost an alias, and the aliases that were damaged.
    private func remove(
        _ aliases: [String], in transaction: any AliasTransaction, now: Int64
    ) throws(VaultError) -> ([Fingerprint], [String]) {
        var (unknown, damaged): ([String], [String]) = ([], [])
        var records: [ValueRecord] = []
        for alias in aliases {
            do {
                if let opened = try open(alias, in: transaction, now: now) {
                    records.append(opened.record)
                } else {
                    unknown.append(alias)
                }
            } catch .damaged { damaged.append(alias) }
        }
        guard unknown.isEmpty else { throw .unknownAliases(unknown) }
        for alias in aliases { try transaction.erase(alias: alias) }
        for record in records {
            if let fingerprint = record.fingerprint { cache?.invalidate(fingerprint) }
        }
        return (records.compactMap(\.fingerprint), damaged)
    }
}
