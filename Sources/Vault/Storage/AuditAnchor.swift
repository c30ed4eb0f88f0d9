/// The sequence number and code of the last record of the audit log that the log has reported to the vault. A log that was removed
/// or set back together with its head is shorter than that.
public struct AuditAnchor: Sendable {
    /// Which log, where several processes that share the vault have one each.
    public let log: Int64
    /// The number of the last record.
    public let sequence: Int64
    /// Its 32 bytes of HMAC-SHA-256.
    public let code: [UInt8]
    /// Covers all three.
    public let tag: RecordTag

    init(log: Int64, sequence: Int64, code: [UInt8], tag: RecordTag) {
        self.log = log
        self.sequence = sequence
        self.code = code
        self.tag = tag
    }

    /// An anchor from the columns of its row. Throws `corrupt` where a column holds what was never written.
    package init(log: Int64, sequence: Int64, code: [UInt8], tag: [UInt8]) throws(VaultError) {
        guard let tag = RecordTag(bytes: tag) else { throw .corrupt("the audit log's anchor has no tag") }
        self.init(log: log, sequence: sequence, code: code, tag: tag)
    }
}
