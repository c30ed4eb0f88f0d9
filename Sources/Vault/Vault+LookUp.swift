public import Sensitive

extension Vault {
    /// The values behind those of these texts that are aliases of this vault and have not expired; whatever else is
    /// among them is left out. One look-up for all. Throws `unavailable`, `corrupt`.
    public func lookUp(_ texts: [String]) async throws(VaultError) -> [String: SensitiveText] {
        var found: [String: SensitiveText] = [:]
        var others: [String] = []
        for text in distinct(texts) {
            if let record = volatile.record(alias: text) {
                found[text] = try open(record)
            } else {
                others.append(text)
            }
        }
        if !others.isEmpty {
            let asked = others
            let records = try await store.read { (reading) throws(VaultError) in
                var records: [(alias: String, record: ValueRecord)] = []
                for alias in asked {
                    if let record = try reading.value(alias: alias) { records.append((alias, record)) }
                }
                return records
            }
            for (alias, record) in records { found[alias] = try open(record) }
        }
        counters.revealed(found.count)
        return found
    }
}
