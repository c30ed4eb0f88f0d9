/// What a vault must do where other processes write to its store, too.
extension Vault {
    /// Whether other processes write to its store.
    public var isShared: Bool { !store.isExclusive }

    /// After so many seconds what was counted of answers is counted again: others keep and drop them too.
    static let countLasts: Int64 = 600

    /// After a change of the data key the old one stays for so many seconds, whatever is sealed under it: other processes go on
    /// sealing under it until they have heard.
    static let keyLingers: Int64 = 60

    /// Takes over the data keys that other processes have made. To be called now and then.
    public func catchUp() async throws(VaultError) {
        guard isShared else { return }
        try keyring.learn(try await store.read { (reading) throws(VaultError) in try reading.keys() })
    }

    /// Sees to it that these keys are known, before something is opened with them.
    func learnKeys(_ ids: some Sequence<Int64>, _ reading: any AliasReading) throws(VaultError) {
        guard isShared, !keyring.holds(ids) else { return }
        try keyring.learn(try reading.keys())
    }

    /// Settles the values whose aliases are in the store already, where nothing can be remembered of them: by a look that locks
    /// nothing and costs no commit. As in `plan`, persistent values are settled only if all of them are.
    func recall(_ plan: CreationPlan) async throws(VaultError) -> CreationPlan {
        guard isShared, let wanted = fingerprints(plan) else { return plan }
        let known = try await store.read { (reading) throws(VaultError) -> [Fingerprint: ReuseCache.Entry]? in
            var known: [Fingerprint: ReuseCache.Entry] = [:]
            for fingerprint in wanted {
                guard let record = try reading.value(fingerprint: fingerprint) else { return nil }
                known[fingerprint] = ReuseCache.Entry(
                    createdAt: record.createdAt, classifiers: record.classifiers,
                    allAliases: try reading.aliases(of: record.id))
            }
            return known
        }
        guard let known else { return plan }
        return settled(plan, known)
    }

    // Not inlined into asynchronous functions, whose variables lie where nothing wipes them.

    /// Those of the values that may be in the store; nil if the store must be asked in another way, or need not be.
    @inline(never)
    private func fingerprints(_ plan: CreationPlan) -> [Fingerprint]? {
        var fingerprints: [Fingerprint] = []
        for item in plan.items {
            switch item {
            case .settled, .volatile: continue
            case .persistent(_, _, _, let fingerprint?): fingerprints.append(fingerprint)
            case .persistent, .reference: return nil
            }
        }
        return fingerprints.isEmpty ? nil : fingerprints
    }

    @inline(never)
    private func settled(_ plan: CreationPlan, _ known: [Fingerprint: ReuseCache.Entry]) -> CreationPlan {
        var settled = CreationPlan(count: plan.items.count)
        for item in plan.items {
            switch item {
            case .settled(let answer): settled.settle(answer)
            case .persistent(let text, let format, let classifiers, let fingerprint?):
                guard let answer = known[fingerprint]?.answer(text, format, classifiers) else { return plan }
                settled.settle(answer)
            case .persistent, .volatile, .reference: settled.add(item)
            }
        }
        return settled
    }
}
