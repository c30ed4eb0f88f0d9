import Sensitive

/// One create request being carried out, inside the store's transaction where it needs one. Whatever it throws, the
/// caller takes back what was staged.
struct Creation {
    private enum ItemResult {
        case finished(StoredValue)
        case made(value: Int, Alias)
        case all(value: Int, Alias)
    }

    /// What the caller gets once everything is durable.
    struct Outcome: Sendable {
        let results: [StoredValue]
        /// What may be remembered of values that can be reused, unless the epoch has passed in which it was read.
        let known: [(fingerprint: Fingerprint, entry: ReuseCache.Entry, epoch: Int)]
        /// Aliases that are free again.
        let freed: [String]
    }

    private let vault: Vault
    private let transaction: (any AliasTransaction)?
    private let staging: Staging
    private let keys: Keyring.Active
    private let now: Int64
    private let admission: AliasAdmission?
    private var values: [WorkingValue] = []
    private var indexes: [Fingerprint: Int] = [:]
    private var epochs: [Fingerprint: Int] = [:]
    /// Aliases of values that were removed to make room. Until the commit they are free for this request alone.
    private var freed: [String] = []
    /// Nil until something persistent is looked at.
    private var erasures: OpenErasures?

    init(
        _ vault: Vault, _ transaction: (any AliasTransaction)?, _ staging: Staging, now: Int64,
        admission: AliasAdmission?
    ) {
        self.vault = vault
        self.transaction = transaction
        self.staging = staging
        self.now = now
        self.admission = admission
        keys = vault.keyring.active
    }

    /// Carries out all items in order.
    mutating func run(_ items: [PlannedItem]) throws(VaultError) -> Outcome {
        try checkReferences(items)
        var results: [ItemResult] = []
        results.reserveCapacity(items.count)
        values.reserveCapacity(items.count)
        indexes.reserveCapacity(items.count)
        epochs.reserveCapacity(items.count)
        let found = try persistentValues(items)
        for (index, item) in items.enumerated() {
            switch item {
            case .finished(let stored):
                results.append(.finished(stored))
            case .value(let planned):
                let value = found[index] ?? addVolatileValue(planned)
                results.append(.made(value: value, try alias(planned.format, for: value, item: index)))
            case .reference(let alias, let format, let storage):
                let value = try referencedValue(alias, storage)
                results.append(.all(value: value, try self.alias(format, for: value, item: index)))
            }
        }
        try store()
        return Outcome(results: results.map(stored), known: known(), freed: freed)
    }

    /// All unknown references are named at once, before anything is done.
    private func checkReferences(_ items: [PlannedItem]) throws(VaultError) {
        var room: RevealRoom?
        let unknown = try vault.unknownReferences(in: items, transaction, &room, now: now)
        guard unknown.isEmpty else { throw .unknownAliases(unknown) }
    }

    // MARK: Values

    /// The persistent values of items, by their places. In a shared store they are looked for, which locks them, and later written in the
    /// order of their fingerprints: two requests with the same values then wait for each other in one direction only.
    private mutating func persistentValues(_ items: [PlannedItem]) throws(VaultError) -> [Int: Int] {
        var planned: [(item: Int, value: PlannedValue, fingerprint: Fingerprint?)] = []
        for (index, item) in items.enumerated() {
            guard case .value(let value) = item, value.storage == .persistent else { continue }
            let fingerprint =
                value.isReusable ? try vault.sealer.fingerprint(value.text, by: keys.fingerprint) : nil
            planned.append((index, value, fingerprint))
        }
        if vault.isShared, planned.count > 1 {
            let codes = planned.map { $0.fingerprint?.bytes ?? [] }
            let order = planned.indices.sorted {
                codes[$0] == codes[$1] ? $0 < $1 : codes[$0].lexicographicallyPrecedes(codes[$1])
            }
            planned = order.map { planned[$0] }
        }
        var found: [Int: Int] = [:]
        for (item, value, fingerprint) in planned { found[item] = try persistentValue(value, fingerprint, item: item) }
        return found
    }

