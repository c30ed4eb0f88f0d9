import Vault

/// Rows as the vault's types; `nil` where a row holds what was never written.
enum RowReading {
    static let valueColumns = "id, fingerprint, key, sealed, classifiers, created_at, alias, format, further"
    static let aliasColumn: Int32 = 6
    static let furtherColumn: Int32 = 8
    static let keyColumns = "id, purpose, wrapped, created_at, reserved_uses"

    /// From `valueColumns`.
    static func value(_ row: SQLiteStatement) -> ValueRecord? {
        let classifiers = row.isNull(4) ? [] : ClassifierCoding.decode(row.bytes(4))
        let fingerprint = row.isNull(1) ? nil : Fingerprint(bytes: row.bytes(1))
        guard let classifiers, fingerprint != nil || row.isNull(1) else { return nil }
        return ValueRecord(
            id: row.integer(0), fingerprint: fingerprint, keyID: row.integer(2), sealed: row.bytes(3),
            classifiers: classifiers, createdAt: row.integer(5))
    }

    /// From the columns `alias, format` that begin here.
    static func alias(_ row: SQLiteStatement, at column: Int32) -> Alias? {
        guard let code = UInt8(exactly: row.integer(column + 1)), let format = AliasFormat(code: code) else {
            return nil
        }
        return Alias(alias: row.text(column), format: format)
    }

    /// From `keyColumns`.
    static func key(_ row: SQLiteStatement) -> WrappedKey? {
        guard let number = UInt8(exactly: row.integer(1)), let purpose = WrappedKey.Purpose(rawValue: number) else {
            return nil
        }
        return WrappedKey(
            id: row.integer(0), purpose: purpose, wrapped: row.bytes(2), createdAt: row.integer(3),
            reservedUses: row.integer(4))
    }
}
