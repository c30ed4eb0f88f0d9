import Vault

/// What the request being carried out adds: written at its end, if it went well. So a request that fails leaves nothing to be taken back,
/// and a value is written once, together with its aliases.
struct PendingRows {
    /// An alias, and the row that it will be in.
    struct PendingAlias {
        let alias: AliasRecord
        let row: RowPlace
    }

    private(set) var aliases: [PendingAlias] = []
    private(set) var values: [ValueRecord] = []

    var isEmpty: Bool { aliases.isEmpty && values.isEmpty }

    mutating func add(_ alias: AliasRecord, _ row: RowPlace) {
        aliases.append(PendingAlias(alias: alias, row: row))
    }

    mutating func add(_ value: ValueRecord) { values.append(value) }

    /// Whether the row is not written yet.
    func holds(value id: Int64) -> Bool { values.contains { $0.id == id } }

    /// Whether the value has an alias already.
    func hasAlias(_ value: Int64) -> Bool { aliases.contains { $0.alias.value == value } }

    /// Whether the row that is not written yet has this alias.
    func has(_ alias: String, in row: RowPlace) -> Bool {
        aliases.contains { $0.row == row && $0.alias.alias.alias.utf8.elementsEqual(alias.utf8) }
    }

    /// Takes out what can be written: all values, and the aliases of these and of values with ids up to `stored`.
    mutating func take(storedUpTo stored: Int64) -> (aliases: [PendingAlias], values: [ValueRecord]) {
        defer { values.removeAll(keepingCapacity: true) }
        let isReady = { [self] (alias: PendingAlias) in alias.alias.value <= stored || holds(value: alias.alias.value) }
        guard aliases.allSatisfy(isReady) else {
            let ready = aliases.filter(isReady)
            aliases.removeAll(where: isReady)
            return (ready, values)
        }
        defer { aliases.removeAll(keepingCapacity: true) }
        return (aliases, values)
    }

    mutating func removeAll() {
        aliases.removeAll(keepingCapacity: true)
        values.removeAll(keepingCapacity: true)
    }
}
