extension Vault {
    /// The values behind these aliases, each alias once, in the order in which they first appear. If any is unknown,
    /// expired, or of another storage than the one named, throws `unknownAliases` with all of those and reveals nothing.
    public func reveal(
        _ aliases: [String], storage: Storage? = nil
    ) async throws(VaultError) -> [RevealedAlias] {
        let aliases = aliases.distinctByBytes
        var found = storage == .persistent ? [:] : try volatileValues(aliases)
        let others = missing(found, of: aliases)
        if storage != .volatile, !others.isEmpty {
            let records = try await store.read { [self] (reading) throws(VaultError) in
                var records: [PersistentValue] = []
                for alias in others {
                    guard let record = try reading.value(alias: alias) else { continue }
                    records.append(
                        PersistentValue(alias: alias, record: record, aliases: try reading.aliases(of: record.id)))
                }
                try learnKeys(records.lazy.map(\.record.keyID), reading)
                return records
            }
            try open(records, into: &found)
        }
        let unknown = missing(found, of: aliases)
        guard unknown.isEmpty else { throw .unknownAliases(unknown) }
        return revealed(aliases, found)
    }

    private struct PersistentValue {
        let alias: String
        let record: ValueRecord
        let aliases: [Alias]
    }

    // Values are handled by functions that are not `async`: what is short would else be part of the task's own memory,
    // which keeps it after the answer until something else is put there.

    @inline(never)
    private func volatileValues(_ aliases: [String]) throws(VaultError) -> [ExactText: StoredValue] {
        var found: [ExactText: StoredValue] = [:]
        for alias in aliases {
            if let record = volatile.record(alias: alias) { found[ExactText(alias)] = try answer(record) }
        }
        return found
    }

    @inline(never)
    private func open(_ values: [PersistentValue], into found: inout [ExactText: StoredValue]) throws(VaultError) {
        for value in values {
            found[ExactText(value.alias)] = StoredValue(
                value: try open(value.record), classifiers: value.record.classifiers, aliases: value.aliases,
                createdAt: value.record.createdAt, storage: .persistent)
        }
    }

    @inline(never)
    private func missing(_ found: [ExactText: StoredValue], of aliases: [String]) -> [String] {
        aliases.filter { found[ExactText($0)] == nil }
    }

    @inline(never)
    private func revealed(_ aliases: [String], _ found: [ExactText: StoredValue]) -> [RevealedAlias] {
        aliases.compactMap { alias in found[ExactText(alias)].map { RevealedAlias(alias: alias, stored: $0) } }
    }

    private func answer(_ record: VolatileRecord) throws(VaultError) -> StoredValue {
        StoredValue(
            value: try open(record), classifiers: record.classifiers, aliases: record.aliases,
            createdAt: record.createdAt, storage: .volatile)
    }
}
