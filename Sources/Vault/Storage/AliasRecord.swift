/// An alias as a store keeps it.
public struct AliasRecord: Sendable {
    /// The alias and its format.
    public let alias: Alias
    /// The id of the value that it stands for.
    public let value: Int64
    /// Covers alias, format, and the value's id and binding: see `Sealer`.
    public let tag: RecordTag

    init(alias: Alias, value: Int64, tag: RecordTag) {
        self.alias = alias
        self.value = value
        self.tag = tag
    }

    /// A record from the columns of its row. Throws `damaged` where a column holds what was never written.
    ///
    /// - Parameters:
    ///   - format: the format's number in the reference's table.
    ///   - tag: 16 bytes.
    package init(alias: String, format: Int64, value: Int64, tag: [UInt8]) throws(VaultError) {
        guard let code = UInt8(exactly: format), let format = AliasFormat(code: code), let tag = RecordTag(bytes: tag)
        else { throw .damaged(alias: nil) }
        self.init(alias: Alias(alias: alias, format: format), value: value, tag: tag)
    }
}

/// What a store has under an alias.
public struct AliasEntry: Sendable {
    /// The row of the alias.
    public let alias: AliasRecord
    /// The row of its value; nil if there is none: another hand than the vault's removed it.
    public let value: ValueRecord?

    /// Pairs an alias's row with its value's.
    package init(alias: AliasRecord, value: ValueRecord?) {
        self.alias = alias
        self.value = value
    }
}