    private mutating func persistentValue(
        _ planned: PlannedValue, _ fingerprint: Fingerprint?, item: Int
    ) throws(VaultError) -> Int {
        guard let transaction else { throw .unavailable("no transaction") }
        if let index = try knownValue(planned.text, fingerprint, transaction) {
            let most = admission?.givesClassifiers == true ? Vault.classifiersPerValue : .max
            guard values[index].add(planned.classifiers, atMost: most) else { throw .unsuitableClassifiers(item: item) }
            values[index].extend(to: planned.expiresAt)
            return index
        }
        if let fingerprint { indexes[fingerprint] = values.count }
        values.append(
            WorkingValue(
                text: planned.text, storage: .persistent,
                id: try vault.newValueID(beside: openErasures(transaction), in: transaction), fingerprint: fingerprint,
                createdAt: now, expiresAt: planned.expiresAt, classifiers: planned.classifiers.distinctByBytes,
                aliases: [], origin: .new(try vault.sealer.newBinding())))
        return values.count - 1
    }

    private mutating func openErasures(_ transaction: any AliasTransaction) throws(VaultError) -> OpenErasures {
        if let erasures { return erasures }
        let read = try vault.openErasures(in: transaction)
        erasures = read
        return read
    }

    /// The value with this fingerprint, in this request or in the store. One that has expired, or waits to be erased, is removed to make
    /// room; one whose end has passed only by a clock that was set forward lives on (`PatientClock`).
    private mutating func knownValue(
        _ text: SensitiveText, _ fingerprint: Fingerprint?, _ transaction: any AliasTransaction
    ) throws(VaultError) -> Int? {
        guard let fingerprint else { return nil }
        if let index = indexes[fingerprint] { return index }
        noteEpoch(fingerprint)
        guard let record = try vault.record(of: text, fingerprint, in: transaction) else { return nil }
        let isToBeErased = try openErasures(transaction).holds(record)
        let hasExpired = record.hasExpired(by: now) && record.hasExpired(by: vault.configuration.clock.patientSeconds())
        guard isToBeErased || hasExpired else { return try add(record, text, fingerprint) }
        freed += try vault.erase(record, in: transaction)
        return nil
    }

    private mutating func addVolatileValue(_ planned: PlannedValue) -> Int {
        values.append(
            WorkingValue(
                text: planned.text, storage: .volatile, id: vault.volatile.nextID(), fingerprint: nil, createdAt: now,
                expiresAt: planned.expiresAt, classifiers: planned.classifiers.distinctByBytes, aliases: [],
                origin: .newVolatile))
        return values.count - 1
    }

    private mutating func referencedValue(_ alias: String, _ storage: Storage?) throws(VaultError) -> Int {
        if let index = values.firstIndex(where: { $0.aliases.contains { $0.alias == alias } }) { return index }
        if storage != .persistent, let record = vault.volatile.record(alias: alias) {
            let text = try vault.open(record)
            values.append(
                WorkingValue(
                    text: text, storage: .volatile, id: record.id, fingerprint: nil, createdAt: record.createdAt,
                    expiresAt: record.endsAt, classifiers: record.classifiers, aliases: record.aliases,
                    origin: .volatile))
            return values.count - 1
        }
        guard storage != .volatile, let transaction, let entry = try transaction.entry(alias: alias) else {
            throw .unknownAliases([alias])
        }
        if let record = entry.value { try vault.learnKeys([record.keyID], transaction) }
        guard let opened = try vault.open(entry, askedFor: alias, now: now),
            try !openErasures(transaction).holds(opened.record)
        else { throw .unknownAliases([alias]) }
        guard opened.record.fingerprint != nil else { return try add(opened.record, opened.text, nil) }
        let fingerprint = try vault.sealer.fingerprint(opened.text, by: keys.fingerprint)
        if let index = indexes[fingerprint], values[index].id == opened.record.id { return index }
        noteEpoch(fingerprint)
        // The same value may have been stored again since the fingerprint key was changed: that one is found by it.
        if let other = try transaction.value(fingerprint: fingerprint), other.id != opened.record.id {
            return try add(opened.record, opened.text, nil)
        }
        return try add(opened.record, opened.text, fingerprint)
    }

