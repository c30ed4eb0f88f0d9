extension Vault {
    /// The values behind those of these texts that are aliases of this vault and have not expired; other texts
    /// are left out. One look-up for all. Throws `unavailable`, `overloaded`, `damaged`, `corrupt`.
    ///
    /// - Parameter mayBeNumbers: whether the texts are more likely card numbers than aliases. A database that other processes use may write
    ///   what it is asked into its log, so it is then asked for aliases that look alike, and for a text itself only if it is one of them.
    public func lookUp(
        _ texts: [String], mayBeNumbers: Bool = false
    ) async throws(VaultError) -> [String: LookedUpValue] {
        let texts = texts.distinctByBytes
        var found = try volatileLookUp(texts)
        let others = missing(found, of: texts)
        if !others.isEmpty {
            let now = configuration.clock.unixSeconds()
            let asksAlike = mayBeNumbers && !store.isExclusive
            // Opened there, too: a request may have thousands, and the loop other requests.
            let opened = try await read { [self] (reading) throws(VaultError) in
                var entries: [(alias: String, entry: AliasEntry)] = []
                let known = asksAlike ? try reading.aliases(amongPossibleNumbers: others) : others
                for alias in known {
                    let entry = try naming(alias) { () throws(VaultError) in try reading.entry(alias: alias) }
                    if let entry { entries.append((alias, entry)) }
                }
                try learnKeys(entries.lazy.compactMap(\.entry.value?.keyID), reading)
                return try open(entries, now: now)
            }
            found.merge(opened) { $1 }
        }
        try await addShared(&found, of: texts)
        return found
    }

    // Not `async`, for the reason given in `Vault+Reveal`.

    @inline(never)
    private func volatileLookUp(_ aliases: [String]) throws(VaultError) -> [String: LookedUpValue] {
        var found: [String: LookedUpValue] = [:]
        for alias in aliases {
            guard let record = volatile.record(alias: alias) else { continue }
            found[alias] = LookedUpValue(
                volatile: try open(record), classifiers: record.classifiers, aliases: record.aliases, askedFor: alias)
        }
        return found
    }

    @inline(never)
    private func open(
        _ entries: [(alias: String, entry: AliasEntry)], now: Int64
    ) throws(VaultError) -> [String: LookedUpValue] {
        var values: [String: LookedUpValue] = [:]
        for (alias, entry) in entries {
            values[alias] = try open(entry, askedFor: alias, now: now).map(LookedUpValue.init)
        }
        return values
    }

    @inline(never)
    func missing(_ found: [String: LookedUpValue], of aliases: [String]) -> [String] {
        aliases.filter { found[$0] == nil }
    }
}
