import Crypto
import Sensitive

/// The volatile items of a create request where several processes share volatile values: what they come to, as changes that are made
/// at once.
struct SharedVolatileCreation: Sendable {
    private let vault: Vault
    private let shared: SharedVolatiles
    private let now: Int64
    private var values: [Binding: (found: SharedVolatiles.Found?, record: SharedVolatileRecord)] = [:]
    /// In the order in which they were first used.
    private var order: [Binding] = []

    init(_ vault: Vault, _ shared: SharedVolatiles, now: Int64) {
        self.vault = vault
        self.shared = shared
        self.now = now
    }

    /// What a request comes to.
    struct Plan: Sendable {
        /// The items, those that are volatile finished.
        let items: [PlannedItem]
        let changes: [SharedVolatileChange]
        /// The aliases that are made.
        let made: [String]
        /// The aliases of new values that take more places than those of their aliases, with the values' names.
        let large: [(alias: String, value: Binding)]
    }

    private enum ItemResult {
        case item(PlannedItem)
        case made(Binding, Alias)
        case all(Binding, Alias)
    }

    /// - Parameter found: the values of the aliases that the items reference, as far as they are volatile.
    ///
    /// Not inlined: raw values must not become locals of the asynchronous caller, whose frame is not wiped when it ends.
    @inline(never)
    mutating func run(
        _ items: [PlannedItem], _ found: [ExactText: SharedVolatiles.Found]
    ) throws(VaultError) -> Plan {
        var results: [ItemResult] = []
        var (made, large) = ([String](), [(alias: String, value: Binding)]())
        for (index, item) in items.enumerated() {
            switch item {
            case .value(let value) where value.storage == .volatile:
                let name = try add(value)
                let alias = try draw(value.format, for: name, item: index)
                made.append(alias.alias)
                if values[name].map({ $0.record.size.further > 0 }) == true { large.append((alias.alias, name)) }
                results.append(.made(name, alias))
            case .reference(let alias, let format, let storage) where storage != .persistent:
                guard let known = found[ExactText(alias)] else {
                    results.append(.item(item))
                    continue
                }
                use(known)
                let alias = try draw(format, for: known.record.name, item: index)
                made.append(alias.alias)
                results.append(.all(known.record.name, alias))
            case .value, .reference, .finished: results.append(.item(item))
            }
        }
        return Plan(items: results.compactMap(item), changes: try changes(), made: made, large: large)
    }

    private func item(_ result: ItemResult) -> PlannedItem? {
        switch result {
        case .item(let item): item
        case .made(let name, let alias):
            values[name].map { .finished($0.record.stored(aliases: [alias], requested: 0)) }
        case .all(let name, let alias):
            values[name].map { value in
                let aliases = value.record.aliases
                return .finished(value.record.stored(aliases: aliases, requested: aliases.lastIndex(of: alias)))
            }
        }
    }

    private mutating func add(_ value: PlannedValue) throws(VaultError) -> Binding {
        let name = try vault.sealer.newBinding()
        let end = vault.configuration.volatileEnd()
        let record = SharedVolatileRecord(
            name: name, value: value.text, classifiers: value.classifiers.distinctByBytes, aliases: [],
            createdAt: now, endsAt: value.expiresAt, expiresAt: min(end, value.expiresAt ?? end))
        values[name] = (nil, record)
        order.append(name)
        return name
    }

    private mutating func use(_ found: SharedVolatiles.Found) {
        guard values[found.record.name] == nil else { return }
        values[found.record.name] = (found, found.record)
        order.append(found.record.name)
    }

    /// From a source that is wide: see `Vault.source`.
    private mutating func draw(_ format: AliasFormat, for name: Binding, item: Int) throws(VaultError) -> Alias {
        guard let record = values[name]?.record, case let value = record.value else {
            throw .aliasSpaceExhausted(format)
        }
        guard record.aliases.count < Vault.aliasesPerValue else { throw .tooManyAliases(item: item) }
        let source = try vault.source(format, for: value.exposed, .volatile, item: item)
        var draw = AliasDraw(
            source, value: value, spaces: vault.spaces, volatile: vault.volatile, random: vault.random, taken: nil,
            isShared: true, now: now)
        guard let text = try draw.next() else { throw .aliasSpaceExhausted(format) }
        let alias = Alias(alias: text, format: format)
        values[name]?.record.aliases.append(alias)
        return alias
    }

    private func changes() throws(VaultError) -> [SharedVolatileChange] {
        var changes: [SharedVolatileChange] = []
        for name in order {
            guard let (found, record) = values[name] else { continue }
            if let found {
                changes.append(try shared.change(found, to: record))
                continue
            }
            // A value whose end has passed already is answered and not stored.
            guard record.expiresAt > now else { continue }
            let own = record.endsAt.map { min($0 - now, 1 << 40) * 1_000 } ?? .max
            changes.append(
                SharedVolatileChange(
                    name: Hexadecimal.encode(name.bytes),
                    replacement: SharedVolatileChange.Replacement(
                        sealed: try vault.sealer.seal(record, by: shared.keys),
                        lifetime: max(1, min(vault.configuration.volatileLifetime, own, 1 << 45)),
                        added: try shared.names(of: record.aliases.map(\.alias)), further: record.size.further)))
        }
        return changes
    }
}
