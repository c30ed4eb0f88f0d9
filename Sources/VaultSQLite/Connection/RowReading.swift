import Vault

/// Rows as the vault's types; `nil` where a row holds what was never written.
enum RowReading {
    static let valueColumns =
        "v.id, v.binding, v.fingerprint, v.key, v.sealed, v.classifiers, v.created_at, v.expires_at"
    static let aliasColumns = "a.alias, a.format, a.value, a.tag"
    static let keyColumns = "id, purpose, wrapped, pending, created_at, allotted_uses, tag"

    static func value(_ row: SQLiteStatement, from first: Int32 = 0) -> ValueRecord? {
        try? ValueRecord(
            id: row.integer(first), binding: row.bytes(first + 1),
            fingerprint: row.isNull(first + 2) ? nil : row.bytes(first + 2), keyID: row.integer(first + 3),
            sealed: row.bytes(first + 4), classifiers: row.isNull(first + 5) ? nil : row.bytes(first + 5),
            createdAt: row.integer(first + 6), expiresAt: row.isNull(first + 7) ? nil : row.integer(first + 7))
    }

    static func alias(_ row: SQLiteStatement) -> AliasRecord? {
        try? AliasRecord(alias: row.text(0), format: row.integer(1), value: row.integer(2), tag: row.bytes(3))
    }

    /// An alias's row followed by its value's, whose columns are all NULL if there is none.
    static func entry(_ row: SQLiteStatement) -> AliasEntry? {
        guard let alias = alias(row) else { return nil }
        if row.isNull(4) { return AliasEntry(alias: alias, value: nil) }
        return value(row, from: 4).map { AliasEntry(alias: alias, value: $0) }
    }

    static func key(_ row: SQLiteStatement) -> KeyRecord? {
        try? KeyRecord(
            id: row.integer(0), purpose: row.integer(1), wrapped: row.bytes(2),
            pendingWrapped: row.isNull(3) ? nil : row.bytes(3), createdAt: row.integer(4),
            allottedUses: row.integer(5), tag: row.bytes(6))
    }
}
