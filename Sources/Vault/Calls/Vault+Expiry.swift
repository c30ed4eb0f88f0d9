extension Vault {
    /// What one batch of erasing did.
    public struct Erased: Sendable {
        /// Values that were removed, with all their aliases.
        public var values = 0
        /// Their aliases.
        public var aliases = 0
        /// Values that are damaged, whether they were removed or left where they are.
        public var damaged = 0
        /// Where to go on; nil if nothing is left.
        public var next: ExpiryCursor?
    }

    /// Removes values that have expired, with their aliases: up to `limit` a call, in order of their expiry. Their aliases are unknown
    /// from the moment of expiry; to be called at least every hour so that nothing of them stays longer. One that is
    /// damaged goes too, at the time that its row says: nobody can use it.
    ///
    /// - Parameter cursor: `next` of the call before, nil to begin.
    public func eraseExpired(
        limit: Int = 256, after cursor: ExpiryCursor? = nil
    ) async throws(VaultError) -> Erased {
        let now = configuration.clock.unixSeconds()
        let (erased, names) = try await write { [self] (transaction) throws(VaultError) in
            let due = try transaction.values(expiringBy: now, after: cursor ?? .start, limit: limit)
            var (erased, names) = (Erased(), [String]())
            for record in due.records {
                try note(record, in: &erased, transaction)
                names += try erase(record, in: transaction)
            }
            for id in due.malformed { names += try transaction.erase(value: id) }
            counters.foundDamage(due.malformed.count)
            erased.damaged += due.malformed.count
            (erased.values, erased.aliases) = (due.count, names.count)
            if due.count == limit { erased.next = due.last }
            return (erased, names)
        }
        if erased.damaged > 0 { cache?.removeAll() }
        spaces.released(names)
        counters.deleted(erased.aliases)
        return erased
    }

    /// Counts a value that is about to be erased if it is damaged.
    func note(
        _ record: ValueRecord, in erased: inout Erased, _ transaction: any AliasTransaction
    ) throws(VaultError) {
        try learnKeys([record.keyID], transaction)
        if try openIfIntact(record) == nil { erased.damaged += 1 }
    }
}
