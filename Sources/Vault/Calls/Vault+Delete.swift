extension Vault {
    /// Removes these aliases, all or none; a value goes with its last alias. Repeated aliases count once. Throws
    /// `unknownAliases` with all that are unknown, expired, or of another storage than the one named.
    public func delete(_ aliases: [String], storage: Storage? = nil) async throws(VaultError) {
        let aliases = aliases.distinctByBytes
        if storage != .persistent, try await deleteShared(aliases, storage: storage) {
            return counters.deleted(aliases.count)
        }
        let inMemory = storage == .persistent ? [] : aliases.filter { volatile.record(alias: $0) != nil }
        let known = Set(inMemory.map(ExactText.init))
        let others = known.isEmpty ? aliases : aliases.filter { !known.contains(ExactText($0)) }
        if storage == .volatile || others.isEmpty {
            let unknown = others + (others.isEmpty ? volatile.remove(inMemory) : [])
            guard unknown.isEmpty else { throw .unknownAliases(unknown) }
        } else {
            try await deleteStored(others)
            // One that has expired since it was looked up is gone: that is what was asked for.
            for alias in inMemory { _ = volatile.remove([alias]) }
        }
        counters.deleted(aliases.count)
    }

    /// Removes aliases of the store, all or none.
    func deleteStored(_ aliases: [String]) async throws(VaultError) {
        let now = configuration.clock.unixSeconds()
        let changed = try await write { [self] (transaction) throws(VaultError) in
            try remove(aliases, in: transaction, now: now)
        }
        for fingerprint in changed { cache?.remove(fingerprint) }
        spaces.released(aliases)
    }

    /// Replaces the classifiers of the alias's value; repeated ones count once. Throws `unknownAliases`.
    public func replaceClassifiers(
        of alias: String, with classifiers: [String], storage: Storage? = nil
    ) async throws(VaultError) {
        let classifiers = classifiers.distinctByBytes
        if storage != .persistent {
            if volatile.replaceClassifiers(of: alias, with: classifiers) { return }
            if try await replaceShared(alias, classifiers) { return }
        }
        guard storage != .volatile else { throw .unknownAliases([alias]) }
        let now = configuration.clock.unixSeconds()
        try await allotSeals(1, now: now)
        let active = keyring.active
        let fingerprints = try await write { [self] (transaction) throws(VaultError) in
            guard let opened = try open(alias, in: transaction, now: now) else { throw .unknownAliases([alias]) }
            var record = opened.record
            record.classifiers = classifiers
            try reseal(&record, opened.text, under: active, in: transaction)
            try transaction.update(record)
            let fingerprints = [opened.record.fingerprint, record.fingerprint].compactMap { $0 }
            for fingerprint in fingerprints { cache?.invalidate(fingerprint) }
            return fingerprints
        }
        for fingerprint in fingerprints { cache?.remove(fingerprint) }
    }

    /// Removes a value with all its aliases, from the reuse cache too. Returns the aliases.
    @discardableResult
    func erase(_ record: ValueRecord, in transaction: any AliasTransaction) throws(VaultError) -> [String] {
        // Only what was made for it goes with it.
        let aliases = try checked(transaction.aliases(of: record.id), of: record).map(\.alias)
        for alias in aliases { try transaction.delete(alias: alias) }
        try transaction.delete(value: record.id)
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

    /// The fingerprints of the values that lost an alias.
    private func remove(
        _ aliases: [String], in transaction: any AliasTransaction, now: Int64
    ) throws(VaultError) -> [Fingerprint] {
        var unknown: [String] = []
        var records: [ValueRecord] = []
        for alias in aliases {
            if let opened = try open(alias, in: transaction, now: now) {
                records.append(opened.record)
            } else {
                unknown.append(alias)
            }
        }
        guard unknown.isEmpty else { throw .unknownAliases(unknown) }
        for alias in aliases { try transaction.delete(alias: alias) }
        for record in records {
            if try transaction.aliases(of: record.id).isEmpty { try transaction.delete(value: record.id) }
            if let fingerprint = record.fingerprint { cache?.invalidate(fingerprint) }
        }
        return records.compactMap(\.fingerprint)
    }
}