    /// - Parameter fingerprint: under the active key.
    private mutating func add(
        _ record: ValueRecord, _ text: SensitiveText, _ fingerprint: Fingerprint?
    ) throws(VaultError) -> Int {
        if let fingerprint { indexes[fingerprint] = values.count }
        let aliases = try vault.checked(transaction?.aliases(of: record.id) ?? [], of: record)
        values.append(
            WorkingValue(
                text: text, storage: .persistent, id: record.id, fingerprint: fingerprint,
                createdAt: record.createdAt, expiresAt: record.expiresAt, classifiers: record.classifiers,
                aliases: aliases, origin: .stored(record)))
        return values.count - 1
    }

    // MARK: Aliases

    /// The alias of this format for the value: the one it has, where reuse is on, else a new one. Volatile values
    /// never reuse.
    private mutating func alias(_ format: AliasFormat, for value: Int, item: Int) throws(VaultError) -> Alias {
        if vault.configuration.reuse, values[value].storage == .persistent,
            let known = values[value].aliases.first(where: { $0.format == format })
        {
            return known
        }
        guard values[value].aliases.count < Vault.aliasesPerValue else { throw .tooManyAliases(item: item) }
        let source = try vault.source(format, for: values[value].text.exposed, values[value].storage, item: item)
        var alias = try draw(source, format, value, item)
        if alias == nil, vault.configuration.fallback == .uuid {
            alias = try draw(.token(.uuid, vault.configuration.environment), format, value, item)
        }
        guard let alias else { throw .aliasSpaceExhausted(format) }
        values[value].aliases.append(alias)
        return alias
    }

    /// Draws until an alias is free and written; `nil` once the source is used up.
    private mutating func draw(
        _ source: AliasDraw.Source, _ format: AliasFormat, _ value: Int, _ item: Int
    ) throws(VaultError) -> Alias? {
        if let admission, case .space(let space) = source {
            try admission.require(space, values[value].storage, in: vault.spaces)
        }
        var draw = AliasDraw(
            source, value: values[value].text, spaces: vault.spaces, volatile: vault.volatile, random: vault.random,
            taken: transaction, isShared: vault.isShared, now: now)
        while let candidate = try draw.next() {
            let alias = Alias(alias: candidate, format: format)
            guard try assign(alias, isWide: source.isWide, to: values[value], item) else { continue }
            draw.accept()
            freed.removeAll { $0 == candidate }
            return alias
        }
        guard case .space(let space) = source else { return nil }
        for (index, candidate) in freed.enumerated() where space.index(of: candidate.utf8) != nil {
            let alias = Alias(alias: candidate, format: format)
            guard candidate != values[value].text.exposed, try assign(alias, isWide: false, to: values[value], item)
            else {
                continue
            }
            freed.remove(at: index)
            return alias
        }
        return nil
    }

