import Sensitive

extension Vault {
    /// Makes aliases for all items or for none, and answers in the order of the items. When it returns, what is
    /// persistent is durable.
    ///
    /// An empty value stores nothing and is answered without aliases. Throws `repeatedReference`, `valueDoesNotFit`,
    /// `unknownAliases`, `aliasSpaceExhausted`, `volatileStorageFull`, `unavailable`, `corrupt`.
    public func create(_ items: [VaultItem]) async throws(VaultError) -> [StoredValue] {
        let now = configuration.clock.unixSeconds()
        var plan = try plan(items, now: now)
        if !plan.isSettled { plan = try await recall(plan) }
        if plan.isSettled {
            counters.created(items.count, remembered: items.count)
            return plan.answers
        }
        let staging = Staging()
        let outcome: Creation.Outcome
        do {
            outcome = try await carryOut(plan.items, staging, now: now)
        } catch {
            abandon(staging)
            throw error
        }
        publish(staging, outcome)
        counters.created(items.count, remembered: 0)
        return outcome.answers
    }

    /// The aliases that these items reference, in their order, once everything about the items was checked that `create`
    /// checks before it opens a value; nothing is changed. Throws what `create` would throw then.
    public func references(in items: [VaultItem]) async throws(VaultError) -> [String] {
        let plan = try plan(items, now: configuration.clock.unixSeconds()).items
        let unknown = try await store.read { [self] (reading) throws(VaultError) in
            try Creation.unknownReferences(in: plan, volatile, reading)
        }
        guard unknown.isEmpty else { throw .unknownAliases(unknown) }
        return plan.compactMap { item in
            if case .reference(let alias, _, _) = item { alias } else { nil }
        }
    }

    /// What the format makes its aliases for `value` from. Throws `valueDoesNotFit`.
    ///
    /// Of what is in memory alone other processes know nothing: in a space of few aliases they would give the same one to another
    /// value, and reveal that. So none is made there.
    func source(
        _ format: AliasFormat, for value: String, _ storage: Storage, item: Int
    ) throws(VaultError) -> AliasSource {
        if format.accepts(value) {
            let source = AliasSpace(format, value: value).map { .space($0) } ?? AliasSource.token(format)
            if storage == .persistent || !isShared || source.isWide { return source }
        }
        guard configuration.fallback == .uuid else { throw .valueDoesNotFit(format, item: item) }
        return .token(.uuid)
    }

    private func carryOut(
        _ plan: [PlannedItem], _ staging: Staging, now: Int64
    ) async throws(VaultError) -> Creation.Outcome {
        guard try needsStore(plan) else {
            var creation = Creation(self, nil, staging, now: now)
            return try creation.run(plan)
        }
        try await setSealsAside(seals(plan), now: now)
        return try await store.write { [self] (transaction) throws(VaultError) in
            // The store may run this again: then what the first run had staged is taken back.
            abandon(staging)
            var creation = Creation(self, transaction, staging, now: now)
            return try creation.run(plan)
        }
    }

    /// Volatile values whose aliases come from a wide space need no store; neither do items that are settled.
    private func needsStore(_ plan: [PlannedItem]) throws(VaultError) -> Bool {
        for (index, item) in plan.enumerated() {
            switch item {
            case .settled: continue
            case .volatile(let text, let format, _):
                if try !source(format, for: text.exposed, .volatile, item: index).isWide { return true }
            case .persistent, .reference: return true
            }
        }
        return false
    }

    /// At most so many values are sealed under the data key.
    private func seals(_ plan: [PlannedItem]) -> Int64 {
        plan.reduce(0) { count, item in
            if case .persistent = item { count + 1 } else { count }
        }
    }

    private func publish(_ staging: Staging, _ outcome: Creation.Outcome) {
        let staged = staging.take()
        volatile.publish(staged.records, additions: staged.additions)
        volatile.release(claims: staged.claims, reservations: [])
        guard let cache else { return }
        for known in outcome.known {
            cache.remove(known.fingerprint)
            cache.fill(known.fingerprint, known.entry, epoch: known.epoch)
        }
    }

    private func abandon(_ staging: Staging) {
        let staged = staging.take()
        volatile.release(claims: staged.claims, reservations: staged.reservations)
        spaces.released(staged.claims + staged.reservations)
    }
}
