import Sensitive

/// What a vault must do where other processes write to its store, too.
extension Vault {
    /// After so many milliseconds what was counted of responses is counted again: others store and drop them too.
    static let countLasts: Int64 = 5_000
    /// Not before so many times as long as the counting took.
    static let countRests: Int64 = 50

    /// After a change of the data key the old one stays for so many seconds, even if nothing is sealed under it: other processes go
    /// on sealing under it until they have learned of the new one. A new fingerprint key is not used before all know it.
    static let keyLingers: Int64 = 60

    /// Learns the data keys that other processes have made, and the store's time. To be called regularly.
    public func catchUp() async throws(VaultError) {
        guard isShared else { return }
        _ = try await followedKeys()
    }

    /// The store's keys, which are followed. A key that this process has made since they were read is no reason to doubt them: then they are
    /// read again.
    func followedKeys() async throws(VaultError) -> [KeyRecord] {
        while true {
            let active = keyring.active.data.id
            let keys = try await readKeys()
            do {
                try keyring.follow(keys)
                return keys
            } catch {
                // Each turn of this loop is a rotation by this process.
                if keyring.active.data.id == active { throw error }
            }
        }
    }

    private func readKeys() async throws(VaultError) -> [KeyRecord] {
        try await storeClock.read(store) { (reading) throws(VaultError) in try reading.keys() }
    }

    /// Makes sure that these keys are known, before something is opened with them.
    func learnKeys(_ ids: some Sequence<Int64>, _ reading: any AliasReading) throws(VaultError) {
        guard isShared, !keyring.holds(ids) else { return }
        try keyring.learn(try reading.keys())
    }

    /// Finishes the items whose aliases are in the store already, where nothing can be remembered of them: by a look that locks
    /// nothing and costs no commit. As in `plan`, persistent values are finished only if all of them are.
    func recall(_ plan: CreationPlan, now: Int64) async throws(VaultError) -> CreationPlan {
        guard isShared, case .toDo(let items) = plan, let wanted = try fingerprints(items) else { return plan }
        let use = keyring.beginUse()
        defer { keyring.endUse(use) }
        let found = try await store.read { [self] (reading) throws(VaultError) -> [Fingerprint: FoundValue]? in
            var found: [Fingerprint: FoundValue] = [:]
            let erasures = try openErasures(in: reading)
            for fingerprint in wanted {
                guard let record = try reading.value(fingerprint: fingerprint), !erasures.holds(record) else {
                    return nil
                }
                try learnKeys([record.keyID], reading)
                found[fingerprint] = FoundValue(record: record, aliases: try reading.aliases(of: record.id))
            }
            return found
        }
        let recalled = try found.flatMap { (found) throws(VaultError) in try finished(items, found, now: now) }
        recalls.note(found: recalled != nil)
        return recalled ?? plan
    }

    private struct FoundValue: Sendable {
        let record: ValueRecord
        let aliases: [AliasRecord]
    }

    // Not inlined: raw values must not become locals of the asynchronous caller, whose frame is not wiped when it ends.

    /// Those of the values that may be in the store; nil if the store must be asked in another way, or need not be.
    @inline(never)
    private func fingerprints(_ items: [PlannedItem]) throws(VaultError) -> [Fingerprint]? {
        let key = keyring.active.fingerprint
        var fingerprints: [Fingerprint] = []
        for item in items {
            switch item {
            case .finished: continue
            case .value(let value) where value.storage == .volatile: continue
            case .value(let value) where value.isReusable:
                fingerprints.append(try sealer.fingerprint(value.text, by: key))
            case .value, .reference: return nil
            }
        }
        return fingerprints.isEmpty ? nil : fingerprints
    }

    /// Nil if one of the values needs a change of the store.
    @inline(never)
    private func finished(
        _ items: [PlannedItem], _ found: [Fingerprint: FoundValue], now: Int64
    ) throws(VaultError) -> CreationPlan? {
        let key = keyring.active.fingerprint
        var planned: [PlannedItem] = []
        for item in items {
            guard case .value(let value) = item, value.storage == .persistent else {
                planned.append(item)
                continue
            }
            let fingerprint = try sealer.fingerprint(value.text, by: key)
            guard let known = found[fingerprint] else { return nil }
            try check(known.record, isOf: value.text, fingerprint)
            let entry = ReuseCache.Entry(
                createdAt: known.record.createdAt, expiresAt: known.record.expiresAt,
                classifiers: known.record.classifiers, allAliases: try checked(known.aliases, of: known.record))
            let result = entry.stored(value.text, value.format, value.classifiers, until: value.expiresAt, now: now)
            guard let result else { return nil }
            planned.append(.finished(result))
        }
        var results: [StoredValue] = []
        for item in planned {
            guard case .finished(let result) = item else { return .toDo(planned) }
            results.append(result)
        }
        return .finished(results)
    }
}
