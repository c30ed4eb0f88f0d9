import Crypto
import Sensitive

/// The volatile values that this vault shares with other processes: what each call does with them.
///
/// Every change reads, computes and writes only if nothing has changed in between; so several processes need no lock, and a request
/// is carried out as a whole or not at all. Aliases are of formats with so many (2^100 or more) that one drawn at random equals no
/// persistent one. In a narrower format each persistent alias would have to be reserved here before it is stored, and forms
/// could not be stored while this server is down.
struct SharedVolatiles: Sendable {
    /// How often a change is tried against others of the same value.
    private static let attempts = 8
    private static let endless = VaultError.unavailable("the server of VOLATILE values does not come to their end")
    private static let overtaken = VaultError.unavailable("other requests change the same values all the time")
    /// All aliases that are drawn from 2^100 or more have so many characters, and no fewer than these.
    private static let lengths = 20...64

    let store: any SharedVolatileStore
    let sealer: Sealer
    let keys: SharedVolatileKeys
    let configuration: VaultConfiguration
    let places: HeldPlaces
    /// Names the vault to the server.
    let vault: String

    init(
        _ store: any SharedVolatileStore, _ sealer: Sealer, _ keys: SharedVolatileKeys,
        _ configuration: VaultConfiguration
    ) {
        self.store = store
        self.sealer = sealer
        self.keys = keys
        self.configuration = configuration
        places = HeldPlaces(configuration.clock)
        vault = Hexadecimal.encode(sealer.vaultID)
    }

    /// Whether a text may be such an alias; others need not be looked for.
    static func mayBeAlias(_ text: String) -> Bool { lengths.contains(text.utf8.count) }

    /// A value as it was found.
    struct Found: Sendable {
        let stored: SharedVolatileValue
        var record: SharedVolatileRecord
    }

    /// What is alive of these, by alias. Throws `damaged` or `damagedFleeting` if a record is not what this
    /// vault wrote under that alias, and `revealTooLarge` if they have no room.
    ///
    /// - Parameter room: nil where they are not revealed.
    func find(_ aliases: [String], room: RevealRoom? = nil) async throws(VaultError) -> [ExactText: Found] {
        let aliases = aliases.filter(Self.mayBeAlias)
        guard !aliases.isEmpty else { return [:] }
        let stored = try await store.values(ofAliases: try names(of: aliases), in: vault, room: room)
        let size = stored.reduce(0) { $0 + ($1?.sealed.count ?? 0) }
        return try await configuration.open(size) { () throws(VaultError) in
            try opened(stored, of: aliases)
        }
    }

    // Not inlined: raw values must not become locals of the asynchronous caller, whose frame is not wiped when it ends.
    @inline(never)
    private func opened(
        _ stored: [SharedVolatileValue?], of aliases: [String]
    ) throws(VaultError) -> [ExactText: Found] {
        var found: [ExactText: Found] = [:]
        // Each value once, however many aliases name it.
        var records: [String: (sealed: [UInt8], record: SharedVolatileRecord)] = [:]
        let now = configuration.clock.unixSeconds()
        for (alias, value) in zip(aliases, stored) {
            guard let value else { continue }
            let record: SharedVolatileRecord
            if let known = records[value.name], known.sealed == value.sealed {
                record = known.record
            } else {
                do { record = try sealer.open(value, by: keys) } catch {
                    if error.isDamage { throw Self.damage(behind: alias) }
                    throw error
                }
                records[value.name] = (value.sealed, record)
            }
            guard record.aliases.contains(where: { $0.isSame(as: alias) }) else {
                throw Self.damage(behind: alias)
            }
            if record.expiresAt > now { found[ExactText(alias)] = Found(stored: value, record: record) }
        }
        return found
    }

    /// What a damaged value's alias keeps of it is not known, unless it is a token that keeps nothing.
    private static func damage(behind alias: String) -> VaultError {
        alias.isPlainToken ? .damaged(alias: alias) : .damagedFleeting(alias: alias)
    }

    func names(of aliases: [String]) throws(VaultError) -> [String] {
        var names: [String] = []
        for alias in aliases { names.append(try sealer.name(ofShared: alias, by: keys)) }
        return names
    }

