import Sensitive

extension Vault {
    /// Bytes that one reveal may return, values with their classifiers and aliases, unless it is of one value: those of twenty values of
    /// a megabyte and more, as many as a request names by default.
    public static let revealRoom = 32 << 20

    /// The values behind these aliases, each alias once, in the order in which they first appear. If any is unknown,
    /// expired, or of another storage than the one named, throws `unknownAliases` with all of those and reveals nothing. Throws
    /// `damaged` if a record is not what this vault wrote, `unavailable`, `overloaded` or `corrupt` if the store cannot be read, and
    /// `revealTooLarge` before anything is opened that is larger than ``revealRoom`` together with what was found before it, or `revealsBusy` if
    /// it has no room in `share`.
    public func reveal(
        _ aliases: [String], storage: Storage? = nil, of share: (any RevealShare)? = nil
    ) async throws(VaultError) -> [RevealedAlias] {
        let aliases = aliases.distinctByBytes
        var room = RevealRoom(Self.revealRoom, takesOne: true, of: share)
        let records = storage == .persistent ? [] : try volatileRecords(aliases, &room, \.returnedSize)
        var found = try await configuration.open(room.taken) { () throws(VaultError) in try open(records) }
        let others = missing(found, of: aliases)
        if storage != .volatile, !others.isEmpty {
            // What is read is opened behind the reading, so that the store's thread goes on with others.
            let use = keyring.beginUse()
            defer { keyring.endUse(use) }
            let values: [PersistentValue]
            (values, room) = try await store.read { [self, room] (reading) throws(VaultError) in
                var room = room
                var values: [PersistentValue] = []
                for alias in others {
                    let value = try naming(alias) { () throws(VaultError) in try PersistentValue(alias, reading) }
                    guard let value else { continue }
                    try room.take(value.openedSize)
                    values.append(value)
                }
                try learnKeys(values.lazy.compactMap(\.entry.value?.keyID), reading)
                return (values, room)
            }
            let opened = try await configuration.open(room.taken) { () throws(VaultError) in try open(values) }
            found.merge(opened) { $1 }
        }
        if storage != .persistent { try await addShared(&found, of: aliases, room: room) }
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

        /// Bytes of the value, its classifiers and its aliases.
        var openedSize: Int { (entry.value?.openedSize ?? 0) + aliases.map(\.alias.alias).byteCount }
    }

    // Values are handled by functions that are not `async`: short ones would otherwise be part of the task's own memory,
    // which keeps them after the return until something else is put there.

    @inline(never)
    private func open(
        _ records: [(alias: String, record: VolatileRecord)]
    ) throws(VaultError) -> [ExactText: StoredValue] {
        var found: [ExactText: StoredValue] = [:]
        var opened: [Int64: SensitiveText] = [:]
        for (alias, record) in records {
            found[ExactText(alias)] = StoredValue(
                value: try open(record, sharing: &opened), classifiers: record.classifiers, aliases: record.aliases,
                createdAt: record.createdAt, expiresAt: record.endsAt, storage: .volatile)
        }
        return found
    }

    @inline(never)
    private func open(_ values: [PersistentValue]) throws(VaultError) -> [ExactText: StoredValue] {
        let now = configuration.clock.unixSeconds()
        var found: [ExactText: StoredValue] = [:]
        var known: [Int64: Opened] = [:]
        for value in values {
            guard let opened = try open(value.entry, askedFor: value.alias, now: now, sharing: &known) else { continue }
            let record = opened.record
            found[ExactText(value.alias)] = StoredValue(
                value: opened.text, classifiers: record.classifiers,
                aliases: try checked(value.aliases, of: record, askedFor: value.alias), createdAt: record.createdAt,
                expiresAt: record.expiresAt, storage: .persistent)
        }
        return found
    }

    @inline(never)
    func missing(_ found: [ExactText: StoredValue], of aliases: [String]) -> [String] {
        aliases.filter { found[ExactText($0)] == nil }
    }

    @inline(never)
    private func revealed(_ aliases: [String], _ found: [ExactText: StoredValue]) -> [RevealedAlias] {
        aliases.compactMap { alias in found[ExactText(alias)].map { RevealedAlias(alias: alias, stored: $0) } }
    }
}
