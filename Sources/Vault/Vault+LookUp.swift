public import Sensitive

extension Vault {
    /// The values behind those of these texts that are aliases of this vault and have not expired; whatever else is
    /// among them is left out. One look-up for all. Throws `unavailable`, `corrupt`.
    public func lookUp(_ texts: [String]) async throws(VaultError) -> [String: SensitiveText] {
        let texts = texts.distinctByBytes
        var found = try volatileTexts(texts)
        let others = missing(found, of: texts)
        if !others.isEmpty {
            let records = try await store.read { [self] (reading) throws(VaultError) in
                var records: [(alias: String, record: ValueRecord)] = []
                for alias in others {
                    if let record = try reading.value(alias: alias) { records.append((alias, record)) }
                }
                try learnKeys(records.lazy.map(\.record.keyID), reading)
                return records
            }
            try open(records, into: &found)
        }
        return found
    }

    // Not `async`, for what `reveal` says.

    @inline(never)
    private func volatileTexts(_ aliases: [String]) throws(VaultError) -> [String: SensitiveText] {
        var found: [String: SensitiveText] = [:]
        for alias in aliases {
            if let record = volatile.record(alias: alias) { found[alias] = try open(record) }
        }
        return found
    }

    @inline(never)
    private func open(
        _ records: [(alias: String, record: ValueRecord)], into found: inout [String: SensitiveText]
    ) throws(VaultError) {
        for (alias, record) in records { found[alias] = try open(record) }
    }

    @inline(never)
    private func missing(_ found: [String: SensitiveText], of aliases: [String]) -> [String] {
        aliases.filter { found[$0] == nil }
    }
}
