/// The first step of an erasure by classifier: the volatile values, which are not in the store.
extension Vault {
    /// Erases the volatile values, and stores how many went: also those that went before an error. Returns what the erasure has done so
    /// far; nil if it has finished before. Of two processes that do this at the same time each adds what it has erased.
    func eraseVolatiles(of known: Erasure) async throws(VaultError) -> Erasure? {
        var gone = ErasedVolatiles()
        let failure = await removeVolatiles(known.classifier, &gone)
        counters.deleted(gone.aliases)
        counters.foundDamage(gone.damaged)
        if let failure, gone.values == 0 { throw failure }
        let (erased, isComplete) = (gone, failure == nil)
        let now = configuration.clock.unixSeconds()
        try await allotSeals(3, now: now)
        let erasure = try await write { [self] (transaction) throws(VaultError) in
            try note(erased, isComplete: isComplete, of: known.id, in: transaction, now: now)
        }
        if let failure { throw failure }
        return erasure
    }

    /// Returns the error that came before the end, if any.
    private func removeVolatiles(_ classifier: String, _ gone: inout ErasedVolatiles) async -> VaultError? {
        guard let shared = sharedVolatiles else {
            gone = volatile.remove(classifier: classifier)
            return nil
        }
        do { try await shared.remove(classifier: classifier, &gone) } catch { return error }
        return nil
    }

    /// Adds what went to the erasure's record. Nil if it has finished before.
    private func note(
        _ gone: ErasedVolatiles, isComplete: Bool, of id: String, in transaction: any AliasTransaction, now: Int64
    ) throws(VaultError) -> Erasure? {
        let name = try erasureNotes.name(id)
        for _ in 0..<ErasureNotes.attempts {
            guard let old = try transaction.response(name) else { return nil }
            try learnKeys([old.keyID], transaction)
            guard var erasure = Erasure(try open(old, under: name)), erasure.finishedAt == nil else { return nil }
            guard try transaction.delete(response: name, sealed: old.sealed) else { continue }
            erasure.add(gone)
            if isComplete { erasure.cursor = max(erasure.cursor, 0) }
            if isComplete, !erasure.hasStored {
                erasure.finishedAt = now
                try noteEnd(of: id, in: transaction)
            }
            _ = try transaction.insert(try sealed(erasure, now: now))
            return erasure
        }
        throw .unavailable("other processes go on with the same erasure all the time")
    }
}

extension Erasure {
    fileprivate mutating func add(_ gone: ErasedVolatiles) {
        count += gone.values
        values += gone.values
        aliases += gone.aliases
        damaged += gone.damaged
    }
}
