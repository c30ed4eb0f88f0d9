extension Vault {
    /// The values behind these aliases, each alias once, in the order in which they first appear. If any is unknown,
    /// expired, or of another storage than the one named, throws `unknownAliases` with all of those and reveals nothing.
    public func reveal(
        _ aliases: [String], storage: Storage? = nil
    ) async throws(VaultError) -> [RevealedAlias] {
        let aliases = distinct(aliases)
        var found = storage == .persistent ? [:] : try volatileValues(aliases)
        let others = missing(found, of: aliases)
        if storage != .volatile, !others.isEmpty {
            let records = try await store.read { (reading) throws(VaultError) in
                var records: [PersistentValue] = []
                for alias in others {
                    guard let record = try reading.value(alias: alias) else { continue }
                    records.append(
                        PersistentValue(alias: alias, record: record, aliases: try reading.aliases(of: record.id)))
                }
                return records
            }
            try open(records, into: &found)
        }
        let unknown = missing(found, of: aliases)
        guard unknown.isEmpty else { throw .unknownAliases(unknown) }
        counters.revealed(aliases.count)
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
    private func volatileValues(_ aliases: [String]) throws(VaultError) -> [String: StoredValue] {
        var found: [String: StoredValue] = [:]
        for alias in aliases {
            if let record = volatile.record(alias: alias) { found[alias] = try answer(record) }
        }
        return found
    }

    @inline(never)
    private func open(_ values: [PersistentValue], into found: inout [String: StoredValue]) throws(VaultError) {
        for value in values {
            found[value.alias] = StoredValue(
                value: try open(value.record), classifiers: value.record.classifiers, aliases: value.aliases,
                createdAt: value.record.createdAt, storage: .persistent)
        }
    }

    @inline(never)
    private func missing(_ found: [String: StoredValue], of aliases: [String]) -> [String] {
        aliases.filter { found[$0] == nil }
    }

    @inline(never)
    private func revealed(_ aliases: [String], _ found: [String: StoredValue]) -> [RevealedAlias] {
        aliases.compactMap { alias in found[alias].map { RevealedAlias(alias: alias, stored: $0) } }
    }

    private func answer(_ record: VolatileRecord) throws(VaultError) -> StoredValue {
        StoredValue(
            value: try open(record), classifiers: record.classifiers, aliases: record.aliases,
            createdAt: record.createdAt, storage: .volatile)
    }

    /// Each alias once, in order.
    func distinct(_ aliases: [String]) -> [String] {
        guard aliases.count > 1 else { return aliases }
        var seen: Set<String> = []
        return aliases.filter { seen.insert($0).inserted }
    }
}
