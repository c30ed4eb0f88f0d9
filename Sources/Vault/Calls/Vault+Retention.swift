/// How long values that carry a classifier are stored.
public struct Retention: Sendable, Equatable {
    /// Values with this classifier are meant.
    public let classifier: String
    /// Seconds from when the value was first stored.
    public let keep: Int64

    /// Values are kept for so many seconds after they were created.
    public init(classifier: String, keep: Int64) {
        self.classifier = classifier
        self.keep = keep
    }
}

extension Vault {
    /// Values that are looked at in one step.
    private static let page = 256

    /// Removes persistent values that carry one of these classifiers and have been stored for longer than it allows, with their aliases,
    /// among the values after the id `cursor`. Returns what was removed and where to go on; nil if nothing is left. A value that is
    /// damaged is left where it is: its age may be what was changed.
    public func eraseOverdue(
        _ retentions: [Retention], after cursor: Int64 = 0
    ) async throws(VaultError) -> (erased: Erased, next: Int64?) {
        let now = configuration.clock.patientSeconds()
        let isOverdue: @Sendable (ValueRecord) -> Bool = { record in
            retentions.contains { retention in
                record.createdAt <= now - retention.keep && record.carries(retention.classifier)
            }
        }
        let (last, malformed, hasOverdue) = try await store.read { (reading) throws(VaultError) in
            let page = try reading.values(after: cursor, notSealedUnder: 0, limit: Self.page)
            return (
                page.count == Self.page ? try Self.next(page.last?.id, behind: cursor) : nil, page.malformed.count,
                page.records.contains(where: isOverdue)
            )
        }
        counters.foundDamage(malformed)
        guard hasOverdue else { return (Erased(damaged: malformed), last) }
        let (erased, names) = try await write { [self] (transaction) throws(VaultError) in
            let page = try transaction.values(after: cursor, notSealedUnder: 0, limit: Self.page)
            try learnKeys(page.records.lazy.map(\.keyID), transaction)
            let overdue = page.records.filter { $0.id <= last ?? .max && isOverdue($0) }
            return try eraseIntact(overdue, malformed: malformed, in: transaction)
        }
        spaces.released(names)
        counters.deleted(erased.aliases)
        return (erased, last)
    }
}
