import Vault

/// Rows as the vault's types. Throws where a row holds what was never written.
extension PostgresRows {
    /// The columns of a value, beginning at `first`.
    func value(_ row: Int, from first: Int = 0) throws(VaultError) -> ValueRecord {
        try ValueRecord(
            id: integer(row, first), binding: bytes(row, first + 1), fingerprint: optionalBytes(row, first + 2),
            keyID: integer(row, first + 3), sealed: bytes(row, first + 4), classifiers: optionalBytes(row, first + 5),
            createdAt: integer(row, first + 6), expiresAt: isNull(row, first + 7) ? nil : integer(row, first + 7))
    }

    /// The columns of an alias.
    func alias(_ row: Int) throws(VaultError) -> AliasRecord {
        try AliasRecord(
            alias: text(row, 0), format: integer(row, 1), value: integer(row, 2), tag: bytes(row, 3))
    }

    /// The columns of an alias and of its value, which are all NULL if there is none.
    func entry(_ row: Int) throws(VaultError) -> AliasEntry {
        AliasEntry(alias: try alias(row), value: isNull(row, 4) ? nil : try value(row, from: 4))
    }

    /// Whether the value of an alias is there and what is sealed of it was left out.
    func lacksValue(_ row: Int) -> Bool { !isNull(row, 4) && isNull(row, 8) }

    /// The columns of a key.
    func key(_ row: Int) throws(VaultError) -> KeyRecord {
        try KeyRecord(
            id: integer(row, 0), purpose: integer(row, 1), wrapped: bytes(row, 2),
            pendingWrapped: optionalBytes(row, 3), createdAt: integer(row, 4), allottedUses: integer(row, 5),
            tag: bytes(row, 6))
    }

    /// The columns of a response.
    func response(_ row: Int) -> ResponseRecord {
        ResponseRecord(
            name: bytes(row, 0), keyID: integer(row, 1), sealed: bytes(row, 2), expiresAt: integer(row, 3))
    }

    /// All rows as a part of a walk over values.
    var page: ValuePage {
        var page = ValuePage()
        for row in 0..<count {
            page.add(integer(row, 0), expiresAt: isNull(row, 7) ? nil : integer(row, 7), try? value(row))
        }
        return page
    }

    func optionalBytes(_ row: Int, _ column: Int) -> [UInt8]? { isNull(row, column) ? nil : bytes(row, column) }

    /// All rows as records.
    func records<Record>(
        _ read: (PostgresRows, Int) throws(VaultError) -> Record
    ) throws(VaultError) -> [Record] {
        var records: [Record] = []
        records.reserveCapacity(count)
        for row in 0..<count { records.append(try read(self, row)) }
        return records
    }
}
