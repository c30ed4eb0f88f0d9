import Crypto
import Sensitive

extension Vault {
    /// Checks what can be checked without the store, and settles what is remembered: one fingerprint and one look at the
    /// cache for each item, and where that settles all of them, as it mostly does, no memory but that of the answers.
    ///
    /// Persistent values are settled here only if all of them are: else the store answers for all, so that items that mean
    /// the same value agree.
    ///
    /// Not inlined into asynchronous functions, whose variables lie where nothing wipes them.
    @inline(never)
    func plan(_ items: [VaultItem], now: Int64) throws(VaultError) -> CreationPlan {
        var plan = CreationPlan(count: items.count)
        var references: Set<ExactText> = []
        var settles = cache != nil
        for index in items.indices {
            switch items[index] {
            case .value(let text, let format, let classifiers, let storage):
                if text.isEmpty {
                    plan.settle(
                        StoredValue(
                            value: text, classifiers: classifiers.distinctByBytes, aliases: [], createdAt: now,
                            storage: storage))
                    continue
                }
                if configuration.fallback == .none, !format.accepts(text.exposed) {
                    throw .valueDoesNotFit(format, item: index)
                }
                guard storage == .persistent else {
                    plan.add(.volatile(text, format, classifiers))
                    continue
                }
                let fingerprint = configuration.reuse ? try fingerprint(text) : nil
                if settles, let fingerprint, let answer = remembered(text, format, classifiers, fingerprint) {
                    plan.settle(answer)
                } else {
                    settles = false
                    plan.add(.persistent(text, format, classifiers, fingerprint))
                }
            case .reference(let alias, let format, let storage):
                guard references.insert(ExactText(alias)).inserted else { throw .repeatedReference(alias) }
                settles = false
                plan.add(.reference(alias, format, storage))
            }
        }
        if !settles, !plan.isSettled { try leaveToStore(&plan, items) }
        return plan
    }

    /// The answer for a value whose alias is remembered, with all of these classifiers.
    private func remembered(
        _ text: SensitiveText, _ format: AliasFormat, _ classifiers: [String], _ fingerprint: Fingerprint
    ) -> StoredValue? {
        cache?.entry(fingerprint)?.answer(text, format, classifiers)
    }

    /// Takes back what was settled before it was known that the store is needed. The fingerprint is made again: next to
    /// what the store costs that is nothing, and to keep it would cost those that need no store.
    private func leaveToStore(_ plan: inout CreationPlan, _ items: [VaultItem]) throws(VaultError) {
        for (index, item) in items.enumerated() {
            guard case .settled = plan.items[index],
                case .value(let text, let format, let classifiers, .persistent) = item, !text.isEmpty
            else { continue }
            plan.items[index] = .persistent(text, format, classifiers, try fingerprint(text))
        }
    }

    private func fingerprint(_ text: SensitiveText) throws(VaultError) -> Fingerprint {
        Fingerprint(try crypto(try keyring.fingerprints.code(prefix: sealer.vaultID, message: text.exposed)))
    }
}
