extension Vault {
    /// The values behind these aliases, each alias once, in the order in which they first appear. If any is unknown,
    /// expired, or of another storage than the one named, throws `unknownAliases` with all of those and reveals nothing. Throws
    /// `damaged` if a record is not what this vault wrote, and `unavailable`, `overloaded` or `corrupt` if the store cannot be read.
    public func reveal(
        _ aliases: [String], storage: Storage? = nil
    ) async throws(VaultError) -> [RevealedAlias] {
        let aliases = aliases.distinctByBytes
        var found = storage == .persistent ? [:] : try volatileValues(aliases)
        let others = missing(found, of: aliases)
        if storage != .volatile, !others.isEmpty {
            // What is read is opened behind the reading, so that the store's thread goes on with others.
            let use = keyring.beginUse()
            defer { keyring.endUse(use) }
            let values = try await store.read { [self] (reading) throws(VaultError) in
                var values: [PersistentValue] = []
                for alias in others {
                    let value = try naming(alias) { () throws(VaultError) in try PersistentValue(alias, reading) }
                    if let value { values.append(value) }
                }
                try learnKeys(values.lazy.compactMap(\.entry.value?.keyID), reading)
                return values
            }
            try open(values, into: &found)
        }
        if storage != .persistent { try await addShared(&found, of: aliases) }
        let unknown = missing(found, of: aliases)
        guard unknown.isEmpty else { throw .unknownAliases(unknown) }
        return revealed(aliases, found)
    }

    private struct PersistentValue {
        let alias: String
        let entry: AliasEntry
        /// All aliases of the value.
        let aliases: [AliasRecord]

        /// Nil if the alias is unknown.
        init?(_ alias: String, _ reading: any AliasReading) throws(VaultError) {
            guard let entry = try reading.entry(alias: alias) else { return nil }
            self.alias = alias
            self.entry = entry
            aliases = try entry.value.map(\.id).map(reading.aliases(of:)) ?? []
        }
    }

    // Values are handled by functions that are not `async`: short ones would otherwise be part of the task's own memory,
    // which keeps them after the return until something else is put there.

    @inline(never)
    private func volatileValues(_ aliases: [String]) throws(VaultError) -> [ExactText: StoredValue] {
        var found: [ExactText: StoredValue] = [:]
        for alias in aliases {
            if let record = volatile.record(alias: alias) { found[ExactText(alias)] = try revealed(record) }
        }
        return found
    }

    @inline(never)
    private func open(_ values: [PersistentValue], into found: inout [ExactText: StoredValue]) throws(VaultError) {
        let now = configuration.clock.unixSeconds()
        for value in values {
            guard let opened = try open(value.entry, askedFor: value.alias, now: now) else { continue }
            let record = opened.record
            found[ExactText(value.alias)] = StoredValue(
                value: opened.text, classifiers: record.classifiers,
                aliases: try checked(value.aliases, of: record, askedFor: value.alias), createdAt: record.createdAt,
                expiresAt: record.expiresAt, storage: .persistent)
        }
    }

    @inline(never)
    func missing(_ found: [ExactText: StoredValue], of aliases: [String]) -> [String] {
        aliases.filter { found[ExactText($0)] == nil }
    }

    @inline(never)
    private func revealed(_ aliases: [String], _ found: [ExactText: StoredValue]) -> [RevealedAlias] {
        aliases.compactMap { alias in found[ExactText(alias)].map { RevealedAlias(alias: alias, stored: $0) } }
    }

    private func revealed(_ record: VolatileRecord) throws(VaultError) -> StoredValue {
        StoredValue(
            value: try open(record), classifiers: record.classifiers, aliases: record.aliases,
            createdAt: record.createdAt, expiresAt: record.endsAt, storage: .volatile)
    }
}
