import Vault

/// What a vault must answer, by the reference, kept in a dictionary.
struct Model {
    struct Value {
        var text: String
        var storage: Storage
        var classifiers: [String] = []
        var aliases: [Alias] = []
    }

    let reuse: Bool
    var values: [Int: Value] = [:]
    var owners: [String: Int] = [:]
    /// The keys of ``owners``, oldest first: what a run picks goes by the order in which aliases were made, not by what they are.
    private(set) var aliases: [String] = []
    private var next = 0

    init(reuse: Bool) { self.reuse = reuse }

    mutating func value(_ text: String, _ storage: Storage) -> Int {
        if reuse, storage == .persistent,
            let known = values.first(where: { $0.value.storage == .persistent && $0.value.text == text })
        {
            return known.key
        }
        next += 1
        values[next] = Value(text: text, storage: storage)
        return next
    }

    /// Takes the vault's answer over, or says what is wrong with it.
    mutating func add(_ alias: Alias, to id: Int) -> String? {
        guard let value = values[id] else { return "no value" }
        if reuse, value.storage == .persistent, let known = value.aliases.first(where: { $0.format == alias.format }) {
            return known == alias ? nil : "another alias than before"
        }
        guard owners[alias.alias] == nil else { return "an alias that is taken" }
        guard alias.alias != value.text else { return "the value itself" }
        owners[alias.alias] = id
        aliases.append(alias.alias)
        values[id]?.aliases.append(alias)
        return nil
    }

    mutating func classify(_ id: Int, _ classifiers: [String]) {
        for classifier in classifiers where values[id]?.classifiers.contains(classifier) == false {
            values[id]?.classifiers.append(classifier)
        }
    }

    mutating func delete(_ alias: String) {
        guard let id = owners.removeValue(forKey: alias) else { return }
        aliases.removeAll { $0 == alias }
        values[id]?.aliases.removeAll { $0.alias == alias }
        if values[id]?.aliases.isEmpty == true { values[id] = nil }
    }
}
