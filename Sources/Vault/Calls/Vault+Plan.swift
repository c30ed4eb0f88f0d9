import Sensitive

extension Vault {
    /// Checks what can be checked without the store, and answers what is remembered: one fingerprint and one look at the
    /// cache for each item. Where that answers all of them, as it mostly does, no memory is used but that of the answers; else the
    /// store answers for all persistent values, so that items that mean the same value agree.
    ///
    /// Not inlined into asynchronous functions, whose variables lie where nothing wipes them.
    @inline(never)
    func plan(_ items: [VaultItem], now: Int64) throws(VaultError) -> CreationPlan {
        try check(items)
        if let answers = try remembered(items, now: now) { return .answered(answers) }
        return .toDo(items.map { planned($0, now: now) })
    }

    private func check(_ items: [VaultItem]) throws(VaultError) {
        var references: Set<ExactText> = []
        for index in items.indices {
            switch items[index] {
            case .value(let text, let format, _, _, _):
                guard text.isEmpty || configuration.fallback == .uuid || format.accepts(text.exposed) else {
                    throw .valueDoesNotFit(format, item: index)
                }
            case .reference(let alias, _, _):
                guard references.insert(ExactText(alias)).inserted else { throw .repeatedReference(alias) }
            }
        }
    }

    /// The answers to all items; nil if one of them must be done.
    private func remembered(_ items: [VaultItem], now: Int64) throws(VaultError) -> [StoredValue]? {
        var answers: [StoredValue] = []
        answers.reserveCapacity(items.count)
        let key = keyring.active.fingerprint
        for item in items {
            guard case .value(let text, let format, let classifiers, let storage, let end) = item else { return nil }
            if text.isEmpty {
                answers.append(nothing(text, classifiers, storage, now: now))
                continue
            }
            guard let cache, storage == .persistent,
                let answer = cache.entry(try sealer.fingerprint(text, by: key))?
                    .stored(text, format, classifiers, until: end, now: now)
            else { return nil }
            answers.append(answer)
        }
        return answers
    }

    private func planned(_ item: VaultItem, now: Int64) -> PlannedItem {
        switch item {
        case .value(let text, _, let classifiers, let storage, _) where text.isEmpty:
            .answered(nothing(text, classifiers, storage, now: now))
        case .value(let text, let format, let classifiers, let storage, let end):
            .value(
                PlannedValue(
                    text: text, format: format, classifiers: classifiers, storage: storage,
                    expiresAt: storage == .volatile ? end.map { min($0, configuration.volatileEnd(now: now)) } : end,
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
