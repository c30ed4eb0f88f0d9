extension Vault {
    /// The number of the one log of a vault that a single process serves.
    public static let onlyLog: Int64 = 1

    /// The last record that an audit log has reported, so that a log that was removed or set back together with its head is found.
    /// Nil if none was reported. Throws `damaged` if the row is not what this vault wrote.
    ///
    /// - Parameter log: which one, where processes that share the vault have one each.
    public func auditAnchor(of log: Int64 = onlyLog) async throws(VaultError) -> (sequence: Int64, code: [UInt8])? {
        let anchor = try await store.read { (reading) throws(VaultError) in try reading.anchor(of: log) }
        guard let anchor else { return nil }
        try naming(nil) { () throws(VaultError) in try sealer.check(anchor, by: keyring.integrity) }
        return (anchor.sequence, anchor.code)
    }

    /// Stores where an audit log stands: the number of its last record and that record's code.
    ///
    /// - Parameters:
    ///   - log: which one, where processes that share the vault have one each.
    ///   - code: 32 bytes.
    public func anchorAudit(_ log: Int64 = onlyLog, sequence: Int64, code: [UInt8]) async throws(VaultError) {
        let anchor = try sealer.anchor(log: log, sequence: sequence, code: code, by: keyring.integrity)
        try await write { (transaction) throws(VaultError) in try transaction.replace(anchor) }
    }
}
