extension Vault {
    /// The last record that the audit log has reported, so that a log that was removed or set back together with its head is found.
    /// Nil if none was reported. Throws `damaged` if the row is not what this vault wrote.
    public func auditAnchor() async throws(VaultError) -> (sequence: Int64, code: [UInt8])? {
        let anchor = try await store.read { (reading) throws(VaultError) in try reading.anchor() }
        guard let anchor else { return nil }
        try naming(nil) { () throws(VaultError) in try sealer.check(anchor, by: keyring.integrity) }
        return (anchor.sequence, anchor.code)
    }

    /// Stores where the audit log stands: the number of its last record and that record's code.
    ///
    /// - Parameter code: 32 bytes.
    public func anchorAudit(sequence: Int64, code: [UInt8]) async throws(VaultError) {
        let anchor = try sealer.anchor(sequence: sequence, code: code, by: keyring.integrity)
        try await write { (transaction) throws(VaultError) in try transaction.replace(anchor) }
    }
}
