import Vault

/// Rows as the vault's types; `nil` where a row holds what was never written.
enum RowReading {
    static let valueColumns = "id, binding, fingerprint, key, sealed, classifiers, created_at, expires_at"
    /// Of the value's first alias, and the id of the newest of the others; behind `valueColumns`.
    static let firstAliasColumns = "alias, format, tag, further"
    static let fingerprintColumn: Int32 = 2
    static let aliasColumn: Int32 = 8
    static let furtherColumn: Int32 = 11
    static let keyColumns = "id, purpose, wrapped, pending, created_at, allotted_uses, tag"
    static let selectAnchor = "SELECT sequence, code, tag FROM anchor WHERE id = ?1"

    /// From `valueColumns`.
    static func value(_ row: SQLiteStatement) -> ValueRecord? {
        try? ValueRecord(
            id: row.integer(0), binding: row.bytes(1), fingerprint: row.isNull(2) ? nil : row.bytes(2),
            keyID: row.integer(3), sealed: row.bytes(4), classifiers: row.isNull(5) ? nil : row.bytes(5),
            createdAt: row.integer(6), expiresAt: row.isNull(7) ? nil : row.integer(7))
    }

    /// From the columns `alias, format, tag` that begin here.
    static func alias(_ row: SQLiteStatement, at column: Int32, of value: Int64) -> AliasRecord? {
        try? AliasRecord(
            alias: row.text(column), format: row.integer(column + 1), value: value, tag: row.bytes(column + 2))
    }

    /// From `keyColumns`.
    static func key(_ row: SQLiteStatement) -> KeyRecord? {
        try? KeyRecord(
            id: row.integer(0), purpose: row.integer(1), wrapped: row.bytes(2),
            pendingWrapped: row.isNull(3) ? nil : row.bytes(3), createdAt: row.integer(4),
            allottedUses: row.integer(5), tag: row.bytes(6))
    }
}
