import Crypto
import Sensitive

/// One create request being carried out, inside the store's transaction where it needs one. Whatever it throws, the
/// caller takes back what was staged.
struct Creation {
    private enum Answer {
        case settled(StoredValue)
        case made(value: Int, Alias)
        case all(value: Int)
    }

    /// What the caller gets once everything is durable.
    struct Outcome: Sendable {
        let answers: [StoredValue]
        /// What may be remembered of values that can be reused, and whether the request changed it.
        let known: [(fingerprint: Fingerprint, entry: ReuseCache.Entry, epoch: Int)]
    }

    private let vault: Vault
    private let transaction: (any AliasTransaction)?
    private let staging: Staging
    private let now: Int64
    private var values: [WorkingValue] = []
    private var indexes: [Fingerprint: Int] = [:]
    private var epochs: [Fingerprint: Int] = [:]

    init(_ vault: Vault, _ transaction: (any AliasTransaction)?, _ staging: Staging, now: Int64) {
        self.vault = vault
        self.transaction = transaction
        self.staging = staging
        self.now = now
    }

    /// Carries out all items in order.
    mutating func run(_ items: [PlannedItem]) throws(VaultError) -> Outcome {
        var answers: [Answer] = []
        try checkReferences(items)
        for (index, item) in items.enumerated() {
            switch item {
            case .settled(let stored):
                answers.append(.settled(stored))
            case .persistent(let text, let format, let classifiers, let fingerprint):
                let value = try persistentValue(text, fingerprint)
                values[value].add(classifiers)
                answers.append(.made(value: value, try alias(format, for: value, item: index)))
            case .volatile(let text, let format, let classifiers):
                let value = addVolatileValue(text, classifiers)
                answers.append(.made(value: value, try alias(format, for: value, item: index)))
            case .reference(let alias, let format, let storage):
                let value = try referencedValue(alias, storage)
                _ = try self.alias(format, for: value, item: index)
                answers.append(.all(value: value))
            }
        }
        try store()
        return Outcome(answers: answers.map(stored), known: known())
    }

    /// All unknown references are named at once, before anything is done.
    private func checkReferences(_ items: [PlannedItem]) throws(VaultError) {
        let unknown = try Self.unknownReferences(in: items, vault.volatile, transaction)
        guard unknown.isEmpty else { throw .unknownAliases(unknown) }
    }

    /// The referenced aliases that are in neither storage, or not in the one that was named.
    static func unknownReferences(
        in items: [PlannedItem], _ volatile: VolatileStore, _ store: (any AliasReading)?
    ) throws(VaultError) -> [String] {
        var unknown: [String] = []
        for case .reference(let alias, _, let storage) in items {
            if storage != .persistent, volatile.record(alias: alias) != nil { continue }
            if storage != .volatile, try store?.holds(alias: alias) == true { continue }
            unknown.append(alias)
        }
        return unknown
    }

    // MARK: Values

    private mutating func persistentValue(_ text: SensitiveText, _ fingerprint: Fingerprint?) throws(VaultError) -> Int
    {
        guard let transaction else { throw .unavailable("no transaction") }
        if let fingerprint {
            if let index = indexes[fingerprint] { return index }
            noteEpoch(fingerprint)
            if let record = try transaction.value(fingerprint: fingerprint) {
                return try add(record, text)
            }
        }
        if let fingerprint { indexes[fingerprint] = values.count }
        values.append(
            WorkingValue(
                text: text, storage: .persistent, id: try transaction.nextValueID(), fingerprint: fingerprint,
                createdAt: now, classifiers: [], aliases: [], record: nil, isNew: true))
        return values.count - 1
    }

    private mutating func addVolatileValue(_ text: SensitiveText, _ classifiers: [String]) -> Int {
        var value = WorkingValue(
            text: text, storage: .volatile, id: vault.volatile.nextID(), fingerprint: nil, createdAt: now,
            classifiers: [], aliases: [], record: nil, isNew: true)
        value.add(classifiers)
        values.append(value)
        return values.count - 1
    }

    private mutating func referencedValue(_ alias: String, _ storage: Storage?) throws(VaultError) -> Int {
        if let index = values.firstIndex(where: { $0.aliases.contains { $0.alias == alias } }) { return index }
        if storage != .persistent, let record = vault.volatile.record(alias: alias) {
            let text = try vault.open(record)
            values.append(
                WorkingValue(
                    text: text, storage: .volatile, id: record.id, fingerprint: nil, createdAt: record.createdAt,
                    classifiers: record.classifiers, aliases: record.aliases, record: nil, isNew: false))
            return values.count - 1
        }
        guard storage != .volatile, let record = try transaction?.value(alias: alias) else {
            throw .unknownAliases([alias])
        }
        if let fingerprint = record.fingerprint { noteEpoch(fingerprint) }
        if let transaction { try vault.learnKeys([record.keyID], transaction) }
        return try add(record, try vault.open(record))
    }

