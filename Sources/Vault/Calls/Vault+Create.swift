import Sensitive

extension Vault {
    /// As many aliases a value may have: a reference, a reveal and their audit events show all of them.
    public static let aliasesPerValue = 1_000

    /// Makes aliases for all items or for none; returns them in the order of the items. When it returns, what is
    /// persistent is durable.
    ///
    /// An empty value stores nothing and is returned without aliases. Throws `repeatedReference`, `valueDoesNotFit`,
    /// `unsuitableClassifiers`, `tooManyAliases`, `unknownAliases`, `aliasSpaceExhausted`, `aliasShareUsed`, `outOfReach`, `volatileStorageFull`, `unavailable`,
    /// `overloaded`, `outcomeUnknown`, `damaged`, `corrupt`.
    ///
    /// - Parameters:
    ///   - admission: whether the caller may have aliases of narrow spaces; nil for no limit.
    ///   - limit: how long the request may wait for the store; nil if it must not be refused.
    public func create(
        _ items: [VaultItem], admission: AliasAdmission? = nil, within limit: WaitLimit? = nil
    ) async throws(VaultError) -> [StoredValue] {
        let now = configuration.clock.unixSeconds()
        let planned = try plan(items, now: now)
        if case .toDo(let items) = planned, isShared, !recalls.pays() {
            do throws(VaultError) { return try await made(items, now: now, admission, within: limit) } catch {
                // A store that cannot write may still know the values.
                guard case .unavailable = error else { throw error }
            }
        }
        switch try await recall(planned, now: now) {
        case .finished(let results):
            counters.created(items.count, remembered: items.count)
            return results
        case .toDo(let items): return try await made(items, now: now, admission, within: limit)
        }
    }

    private func made(
        _ items: [PlannedItem], now: Int64, _ admission: AliasAdmission?, within limit: WaitLimit?
    ) async throws(VaultError) -> [StoredValue] {
        let results = try await carryOutShared(items, now: now, admission, within: limit)
        counters.created(items.count, remembered: 0)
        return results
    }

    /// The aliases that these items reference, in their order, once everything about the items was checked that `create`
    /// checks before it opens a value; nothing is changed. Throws what `create` would throw then, and, as `reveal` does, `revealTooLarge` or
    /// `revealsBusy` if their values have no room.
    public func references(
        in items: [VaultItem], of share: (any RevealShare)? = nil
    ) async throws(VaultError) -> [String] {
        let now = configuration.clock.unixSeconds()
        guard case .toDo(let planned) = try plan(items, now: now) else { return [] }
        var room = RevealRoom(Self.revealRoom, takesOne: true, of: share)
        let stored = try await withoutShared(planned, &room)
        let unknown = try await read { [self, room] (reading) throws(VaultError) in
            var room = RevealRoom?.some(room)
            return try unknownReferences(in: stored, reading, &room, now: now)
        }
        guard unknown.isEmpty else { throw .unknownAliases(unknown) }
        return planned.compactMap { item in
            if case .reference(let alias, _, _) = item { alias } else { nil }
        }
    }

    /// Those of the aliases that these items reference whose values are volatile.
    public func volatileReferences(in items: [VaultItem]) async throws(VaultError) -> Set<String> {
        var aliases: [String] = []
        for case .reference(let alias, _, let storage) in items where storage != .persistent { aliases.append(alias) }
        guard let shared = sharedVolatiles else { return Set(aliases.filter { volatile.record(alias: $0) != nil }) }
        return Set(
            try await shared.find(try await notStored(aliases.filter(SharedVolatiles.mayBeAlias))).keys.map(\.text))
    }

    /// The referenced aliases that are in neither storage, or not in the one that was named.
    ///
    /// - Parameter room: for the values of the others; nil if they have theirs.
    func unknownReferences(
        in items: [PlannedItem], _ reading: (any AliasReading)?, _ room: inout RevealRoom?, now: Int64
    ) throws(VaultError) -> [String] {
        var unknown: [String] = []
        // What has expired takes none, but no more of it is opened.
        var opened = room
        for case .reference(let alias, _, let storage) in items {
            if storage != .persistent, let record = volatile.record(alias: alias) {
                try room?.take(record.returnedSize)
                continue
            }
            if storage != .volatile, let reading, let entry = try reading.entry(alias: alias),
                try isKnown(entry, alias, reading, &opened, now: now)
            {
                if let record = entry.value, room != nil {
                    try room?.take(record.openedSize + reading.aliases(of: record.id).map(\.alias.alias).byteCount)
                }
                continue
            }
            unknown.append(alias)
        }
        return unknown
    }

