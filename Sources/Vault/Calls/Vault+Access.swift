/// Rows about callers that all processes of the vault share (`docs/reference/access.md` sections 2 and 4).
extension Vault {
    /// How many rows one transaction erases at most.
    private static let erasedAtOnce = 1_000

    /// Changes the content of a row, or adds the row, in one transaction that is durable when this returns. Of several
    /// processes that change the same row at the same moment each sees what the one before it has written.
    ///
    /// - Parameters:
    ///   - limit: how long the request may wait for the store.
    ///   - change: the new content from the present one, which is nil where there is no row; returns nil if nothing is to
    ///     be written. May be called more than once.
    /// - Returns: whether something was written. Throws `damaged` if the row is not what a vault wrote.
    public func changeAccessRecord(
        _ kind: AccessRecord.Kind, _ name: [UInt8], forgottenAt: Int64, within limit: WaitLimit? = nil,
        _ change: @escaping @Sendable ([UInt8]?) -> [UInt8]?
    ) async throws(VaultError) -> Bool {
        try await write(within: limit) { [self] (transaction) throws(VaultError) in
            // Once more if another process adds the row after it was not found.
            for _ in 0..<2 {
                let old = try transaction.accessRecord(kind, name).map { (stored) throws(VaultError) in
                    try checked(stored)
                }
                guard let content = change(old?.content) else { return false }
                let record = try sealer.tagged(
                    AccessRecord(kind, name: name, content: content, forgottenAt: forgottenAt), by: keyring.integrity)
                if old != nil {
                    try transaction.update(record)
                    return true
                }
                if try transaction.insert(record) { return true }
            }
            throw .unavailable("the row is being changed")
        }
    }

    /// Adds rows, durably. A row that is there already stays as it is, unless no vault wrote it.
    public func addAccessRecords(_ records: [AccessRecord]) async throws(VaultError) {
        guard !records.isEmpty else { return }
        try await write { [self] (transaction) throws(VaultError) in
            for record in records {
                let record = try sealer.tagged(record, by: keyring.integrity)
                if try transaction.insert(record) { continue }
                guard let known = try transaction.accessRecord(record.kind, record.name) else { continue }
                if try checkedIfIntact(known) == nil { try transaction.update(record) }
            }
        }
    }

    /// The rows of a kind that were added since, and some from before: a row that was read may be read again. One that was added
    /// before the reading began is never missed, unless its transaction took more than thirty seconds. Of rows that no vault wrote,
    /// which are counted as damaged, it has the names.
    ///
    /// - Parameter since: ``AccessReading/readAt`` of the last reading; nil for all rows.
    public func accessRecords(
        _ kind: AccessRecord.Kind, since: Int64?
    ) async throws(VaultError) -> AccessReading {
        try await store.read { [self] (reading) throws(VaultError) in
            let stored = try reading.accessRecords(kind, since: since)
            var records: [AccessRecord] = []
            var damaged: [[UInt8]] = []
            for row in stored.records {
                if let record = try checkedIfIntact(row) { records.append(record) } else { damaged.append(row.name) }
            }
            return AccessReading(records: records, damaged: damaged, readAt: stored.readAt)
        }
    }

    /// The record that is stored in this one. Throws `damaged`, which is counted.
    private func checked(_ stored: AccessRecord) throws(VaultError) -> AccessRecord {
        try naming(nil) { () throws(VaultError) in try sealer.untagged(stored, by: keyring.integrity) }
    }

    /// The record that is stored in this one; nil if it is damaged, which is counted.
    private func checkedIfIntact(_ stored: AccessRecord) throws(VaultError) -> AccessRecord? {
        do { return try checked(stored) } catch .damaged { return nil }
    }

    /// Erases rows whose time has passed. To be called regularly.
    public func sweepAccessRecords() async throws(VaultError) {
        let now = configuration.clock.patientSeconds()
        while true {
            let erased = try await write { (transaction) throws(VaultError) in
                try transaction.deleteAccessRecords(forgottenBy: now, limit: Self.erasedAtOnce)
            }
            guard erased == Self.erasedAtOnce else { return }
        }
    }
}
