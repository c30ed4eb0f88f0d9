import Sensitive

extension Vault {
    /// Bytes that the values of one look-up may have with their classifiers, each as often as an alias names it.
    public static let lookUpRoom = 16 << 20

    /// The values behind those of these texts that are aliases of this vault and have not expired; other texts
    /// are left out. One look-up for all. Throws `unavailable`, `overloaded`, `damaged`, `corrupt`, and
    /// `revealTooLarge` before anything is opened that is larger than ``lookUpRoom`` together with what was found before it.
    ///
    /// - Parameter mayBeNumbers: whether the texts are more likely card numbers than aliases. A database that other processes use may write
    ///   what it is asked into its log, so it is then asked for aliases that look alike, and for a text itself only if it is one of them.
    public func lookUp(
        _ texts: [String], mayBeNumbers: Bool = false
    ) async throws(VaultError) -> [String: LookedUpValue] {
        let texts = texts.distinctByBytes
        var room = RevealRoom(Self.lookUpRoom)
        // Numbers are looked up to know that they are aliases: the labels of their values, which may be long, take no room then.
        let records = try volatileRecords(texts, &room) { mayBeNumbers ? $0.size : $0.openedSize }
        var found = try await configuration.open(room.taken) { () throws(VaultError) in try open(records) }
        let others = missing(found, of: texts)
        if !others.isEmpty {
            let now = configuration.clock.unixSeconds()
            let asksAlike = mayBeNumbers && !store.isExclusive
            // Opened there, too: a request may have thousands, and the loop other requests.
            let opened: [String: LookedUpValue]
            (opened, room) = try await read { [self, room] (reading) throws(VaultError) in
                var room = room
                var entries: [(alias: String, entry: AliasEntry)] = []
                let known = asksAlike ? try reading.aliases(amongPossibleNumbers: others) : others
                for alias in known {
                    let entry = try naming(alias) { () throws(VaultError) in try reading.entry(alias: alias) }
                    guard let entry else { continue }
                    if let value = entry.value {
                        try mayBeNumbers ? room.take(sealed: value.sealed.count) : room.take(value.openedSize)
                    }
                    entries.append((alias, entry))
                }
                try learnKeys(entries.lazy.compactMap(\.entry.value?.keyID), reading)
                return (try open(entries, now: now), room)
            }
            found.merge(opened) { $1 }
        }
        try await addShared(&found, of: texts, room: room)
        return found
    }

    // Not `async`, for the reason given in `Vault+Reveal`.

    /// The volatile values behind those of these texts that are their aliases, sealed.
    ///
    /// - Parameter size: what one takes of the room.
    @inline(never)
    func volatileRecords(
        _ aliases: [String], _ room: inout RevealRoom, _ size: (VolatileRecord) -> Int = \.openedSize
    ) throws(VaultError) -> [(alias: String, record: VolatileRecord)] {
        var records: [(alias: String, record: VolatileRecord)] = []
        for alias in aliases {
            guard let record = volatile.record(alias: alias) else { continue }
            try room.take(size(record))
            records.append((alias, record))
        }
        return records
    }

    @inline(never)
    private func open(
        _ records: [(alias: String, record: VolatileRecord)]
    ) throws(VaultError) -> [String: LookedUpValue] {
        var found: [String: LookedUpValue] = [:]
        var opened: [Int64: SensitiveText] = [:]
        for (alias, record) in records {
            found[alias] = LookedUpValue(
                volatile: try open(record, sharing: &opened), classifiers: record.classifiers, aliases: record.aliases,
                askedFor: alias)
        }
        return found
    }

    @inline(never)
    private func open(
        _ entries: [(alias: String, entry: AliasEntry)], now: Int64
    ) throws(VaultError) -> [String: LookedUpValue] {
        var values: [String: LookedUpValue] = [:]
        var opened: [Int64: Opened] = [:]
        for (alias, entry) in entries {
            values[alias] = try open(entry, askedFor: alias, now: now, sharing: &opened).map(LookedUpValue.init)
        }
        return values
    }

    @inline(never)
    func missing(_ found: [String: LookedUpValue], of aliases: [String]) -> [String] {
        aliases.filter { found[$0] == nil }
    }
}
