extension Vault {
    /// What one step of an erasure by classifier did.
    public struct ErasureStep: Sendable {
        /// Values with the classifier that were found, removed unless the step only counted.
        public var values = 0
        /// Their aliases.
        public var aliases = 0
        /// The id of the last value that was looked at; nil if none is left.
        public var next: Int64?
    }

    /// How many persistent values carry this classifier, among up to `limit` values after the id `cursor`. Values change meanwhile:
    /// the sum over all steps is what there was when each was looked at.
    public func count(
        classifier: String, after cursor: Int64 = 0, limit: Int = 1_024
    ) async throws(VaultError) -> ErasureStep {
        let now = configuration.clock.unixSeconds()
        return try await store.read { [self] (reading) throws(VaultError) in
            try matching(classifier, after: cursor, limit: limit, reading, now: now).step
        }
    }

    /// Removes the persistent values that carry this classifier, with all their aliases, among up to `limit` values after the id
    /// `cursor`. Can be stopped and begun again at any time, from 0 or from the last cursor. Throws `damaged` if one of the
    /// values is: whether it carries the classifier is not known then.
    public func erase(
        classifier: String, after cursor: Int64 = 0, limit: Int = 256
    ) async throws(VaultError) -> ErasureStep {
        let now = configuration.clock.unixSeconds()
        let (step, names) = try await write { [self] (transaction) throws(VaultError) in
            var (step, records) = try matching(classifier, after: cursor, limit: limit, transaction, now: now)
            var names: [String] = []
            for record in records { names += try erase(record, in: transaction) }
            step.aliases = names.count
            return (step, names)
        }
        spaces.released(names)
        counters.deleted(step.aliases)
        return step
    }

    private func matching(
        _ classifier: String, after cursor: Int64, limit: Int, _ reading: any AliasReading, now: Int64
    ) throws(VaultError) -> (step: ErasureStep, records: [ValueRecord]) {
        // No value is sealed under key 0: all are wanted.
        let records = try reading.values(after: cursor, notSealedUnder: 0, limit: limit)
        try learnKeys(records.lazy.map(\.keyID), reading)
        var found: [ValueRecord] = []
        for record in records {
            // Classifiers are covered by the seal: a changed row must not hide one.
            _ = try open(record)
            if record.classifiers.contains(where: { $0.utf8.elementsEqual(classifier.utf8) }) { found.append(record) }
        }
        return (ErasureStep(values: found.count, next: records.count == limit ? records.last?.id : nil), found)
    }

    /// Removes the volatile values that carry this classifier; returns how many aliases went.
    public func eraseVolatile(classifier: String) async throws(VaultError) -> Int {
        try await shared?.remove(classifier: classifier) ?? volatile.remove(classifier: classifier)
    }
}