    /// Makes the changes that `plan` comes to, again from the start where others came first. Returns what it returned last.
    func change<Result: Sendable>(
        _ plan: () async throws(VaultError) -> (changes: [SharedVolatileChange], result: Result)
    ) async throws(VaultError) -> Result {
        for _ in 0..<Self.attempts {
            let (changes, result) = try await plan()
            if changes.isEmpty { return result }
            let outcome = try await store.apply(changes, in: vault, capacity: configuration.volatileCapacity)
            if case .applied = outcome { return result }
        }
        throw Self.overtaken
    }

    /// The change of a value to what `record` is now.
    @inline(never)
    func change(_ found: Found, to record: SharedVolatileRecord) throws(VaultError) -> SharedVolatileChange {
        let (old, new) = (found.record.aliases, record.aliases)
        // By the patient clock: the server keeps the shorter of what it is told and what is left, for good.
        let left = max(1, record.expiresAt - configuration.clock.patientSeconds())
        var change = SharedVolatileChange(
            name: found.stored.name, expected: found.stored.sealed,
            removed: try names(of: old.map(\.alias).filter { alias in !new.contains { $0.isSame(as: alias) } }))
        if new.isEmpty { return change }
        change.replacement = SharedVolatileChange.Replacement(
            sealed: try sealer.seal(record, by: keys), lifetime: left * 1_000,
            added: try names(of: new.map(\.alias).filter { alias in !old.contains { $0.isSame(as: alias) } }),
            further: record.size.further)
        return change
    }

    // MARK: Calls

    /// Replaces the classifiers of the alias's value; false if it is not here.
    ///
    /// - Parameter further: retained until the value ends.
    func replaceClassifiers(
        of alias: String, with classifiers: [String], holding further: FurtherPlaces?
    ) async throws(VaultError) -> Bool {
        let changed = try await change { () async throws(VaultError) in
            guard let found = try await find([alias])[ExactText(alias)] else {
                return ([], (Binding, end: Int64)?.none)
            }
            var record = found.record
            record.classifiers = classifiers
            return ([try change(found, to: record)], (record.name, end: record.expiresAt))
        }
        guard let (name, end) = changed else { return false }
        if let further { places.keep(further, of: name, for: end - configuration.clock.unixSeconds()) }
        return true
    }

    /// Places that the alias's value would take with these classifiers beside those that it has; 0 if it is not here.
    func furtherPlaces(of alias: String, with classifiers: [String]) async throws(VaultError) -> Int {
        guard let found = try await find([alias])[ExactText(alias)] else { return 0 }
        var record = found.record
        let held = max(record.size.further, places.further(of: record.name))
        record.classifiers = classifiers
        return max(0, record.size.further - held)
    }

    /// Seconds after which no value lives that lives now.
    var longestLife: Int64 { configuration.longestVolatileLife }

    /// What became of a removal.
    struct Removal: Sendable {
        /// Those that are not alive; then none was removed.
        var unknown: [String] = []
        /// Those that were removed unread: what is stored is not what this vault wrote under that alias.
        var damaged: [String] = []
        /// Values that went with their last alias.
        var gone: [Binding] = []
    }

    /// Removes these aliases if all are alive or damaged, and values with their last alias.
    func remove(_ aliases: [String]) async throws(VaultError) -> Removal {
        let removal = try await change { () async throws(VaultError) in
            let (found, damaged) = try await sorted(aliases)
            let unknown = aliases.filter { found[ExactText($0)] == nil && damaged[ExactText($0)] == nil }
            guard unknown.isEmpty else { return ([], Removal(unknown: unknown)) }
            let changes = try removals(aliases, of: found) + removals(ofDamaged: damaged)
            let gone = changes.filter { $0.replacement == nil }.compactMap { Binding(sharedName: $0.name) }
            return (changes, Removal(damaged: aliases.filter { damaged[ExactText($0)] != nil }, gone: gone))
        }
        if removal.unknown.isEmpty { places.drop(aliases, andValues: removal.gone) }
        return removal
    }

    /// Those that are alive or damaged.
    func known(_ aliases: [String]) async throws(VaultError) -> Set<ExactText> {
        let (found, damaged) = try await sorted(aliases)
        return Set(found.keys).union(damaged.keys)
    }

    /// What is alive of these, and what is damaged.
    func sorted(
        _ aliases: [String]
    ) async throws(VaultError) -> (found: [ExactText: Found], damaged: [ExactText: SharedVolatileValue]) {
        let asked = aliases.filter(Self.mayBeAlias)
        guard !asked.isEmpty else { return ([:], [:]) }
        return try sorted(try await store.values(ofAliases: try names(of: asked), in: vault), of: asked)
    }

