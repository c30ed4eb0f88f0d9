public import Sensitive

extension Vault {
    /// The values behind those of these texts that are aliases of this vault and have not expired; other texts
    /// are left out. One look-up for all. Throws `unavailable`, `damaged`, `corrupt`.
    public func lookUp(_ texts: [String]) async throws(VaultError) -> [String: SensitiveText] {
        let texts = texts.distinctByBytes
        var found = try volatileTexts(texts)
        let others = missing(found, of: texts)
        if !others.isEmpty {
            let now = configuration.clock.unixSeconds()
            // Opened there, too: a request may have thousands, and the loop other requests.
            let opened = try await store.read { [self] (reading) throws(VaultError) in
                var entries: [(alias: String, entry: AliasEntry)] = []
                for alias in others {
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

    /// As ``lookUp(_:)``, for texts that are more likely card numbers than aliases. A database may write into its log what it is asked: one that
    /// other processes use is asked for aliases that look alike, which are compared with the texts here.
    public func lookUp(possibleNumbers texts: [String]) async throws(VaultError) -> [String: SensitiveText] {
        if store.isExclusive { return try await lookUp(texts) }
        let texts = texts.distinctByBytes
        let aliases = try await store.read { (reading) throws(VaultError) in
            var aliases: [String] = []
            for text in texts where try reading.isAlias(possibleNumber: text) { aliases.append(text) }
            return aliases
        }
        var found = try await lookUp(aliases)
        found.merge(try volatileTexts(texts)) { $1 }
        try await addShared(&found, of: texts)
        return found
    }

    // Not `async`, for the reason given in `Vault+Reveal`.

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
        _ entries: [(alias: String, entry: AliasEntry)], now: Int64
    ) throws(VaultError) -> [String: SensitiveText] {
        var opened: [String: SensitiveText] = [:]
        for (alias, entry) in entries { opened[alias] = try open(entry, askedFor: alias, now: now)?.text }
        return opened
    }

    @inline(never)
    func missing(_ found: [String: SensitiveText], of aliases: [String]) -> [String] {
        aliases.filter { found[$0] == nil }
    }
}