    /// Makes the alias the value's, if it is free. See `VolatileStore` for the order of the steps.
    private func assign(
        _ alias: Alias, isWide: Bool, to value: WorkingValue, _ item: Int
    ) throws(VaultError) -> Bool {
        switch value.storage {
        case .persistent:
            guard let transaction, let binding = value.binding else { throw .unavailable("no transaction") }
            let record = try vault.sealer.record(alias, of: value.id, binding, by: vault.keyring.integrity)
            if isWide { return try transaction.insert(record) }
            guard vault.volatile.reservePersistent(alias.alias) else { return false }
            // Staged at once, so that the reservation is taken back if the store fails.
            staging.add { $0.persistentReservations.append(alias.alias) }
            if try transaction.insert(record) { return true }
            staging.add { $0.persistentReservations.removeLast() }
            vault.volatile.release(persistent: [alias.alias], volatile: [])
            return false
        case .volatile:
            let isFirst = value.isNew && value.aliases.isEmpty
            let further = isFirst ? VolatileSize(value.text, classifiers: value.classifiers).further : 0
            guard try vault.volatile.reserveVolatile(alias.alias, of: value.id, further: further, item: item) else {
                return false
            }
            staging.add { $0.volatileReservations.append(alias.alias) }
            if !isWide, try transaction?.holds(alias: alias.alias) == true {
                staging.add { $0.volatileReservations.removeLast() }
                vault.volatile.release(persistent: [], volatile: [alias.alias])
                return false
            }
            if !value.isNew { staging.add { $0.additions.append((value.id, alias)) } }
            return true
        }
    }

    // MARK: Results

    private mutating func noteEpoch(_ fingerprint: Fingerprint) {
        if epochs[fingerprint] == nil { epochs[fingerprint] = vault.cache?.epoch(fingerprint) }
    }

    /// Writes what is new or changed. New values first: they have drawn their ids, and a changed one may draw another (`put`). So the
    /// store gets rows in the order of their ids.
    private mutating func store() throws(VaultError) {
        for value in values {
            switch value.origin {
            case .new(let binding):
                var record = ValueRecord(
                    id: value.id, binding: binding, fingerprint: value.fingerprint, keyID: keys.data.id, sealed: [],
                    classifiers: value.classifiers, createdAt: value.createdAt, expiresAt: value.expiresAt)
                try vault.sealer.seal(value.text, into: &record, under: keys.data)
                guard let transaction else { throw .unavailable("no transaction") }
                try transaction.insert(record)
            case .newVolatile:
                let record = try vault.seal(value)
                staging.add { $0.records.append(record) }
            case .stored, .volatile: break
            }
        }
        for value in values {
            if case .stored(let record) = value.origin { try update(record, to: value) }
        }
    }

    private mutating func update(_ record: ValueRecord, to value: WorkingValue) throws(VaultError) {
        let isFoundByOldKey =
            record.fingerprint != nil && record.fingerprint != value.fingerprint && record.keyID < keys.data.id
        let isChanged = record.classifiers != value.classifiers || record.expiresAt != value.expiresAt
        guard isChanged || isFoundByOldKey, let transaction else { return }
        if isChanged { try admission?.requireReach(record.classifiers) }
        if let fingerprint = value.fingerprint {
            vault.cache?.invalidate(fingerprint)
            epochs[fingerprint] = vault.cache?.epoch(fingerprint)
        }
        var record = record
        record.classifiers = value.classifiers
        record.expiresAt = value.expiresAt
        try vault.put(
            record, value.text, aliases: { value.aliases }, under: keys, beside: openErasures(transaction),
            in: transaction)
    }

    private func stored(_ result: ItemResult) -> StoredValue {
        switch result {
        case .finished(let stored): stored
        case .made(let value, let alias): values[value].stored(aliases: [alias], requested: 0)
        case .all(let value, let alias):
            values[value].stored(
                aliases: values[value].aliases, requested: values[value].aliases.lastIndex(of: alias))
        }
    }

    private func known() -> [(fingerprint: Fingerprint, entry: ReuseCache.Entry, epoch: Int)] {
        values.compactMap { value in
            guard vault.configuration.reuse, let fingerprint = value.fingerprint, let epoch = epochs[fingerprint]
            else { return nil }
            let entry = ReuseCache.Entry(
                createdAt: value.createdAt, expiresAt: value.expiresAt, classifiers: value.classifiers,
                allAliases: value.aliases)
            return (fingerprint, entry, epoch)
        }
    }
}
