extension Vault {
    /// The values behind these aliases, each alias once, in the order in which they first appear. If any is unknown,
    /// expired, or of another storage than the one named, throws `unknownAliases` with all of those and reveals nothing.
    public func reveal(
        _ aliases: [String], storage: Storage? = nil
    ) async throws(VaultError) -> [RevealedAlias] {
        let aliases = distinct(aliases)
        var found: [String: StoredValue] = [:]
        if storage != .persistent {
            for alias in aliases {
                if let record = volatile.record(alias: alias) { found[alias] = try answer(record) }
            }
        }
        let others = aliases.filter { found[$0] == nil }
        if storage != .volatile, !others.isEmpty {
            let records = try await store.read { (reading) throws(VaultError) in
                var records: [(alias: String, record: ValueRecord, aliases: [Alias])] = []
                for alias in others {
                    guard let record = try reading.value(alias: alias) else { continue }
                    records.append((alias, record, try reading.aliases(of: record.id)))
                }
                return records
            }
            for (alias, record, all) in records {
                found[alias] = StoredValue(
                    value: try open(record), classifiers: record.classifiers, aliases: all,
                    createdAt: record.createdAt, storage: .persistent)
            }
        }
        let unknown = aliases.filter { found[$0] == nil }
        guard unknown.isEmpty else { throw .unknownAliases(unknown) }
        counters.revealed(aliases.count)
        return aliases.compactMap { alias in found[alias].map { RevealedAlias(alias: alias, stored: $0) } }
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
