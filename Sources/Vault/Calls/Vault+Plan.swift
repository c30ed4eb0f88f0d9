import Sensitive

extension Vault {
    /// Checks what can be checked without the store, and looks for what is remembered: one fingerprint and one look at the
    /// cache for each item. Where that finishes all of them, as it mostly does, no memory is used but that of the results; else the
    /// store is asked for all persistent values, so that items that mean the same value agree.
    ///
    /// Not inlined: raw values must not become locals of the asynchronous caller, whose frame is not wiped when it ends.
    @inline(never)
    func plan(_ items: [VaultItem], now: Int64) throws(VaultError) -> CreationPlan {
        try check(items)
        if let results = try remembered(items, now: now) { return .finished(results) }
        return .toDo(items.map { planned($0, now: now) })
    }

    private func check(_ items: [VaultItem]) throws(VaultError) {
        var references: Set<ExactText> = []
        for index in items.indices {
            switch items[index] {
            case .value(let text, let format, let classifiers, _, _):
                guard classifiers.distinctByBytes.areSuitable else { throw .unsuitableClassifiers(item: index) }
                guard text.isEmpty || configuration.fallback == .uuid || format.accepts(text.exposed) else {
                    throw .valueDoesNotFit(format, item: index)
                }
            case .reference(let alias, _, _):
                guard references.insert(ExactText(alias)).inserted else { throw .repeatedReference(alias) }
            }
        }
    }

    /// The results of all items; nil if one of them must be done.
    private func remembered(_ items: [VaultItem], now: Int64) throws(VaultError) -> [StoredValue]? {
        var results: [StoredValue] = []
        results.reserveCapacity(items.count)
        let key = keyring.active.fingerprint
        for item in items {
            guard case .value(let text, let format, let classifiers, let storage, let end) = item else { return nil }
            if text.isEmpty {
                results.append(nothing(text, classifiers, storage, now: now))
                continue
            }
            guard let cache, storage == .persistent,
                let result = cache.entry(try sealer.fingerprint(text, by: key))?
                    .stored(text, format, classifiers, until: end, now: now)
            else { return nil }
            results.append(result)
        }
        return results
    }

    private func planned(_ item: VaultItem, now: Int64) -> PlannedItem {
        switch item {
        case .value(let text, _, let classifiers, let storage, _) where text.isEmpty:
            .finished(nothing(text, classifiers, storage, now: now))
        case .value(let text, let format, let classifiers, let storage, let end):
            .value(
                PlannedValue(
                    text: text, format: format, classifiers: classifiers, storage: storage,
                    expiresAt: storage == .volatile ? end.map { min($0, configuration.volatileEnd()) } : end,
                    isReusable: configuration.reuse && storage == .persistent))
        case .reference(let alias, let format, let storage): .reference(alias, format, storage)
        }
    }

    /// An empty value stores nothing.
    private func nothing(
        _ text: SensitiveText, _ classifiers: [String], _ storage: Storage, now: Int64
    ) -> StoredValue {
        StoredValue(
            value: text, classifiers: classifiers.distinctByBytes, aliases: [], createdAt: now, expiresAt: nil,
            storage: storage)
    }
}