    private mutating func add(_ record: ValueRecord, _ text: SensitiveText) throws(VaultError) -> Int {
        if let fingerprint = record.fingerprint {
            if let index = indexes[fingerprint] { return index }
            indexes[fingerprint] = values.count
        }
        values.append(
            WorkingValue(
                text: text, storage: .persistent, id: record.id, fingerprint: record.fingerprint,
                createdAt: record.createdAt, classifiers: record.classifiers,
                aliases: try transaction?.aliases(of: record.id) ?? [], record: record, isNew: false))
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
        let text = values[value].text.exposed
        let source = try vault.source(format, for: text, values[value].storage, item: item)
        let drawn = try draw(source, format, value, text)
        let alias = Alias(alias: drawn, format: format)
        values[value].aliases.append(alias)
        return alias
    }

    private func draw(
        _ source: AliasSource, _ format: AliasFormat, _ value: Int, _ text: String
    ) throws(VaultError) -> String {
        if case .space(let space) = source {
            let drawn = try drawFromSpace(space, source.isWide, value)
            if let drawn { return drawn }
            guard vault.configuration.fallback == .uuid else { throw .aliasSpaceExhausted(format) }
        }
        var shape = AliasFormat.uuid
        if case .token(let format) = source { shape = format }
        while true {
            let token = try crypto(
                try vault.random.draw { (block) throws(CryptoError) in
                    try TokenAlias.draw(shape, value: text, environment: vault.configuration.environment, &block)
                })
            if token != text, try take(token, format, isWide: true, value) { return token }
        }
    }

    private func drawFromSpace(_ space: AliasSpace, _ isWide: Bool, _ value: Int) throws(VaultError) -> String? {
        guard let transaction else {
            // Only wide spaces get here without a transaction: there is nothing to look up.
            let bytes = try crypto(
                try vault.random.draw { (block) throws(CryptoError) in try space.draw(&block) })
            let alias = String(decoding: bytes, as: UTF8.self)
            return try take(alias, space.format, isWide: true, value) ? alias : nil
        }
        let draw = SpaceDraw(
            space: space, value: values[value].text, spaces: vault.spaces, volatile: vault.volatile,
            random: vault.random, taken: transaction, isShared: vault.isShared, now: now)
        return try draw.run { (alias) throws(VaultError) in
            try take(alias, space.format, isWide: isWide, value)
        }
    }

    /// Tries to make the alias the value's. See `VolatileStore` for the order of the steps.
    private func take(
        _ alias: String, _ format: AliasFormat, isWide: Bool, _ value: Int
    ) throws(VaultError) -> Bool {
        switch values[value].storage {
        case .persistent:
            guard let transaction else { throw .unavailable("no transaction") }
            let alias = Alias(alias: alias, format: format)
            if isWide { return try transaction.insert(alias, value: values[value].id) }
            guard vault.volatile.claim(alias.alias) else { return false }
            // Staged at once, so that the claim is taken back if the store fails.
            staging.add { $0.claims.append(alias.alias) }
            if try transaction.insert(alias, value: values[value].id) { return true }
            staging.add { $0.claims.removeLast() }
            vault.volatile.release(claims: [alias.alias], reservations: [])
            return false
        case .volatile:
            guard try vault.volatile.reserve(alias) else { return false }
            staging.add { $0.reservations.append(alias) }
            if !isWide, try transaction?.holds(alias: alias) == true {
                staging.add { $0.reservations.removeLast() }
                vault.volatile.release(claims: [], reservations: [alias])
                return false
            }
            if !values[value].isNew {
                staging.add { $0.additions.append((values[value].id, Alias(alias: alias, format: format))) }
            }
            return true
        }
    }

    // MARK: Results

    private mutating func noteEpoch(_ fingerprint: Fingerprint) {
        if epochs[fingerprint] == nil { epochs[fingerprint] = vault.cache?.epoch(fingerprint) }
    }

    /// Writes what is new or changed.
    private mutating func store() throws(VaultError) {
        for value in values {
            switch (value.storage, value.record) {
            case (.persistent, nil):
                let key = vault.keyring.active
                let sealed = try vault.sealer.seal(value.text, id: value.id, storage: .persistent, key: key)
                try transaction?.insert(
                    ValueRecord(
                        id: value.id, fingerprint: value.fingerprint, keyID: key.id, sealed: sealed,
                        classifiers: value.classifiers, createdAt: value.createdAt))
            case (.persistent, var record?):
                guard record.classifiers != value.classifiers else { continue }
                if let fingerprint = value.fingerprint {
                    vault.cache?.invalidate(fingerprint)
                    epochs[fingerprint] = vault.cache?.epoch(fingerprint)
                }
                record.classifiers = value.classifiers
                try transaction?.update(record)
            case (.volatile, _):
                guard value.isNew else { continue }
                let record = try vault.seal(value)
                staging.add { $0.records.append(record) }
            }
        }
    }

    private func stored(_ answer: Answer) -> StoredValue {
        switch answer {
        case .settled(let stored): stored
        case .made(let value, let alias): values[value].answer(aliases: [alias])
        case .all(let value): values[value].answer(aliases: values[value].aliases)
        }
    }

    private func known() -> [(fingerprint: Fingerprint, entry: ReuseCache.Entry, epoch: Int)] {
        values.compactMap { value in
            guard vault.configuration.reuse, let fingerprint = value.fingerprint, let epoch = epochs[fingerprint]
            else { return nil }
            let entry = ReuseCache.Entry(
                createdAt: value.createdAt, classifiers: value.classifiers, allAliases: value.aliases)
            return (fingerprint, entry, epoch)
        }
    }
}
