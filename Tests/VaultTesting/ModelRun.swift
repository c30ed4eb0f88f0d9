import Sensitive
public import Vault

/// Random operations against a vault and against a model of it.
public struct ModelRun {
    private let store: any AliasStore
    private let reuse: Bool
    private let seed: UInt64
    private let volatileFormats: [AliasFormat]

    /// What values are made aliases of.
    public static let formats: [AliasFormat] = [
        .uuid, .rawUUID, .numLengthPreserving, .fpeAccNumTFour, .alphanumericLengthPreserving,
    ]

    /// A run on an empty store; the same seed does the same things.
    ///
    /// - Parameter volatileFormats: what volatile values get aliases of.
    public init(_ store: any AliasStore, reuse: Bool, seed: UInt64, volatileFormats: [AliasFormat] = formats) {
        self.store = store
        self.reuse = reuse
        self.seed = seed
        self.volatileFormats = volatileFormats
    }

    /// Does so many steps; what was wrong, if anything was.
    public func problem(steps: Int) async throws -> String? {
        let vault = try await openVault(store) {
            $0.reuse = reuse
            $0.reuseCacheCapacity = 64
        }
        var random = SeededGenerator(state: seed)
        var model = Model(reuse: reuse)
        for step in 0..<steps {
            let problem: String?
            switch Int.random(in: 0..<10, using: &random) {
            case 0..<5: problem = try await create(vault, &model, &random)
            case 5: problem = try await reference(vault, &model, &random)
            case 6, 7: problem = await reveal(vault, model, &random)
            case 8: problem = await delete(vault, &model, &random)
            default: problem = await classify(vault, &model, &random)
            }
            if let problem { return "seed \(seed), step \(step): \(problem)" }
        }
        for alias in model.owners.keys where await vault.value(alias) == nil { return "seed \(seed): lost an alias" }
        return nil
    }

    private func create(_ vault: Vault, _ model: inout Model, _ random: inout SeededGenerator) async throws -> String? {
        let items = (0..<Int.random(in: 1...4, using: &random)).map { _ in
            let text = String(100_000 + Int.random(in: 0..<60, using: &random))
            let storage: Storage = Int.random(in: 0..<4, using: &random) == 0 ? .volatile : .persistent
            let formats = storage == .volatile ? volatileFormats : Self.formats
            let classifiers = Bool.random(using: &random) ? [] : ["c\(Int.random(in: 0..<3, using: &random))"]
            return VaultItem.new(text, formats.randomElement(using: &random) ?? .uuid, classifiers, storage)
        }
        let stored: [StoredValue]
        do throws(VaultError) {
            stored = try await vault.create(items)
        } catch {
            // A hundred account numbers end in the same four digits.
            if case .aliasSpaceExhausted(.fpeAccNumTFour) = error { return nil }
            return "\(error)"
        }
        var ids: [Int] = []
        for (item, answer) in zip(items, stored) {
            guard case .value(let text, let format, let classifiers, let storage, _) = item else { continue }
            let id = model.value(text.exposed, storage)
            ids.append(id)
            guard answer.aliases.count == 1, answer.aliases[0].format == format else {
                return "not the alias asked for"
            }
            if let problem = model.add(answer.aliases[0], to: id) { return problem }
            model.classify(id, classifiers)
        }
        for (id, answer) in zip(ids, stored) where model.values[id]?.classifiers != answer.classifiers {
            return "classifiers \(answer.classifiers) instead of \(model.values[id]?.classifiers ?? [])"
        }
        return stored.count == items.count ? nil : "not one answer an item"
    }

    private func reference(_ vault: Vault, _ model: inout Model, _ random: inout SeededGenerator) async throws
        -> String?
    {
        guard let alias = model.aliases.randomElement(using: &random), let id = model.owners[alias] else { return nil }
        let format = [AliasFormat.uuid, .rawUUID, .vgsFixedLenGeneric].randomElement(using: &random) ?? .uuid
        let stored = try await vault.create([.reference(alias: alias, format: format)])
        guard
            let new = stored[0].aliases.first(where: { $0.format == format && model.owners[$0.alias] == nil })
                ?? stored[0].aliases.first(where: { $0.format == format })
        else { return "no alias of the format" }
        if let problem = model.add(new, to: id) { return problem }
        return stored[0].aliases == model.values[id]?.aliases ? nil : "not all aliases, oldest first"
    }

    private func pick(_ model: Model, _ random: inout SeededGenerator) -> [String] {
        (0..<Int.random(in: 1...3, using: &random)).map { _ in
            if Int.random(in: 0..<12, using: &random) == 0 { return "unknown" }
            return model.aliases.randomElement(using: &random) ?? "none"
        }
    }

    private func reveal(_ vault: Vault, _ model: Model, _ random: inout SeededGenerator) async -> String? {
        let aliases = pick(model, &random)
        guard let revealed = try? await vault.reveal(aliases) else {
            return aliases.contains { model.owners[$0] == nil } ? nil : "a known alias was not revealed"
        }
        for entry in revealed {
            guard let value = model.owners[entry.alias].flatMap({ model.values[$0] }) else {
                return "revealed the unknown"
            }
            guard entry.stored.value.exposed == value.text, entry.stored.classifiers == value.classifiers,
                entry.stored.aliases == value.aliases, entry.stored.storage == value.storage
            else { return "revealed something else" }
        }
        return revealed.count == Set(aliases).count ? nil : "not one answer an alias"
    }

    private func delete(_ vault: Vault, _ model: inout Model, _ random: inout SeededGenerator) async -> String? {
        let aliases = pick(model, &random)
        let isKnown = aliases.allSatisfy { model.owners[$0] != nil }
        let isDone = (try? await vault.delete(aliases)) != nil
        if isDone { for alias in aliases { model.delete(alias) } }
        return isDone == isKnown ? nil : "deletion of known aliases: \(isKnown), done: \(isDone)"
    }

    private func classify(_ vault: Vault, _ model: inout Model, _ random: inout SeededGenerator) async -> String? {
        let alias = pick(model, &random)[0]
        let classifiers = ["p\(Int.random(in: 0..<3, using: &random))"]
        let isDone = (try? await vault.replaceClassifiers(of: alias, with: classifiers)) != nil
        guard let id = model.owners[alias] else { return isDone ? "classified the unknown" : nil }
        model.values[id]?.classifiers = classifiers
        return isDone ? nil : "a known alias was not classified"
    }
}
