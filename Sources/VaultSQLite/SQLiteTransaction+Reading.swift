import Vault

extension SQLiteTransaction: AliasReading {
    func vaultID() throws(VaultError) -> [UInt8]? {
        try reading { () throws(SQLiteFailure) in
            defer { statements.selectVault.reset() }
            return try statements.selectVault.step() ? statements.selectVault.bytes(0) : nil
        }
    }

    func keys() throws(VaultError) -> [WrappedKey] {
        let select = statements.selectKeys
        let rows = try reading { () throws(SQLiteFailure) in
            defer { select.reset() }
            var rows: [WrappedKey?] = []
            while try select.step() { rows.append(RowReading.key(select)) }
            return rows
        }
        let keys = rows.compactMap { $0 }
        guard keys.count == rows.count else { throw .corrupt("a key of unknown purpose") }
        return keys
    }

    func value(alias: String) throws(VaultError) -> ValueRecord? {
        statements.selectByAlias.bind(alias, at: 1)
        return try record(statements.selectByAlias)
    }

    func value(fingerprint: Fingerprint) throws(VaultError) -> ValueRecord? {
        statements.selectByFingerprint.bind(fingerprint.bytes, at: 1)
        return try record(statements.selectByFingerprint)
    }

    func aliases(of value: Int64) throws(VaultError) -> [Alias] {
        let select = statements.selectAliases
        let rows = try reading { () throws(SQLiteFailure) in
            defer { select.reset() }
            select.bind(value, at: 1)
            var rows: [Alias?] = []
            while try select.step() { rows.append(RowReading.alias(select)) }
            return rows
        }
        let aliases = rows.compactMap { $0 }
        guard aliases.count == rows.count else { throw .corrupt("an alias of unknown format") }
        return aliases
    }

    func holds(alias: String) throws(VaultError) -> Bool {
        try reading { () throws(SQLiteFailure) in
            defer { statements.selectHeld.reset() }
            statements.selectHeld.bind(alias, at: 1)
            return try statements.selectHeld.step()
        }
    }

    func visitAliases(prefix: String, _ visit: (String) -> Void) throws(VaultError) {
        let select = statements.selectRange
        try reading { () throws(SQLiteFailure) in
            defer { select.reset() }
            select.bind(prefix, at: 1)
            // No text that begins with the prefix sorts after the prefix and the last character of Unicode.
            select.bind(prefix + "\u{10FFFF}", at: 2)
            while try select.step() { visit(select.text(0)) }
        }
    }

    func values(after id: Int64, notSealedBy key: Int64, limit: Int) throws(VaultError) -> [ValueRecord] {
        let select = statements.selectStale
        let rows = try reading { () throws(SQLiteFailure) in
            defer { select.reset() }
            select.bind(id, at: 1)
            select.bind(key, at: 2)
            select.bind(Int64(limit), at: 3)
            var rows: [ValueRecord?] = []
            while try select.step() { rows.append(RowReading.value(select)) }
            return rows
        }
        let records = rows.compactMap { $0 }
        guard records.count == rows.count else { throw .corrupt("a value's row cannot be read") }
        return records
    }

    func hasValues(sealedBy key: Int64) throws(VaultError) -> Bool {
        try reading { () throws(SQLiteFailure) in
            defer { statements.selectSealedBy.reset() }
            statements.selectSealedBy.bind(key, at: 1)
            return try statements.selectSealedBy.step()
        }
    }

    private func record(_ select: SQLiteStatement) throws(VaultError) -> ValueRecord? {
        let row = try reading { () throws(SQLiteFailure) -> ValueRecord?? in
            defer { select.reset() }
            return try select.step() ? .some(RowReading.value(select)) : nil
        }
        guard let row else { return nil }
        guard let record = row else { throw .corrupt("a value's row cannot be read") }
        return record
    }
}