    @inline(never)
    private func sorted(
        _ stored: [SharedVolatileValue?], of aliases: [String]
    ) throws(VaultError) -> (found: [ExactText: Found], damaged: [ExactText: SharedVolatileValue]) {
        var (found, damaged): ([ExactText: Found], [ExactText: SharedVolatileValue]) = ([:], [:])
        for (alias, value) in zip(aliases, stored) {
            guard let value else { continue }
            do { found.merge(try opened([value], of: [alias])) { $1 } } catch {
                guard error.isDamage else { throw error }
                damaged[ExactText(alias)] = value
            }
        }
        return (found, damaged)
    }

    /// A value that can't be opened goes with its aliases; an alias that was put before a value of others goes alone.
    @inline(never)
    private func removals(
        ofDamaged damaged: [ExactText: SharedVolatileValue]
    ) throws(VaultError) -> [SharedVolatileChange] {
        var changes: [String: SharedVolatileChange] = [:]
        for (alias, value) in damaged {
            var change =
                changes[value.name]
                ?? SharedVolatileChange(
                    name: value.name, expected: value.sealed, replacement: isIntact(value) ? asItIs(value) : nil)
            change.removed += try names(of: [alias.text])
            changes[value.name] = change
        }
        return Array(changes.values)
    }

    private func asItIs(_ value: SharedVolatileValue) -> SharedVolatileChange.Replacement {
        SharedVolatileChange.Replacement(sealed: value.sealed, lifetime: max(1, configuration.volatileLifetime))
    }

    private func isIntact(_ value: SharedVolatileValue) -> Bool { (try? sealer.open(value, by: keys)) != nil }

    @inline(never)
    private func removals(
        _ aliases: [String], of found: [ExactText: Found]
    ) throws(VaultError) -> [SharedVolatileChange] {
        var values: [Binding: (found: Found, record: SharedVolatileRecord)] = [:]
        for alias in aliases {
            guard let found = found[ExactText(alias)] else { continue }
            var record = values[found.record.name]?.record ?? found.record
            record.aliases.removeAll { $0.isSame(as: alias) }
            values[found.record.name] = (found, record)
        }
        var changes: [SharedVolatileChange] = []
        for value in values.values { changes.append(try change(value.found, to: value.record)) }
        return changes
    }

    /// Removes the values that carry this classifier, and adds what has gone, also if it throws. Whether damaged ones carry it is not
    /// known: they stay.
    func remove(classifier: String, _ gone: inout ErasedVolatiles) async throws(VaultError) {
        for _ in 0..<Self.attempts { if try await removeOnce(classifier: classifier, &gone) { return } }
        throw Self.overtaken
    }

    /// One walk over all values; adds what has gone. False if a value changed between its reading and its removal: that one may be there
    /// still.
    private func removeOnce(classifier: String, _ gone: inout ErasedVolatiles) async throws(VaultError) -> Bool {
        var (isComplete, cursor) = (true, String?.none)
        var damaged: Set<String> = []
        // A page has some 256 values, or passes over as many empty slots: more pages than this are a cursor that never ends.
        var pages = 4 * max(1_024, configuration.volatileCapacity)
        repeat {
            pages -= 1
            guard pages > 0 else { throw Self.endless }
            let page = try await store.values(from: cursor, in: vault)
            for value in page.values {
                guard isIntact(value) else {
                    damaged.insert(value.name)
                    continue
                }
                let (change, aliases) = try removal(of: value, ifCarrying: classifier)
                guard let change else { continue }
                switch try await store.apply([change], in: vault, capacity: .max) {
                case .applied:
                    gone.values += 1
                    gone.aliases += aliases.count
                    places.drop(aliases, andValues: [Binding(sharedName: value.name)].compactMap(\.self))
                case .overtaken: isComplete = false
                }
            }
            cursor = page.next
        } while cursor != nil
        gone.damaged = damaged.count
        return isComplete
    }

    @inline(never)
    private func removal(
        of value: SharedVolatileValue, ifCarrying classifier: String
    ) throws(VaultError) -> (change: SharedVolatileChange?, aliases: [String]) {
        let record = try sealer.open(value, by: keys)
        guard record.classifiers.contains(where: { $0.utf8.elementsEqual(classifier.utf8) }) else { return (nil, []) }
        var emptied = record
        emptied.aliases = []
        return (try change(Found(stored: value, record: record), to: emptied), record.aliases.map(\.alias))
    }
}
