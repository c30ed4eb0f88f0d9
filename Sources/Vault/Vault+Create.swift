import Sensitive

extension Vault {
    /// Makes aliases for all items or for none, and answers in the order of the items. When it returns, what is
    /// persistent is durable.
    ///
    /// An empty value stores nothing and is answered without aliases. Throws `repeatedReference`, `valueDoesNotFit`,
    /// `unknownAliases`, `aliasSpaceExhausted`, `volatileStorageFull`, `unavailable`, `corrupt`.
    public func create(_ items: [VaultItem]) async throws(VaultError) -> [StoredValue] {
        let now = configuration.clock.unixSeconds()
        if let known = try remembered(items, now: now) {
            counters.created(items.count, remembered: items.count)
            return known
        }
        let plan = try plan(items, now: now)
        let staging = Staging()
        let outcome: Creation.Outcome
        do {
            outcome = try await carryOut(plan, staging, now: now)
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
        let plan = try plan(items, now: configuration.clock.unixSeconds())
        let unknown = try await store.read { [self] (reading) throws(VaultError) in
            try Creation.unknownReferences(in: plan, volatile, reading)
        }
        guard unknown.isEmpty else { throw .unknownAliases(unknown) }
        return plan.compactMap { item in
            if case .reference(let alias, _, _) = item { alias } else { nil }
        }
    }

    /// What the format makes its aliases for `value` from. Throws `valueDoesNotFit`.
    func source(_ format: AliasFormat, for value: String, item: Int) throws(VaultError) -> AliasSource {
        guard format.accepts(value) else {
            guard configuration.fallback == .uuid else { throw .valueDoesNotFit(format, item: item) }
            return .token(.uuid)
        }
        return AliasSpace(format, value: value).map { .space($0) } ?? .token(format)
    }

    /// The answer, if every item is a value whose alias is remembered.
    private func remembered(_ items: [VaultItem], now: Int64) throws(VaultError) -> [StoredValue]? {
        guard let cache else { return nil }
        var answers: [StoredValue] = []
        answers.reserveCapacity(items.count)
        for (index, item) in items.enumerated() {
            guard case .value(let text, let format, let classifiers, .persistent) = item else { return nil }
            if text.isEmpty {
                answers.append(empty(item, now: now))
                continue
            }
            try checkFit(text, format, item: index)
            guard let entry = cache.entry(try fingerprint(text)), let aliases = entry.aliases(format),
                entry.classifiers.holdsBytes(ofAll: classifiers)
            else { return nil }
            answers.append(
                StoredValue(
                    value: text, classifiers: entry.classifiers, aliases: aliases, createdAt: entry.createdAt,
                    storage: .persistent))
        }
        return answers
    }

    /// Checks what can be checked without the store. Persistent values that are remembered are settled here only if
    /// all of them are: else the store answers for all, so that items that mean the same value agree.
    private func plan(_ items: [VaultItem], now: Int64) throws(VaultError) -> [PlannedItem] {
        var plan: [PlannedItem] = []
        var references: Set<ExactText> = []
        for (index, item) in items.enumerated() {
            switch item {
            case .value(let text, _, _, _) where text.isEmpty:
                plan.append(.settled(empty(item, now: now)))
            case .value(let text, let format, let classifiers, let storage):
                try checkFit(text, format, item: index)
                switch storage {
                case .persistent:
                    let fingerprint = configuration.reuse ? try fingerprint(text) : nil
                    plan.append(.persistent(text, format, classifiers, fingerprint))
                case .volatile:
                    plan.append(.volatile(text, format, classifiers))
                }
            case .reference(let alias, let format, let storage):
                guard references.insert(ExactText(alias)).inserted else { throw .repeatedReference(alias) }
                plan.append(.reference(alias, format, storage))
            }
        }
        return settleRemembered(plan)
    }

    private func settleRemembered(_ plan: [PlannedItem]) -> [PlannedItem] {
        guard let cache else { return plan }
        var settled = plan
        for (index, item) in plan.enumerated() {
            switch item {
            case .settled, .volatile:
                continue
            case .reference:
                return plan
            case .persistent(let text, let format, let classifiers, let fingerprint):
                guard let fingerprint, let entry = cache.entry(fingerprint), let aliases = entry.aliases(format),
                    entry.classifiers.holdsBytes(ofAll: classifiers)
                else { return plan }
                settled[index] = .settled(
                    StoredValue(
                        value: text, classifiers: entry.classifiers, aliases: aliases, createdAt: entry.createdAt,
                        storage: .persistent))
            }
        }
        return settled
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
                if try !source(format, for: text.exposed, item: index).isWide { return true }
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

    private func checkFit(_ text: SensitiveText, _ format: AliasFormat, item: Int) throws(VaultError) {
        if configuration.fallback == .none, !format.accepts(text.exposed) {
            throw .valueDoesNotFit(format, item: item)
        }
    }

    private func fingerprint(_ text: SensitiveText) throws(VaultError) -> Fingerprint {
        try keyring.fingerprints.code(prefix: sealer.vaultID, message: text.exposed)
    }

    private func empty(_ item: VaultItem, now: Int64) -> StoredValue {
        var labels: [String] = []
        var place = Storage.persistent
        if case .value(_, _, let classifiers, let storage) = item {
            labels = classifiers.distinctByBytes
            place = storage
        }
        return StoredValue(value: SensitiveText(""), classifiers: labels, aliases: [], createdAt: now, storage: place)
    }
}
