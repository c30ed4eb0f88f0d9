extension Vault {
    /// What one batch of erasing did.
    public struct Erased: Sendable {
        /// Values that were removed, with all their aliases.
        public var values = 0
        /// Their aliases.
        public var aliases = 0
        /// Values that are damaged and were left where they are.
        public var damaged = 0
        /// Where to go on; nil if nothing is left.
        public var next: ExpiryCursor?
    }

    /// Removes values that have expired, with their aliases: up to `limit` a call, in order of their expiry. Their aliases are unknown
    /// from the moment of expiry; to be called at least every hour so that nothing of them stays longer. A value that is damaged is
    /// left where it is: its time may be what was changed.
    ///
    /// - Parameter cursor: `next` of the call before, nil to begin.
    public func eraseExpired(
        limit: Int = 256, after cursor: ExpiryCursor? = nil
    ) async throws(VaultError) -> Erased {
        let now = configuration.clock.patientSeconds()
        let (erased, names) = try await write { [self] (transaction) throws(VaultError) in
            let due = try transaction.values(expiringBy: now, after: cursor ?? .start, limit: limit)
            try learnKeys(due.records.lazy.map(\.keyID), transaction)
            counters.foundDamage(due.malformed.count)
            var (erased, names) = try eraseIntact(due.records, malformed: due.malformed.count, in: transaction)
            if due.count == limit { erased.next = try Self.next(due.last, behind: cursor) }
            return (erased, names)
        }
        spaces.released(names)
        counters.deleted(erased.aliases)
        return erased
    }

    /// Where to go on. Expiries that are no whole seconds, which another hand has written, stand behind the second that they are read as, and
    /// so behind the cursor, for ever: the rest of that second is passed over. Nothing else of it is left then.
    private static func next(
        _ last: ExpiryCursor?, behind cursor: ExpiryCursor?
    ) throws(VaultError) -> ExpiryCursor? {
        guard let last, let cursor, (last.expiresAt, last.id) <= (cursor.expiresAt, cursor.id) else { return last }
        guard last.expiresAt == cursor.expiresAt else {
            throw .corrupt("the database's index is damaged: row \(last.id) stands behind \(cursor.id)")
        }
        return last.expiresAt < .max ? ExpiryCursor(expiresAt: last.expiresAt + 1, id: .min) : nil
    }

    /// Removes records, but for those that are damaged. Returns what was removed, and the aliases.
    ///
    /// - Parameter malformed: records that could not be read at all.
    func eraseIntact(
        _ records: some Sequence<ValueRecord>, malformed: Int, in transaction: any AliasTransaction
    ) throws(VaultError) -> (Erased, names: [String]) {
        var (erased, names) = (Erased(damaged: malformed), [String]())
        for record in records {
            guard try openIfIntact(record) != nil else {
                erased.damaged += 1
                continue
            }
            names += try erase(record, in: transaction)
            erased.values += 1
        }
        erased.aliases = names.count
        return (erased, names)
    }
}