    /// Whether there is a value that has not ended. A record that says that it has is opened, which shows whether the vault has written
    /// that; others are checked when they are opened.
    private func isKnown(
        _ entry: AliasEntry, _ alias: String, _ reading: any AliasReading, _ room: inout RevealRoom?, now: Int64
    ) throws(VaultError) -> Bool {
        guard let record = entry.value, record.hasExpired(by: now) else { return true }
        try room?.take(record.openedSize)
        try learnKeys([record.keyID], reading)
        return try open(entry, askedFor: alias, now: now) != nil
    }

    /// What the format draws its aliases for `value` from. Throws `valueDoesNotFit`.
    ///
    /// Other processes know nothing of what is in memory alone: in a space of few aliases they would give the same one to another
    /// value, and reveal that. So none is made there.
    func source(
        _ format: AliasFormat, for value: String, _ storage: Storage, item: Int
    ) throws(VaultError) -> AliasDraw.Source {
        if format.accepts(value) {
            let source =
                AliasSpace(format, value: value).map { .space($0) }
                ?? AliasDraw.Source.token(format, configuration.environment)
            if storage == .persistent || (!isShared && sharedVolatiles == nil) || source.isWide { return source }
        }
        guard configuration.fallback == .uuid else { throw .valueDoesNotFit(format, item: item) }
        return .token(.uuid, configuration.environment)
    }

    func carryOut(
        _ plan: [PlannedItem], now: Int64, _ admission: AliasAdmission? = nil, within limit: WaitLimit? = nil
    ) async throws(VaultError) -> Creation.Outcome {
        let staging = Staging()
        let outcome: Creation.Outcome
        do {
            outcome = try await carryOut(plan, staging, now: now, admission, within: limit)
        } catch {
            abandon(staging)
            throw error
        }
        publish(staging, outcome)
        return outcome
    }

    private func carryOut(
        _ plan: [PlannedItem], _ staging: Staging, now: Int64, _ admission: AliasAdmission?,
        within limit: WaitLimit?
    ) async throws(VaultError) -> Creation.Outcome {
        guard try needsStore(plan) else {
            var creation = Creation(self, nil, staging, now: now, admission: admission)
            return try creation.run(plan)
        }
        // A stored value that is changed is sealed again.
        try await allotSeals(Int64(plan.count), now: now)
        return try await write(within: limit) { [self] (transaction) throws(VaultError) in
            // The store may run this again: then what the first run had staged is taken back.
            abandon(staging)
            var creation = Creation(self, transaction, staging, now: now, admission: admission)
            return try creation.run(plan)
        }
    }

    /// Volatile values whose aliases come from a wide space need no store; neither do items that are finished.
    private func needsStore(_ plan: [PlannedItem]) throws(VaultError) -> Bool {
        for (index, item) in plan.enumerated() {
            switch item {
            case .finished: continue
            case .value(let value) where value.storage == .volatile:
                let source = try source(value.format, for: value.text.exposed, .volatile, item: index)
                if !source.isWide { return true }
            case .value, .reference: return true
            }
        }
        return false
    }

    private func publish(_ staging: Staging, _ outcome: Creation.Outcome) {
        let staged = staging.take()
        volatile.publish(staged.records, additions: staged.additions)
        volatile.release(persistent: staged.persistentReservations, volatile: [])
        // A list that was made within the request has them already.
        spaces.released(outcome.freed, unlessListed: true)
        guard let cache else { return }
        for known in outcome.known { cache.fill(known.fingerprint, known.entry, epoch: known.epoch) }
    }

    private func abandon(_ staging: Staging) {
        let staged = staging.take()
        volatile.release(persistent: staged.persistentReservations, volatile: staged.volatileReservations)
        spaces.released(staged.persistentReservations + staged.volatileReservations)
    }
}
