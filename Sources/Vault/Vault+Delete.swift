extension Vault {
    /// Removes these aliases, all or none; a value goes with its last alias. Repeated aliases count once. Throws
    /// `unknownAliases` with all that are unknown, expired, or of another storage than the one named.
    public func delete(_ aliases: [String], storage: Storage? = nil) async throws(VaultError) {
        let aliases = aliases.distinctByBytes
        let inMemory = storage == .persistent ? [] : aliases.filter { volatile.record(alias: $0) != nil }
        let known = Set(inMemory.map(ExactText.init))
        let others = known.isEmpty ? aliases : aliases.filter { !known.contains(ExactText($0)) }
        if storage == .volatile || others.isEmpty {
            let unknown = others + (others.isEmpty ? volatile.remove(inMemory) : [])
            guard unknown.isEmpty else { throw .unknownAliases(unknown) }
        } else {
            let changed = try await store.write { [self] (transaction) throws(VaultError) in
                try remove(others, in: transaction)
            }
            for fingerprint in changed { cache?.remove(fingerprint) }
            spaces.released(others)
            // One that has gone since it was looked up is gone: that is what was asked for.
            for alias in inMemory { _ = volatile.remove([alias]) }
        }
        counters.deleted(aliases.count)
    }

    /// Replaces the classifiers of the alias's value; repeated ones count once. Throws `unknownAliases`.
    public func replaceClassifiers(
        of alias: String, with classifiers: [String], storage: Storage? = nil
    ) async throws(VaultError) {
        let classifiers = classifiers.distinctByBytes
        if storage != .persistent, volatile.replaceClassifiers(of: alias, with: classifiers) { return }
        guard storage != .volatile else { throw .unknownAliases([alias]) }
        let fingerprint = try await store.write { [self] (transaction) throws(VaultError) in
            guard var record = try transaction.value(alias: alias) else { throw .unknownAliases([alias]) }
            record.classifiers = classifiers
            try transaction.update(record)
            if let fingerprint = record.fingerprint { cache?.invalidate(fingerprint) }
            return record.fingerprint
        }
        if let fingerprint { cache?.remove(fingerprint) }
    }

    /// The fingerprints of the values that lost an alias.
    private func remove(
        _ aliases: [String], in transaction: any AliasTransaction
    ) throws(VaultError) -> [Fingerprint] {
        var unknown: [String] = []
        var records: [ValueRecord] = []
        for alias in aliases {
            if let record = try transaction.value(alias: alias) {
                records.append(record)
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
