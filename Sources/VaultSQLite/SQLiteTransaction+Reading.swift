import Vault

extension SQLiteTransaction: AliasReading {
    func vaultID() throws(VaultError) -> [UInt8]? {
        try reading { () throws(SQLiteFailure) in
            defer { statements.selectVault.reset() }
            return try statements.selectVault.step() ? statements.selectVault.bytes(0) : nil
        }
    }

    func keys() throws(VaultError) -> [KeyRecord] {
        let select = statements.selectKeys
        let rows = try reading { () throws(SQLiteFailure) in
            defer { select.reset() }
            var rows: [KeyRecord?] = []
            while try select.step() { rows.append(RowReading.key(select)) }
            return rows
        }
        let keys = rows.compactMap { $0 }
        guard keys.count == rows.count else { throw .corrupt("a key's row cannot be read") }
        return keys
    }

    func entry(alias: String) throws(VaultError) -> AliasEntry? {
        let select = statements.selectByAlias
        let row = try reading { () throws(SQLiteFailure) -> AliasEntry?? in
            defer { select.reset() }
            select.bind(alias, at: 1)
            return try select.step() ? .some(RowReading.entry(select)) : nil
        }
        guard let row else { return nil }
        guard let entry = row else { throw .damaged(alias: nil) }
        return entry
    }

    func value(fingerprint: Fingerprint) throws(VaultError) -> ValueRecord? {
        statements.selectByFingerprint.bind(fingerprint.bytes, at: 1)
        return try record(statements.selectByFingerprint)
    }

    func aliases(of value: Int64) throws(VaultError) -> [AliasRecord] {
        let select = statements.selectAliases
        let rows = try reading { () throws(SQLiteFailure) in
            defer { select.reset() }
            select.bind(value, at: 1)
            var rows: [AliasRecord?] = []
            while try select.step() { rows.append(RowReading.alias(select)) }
            return rows
        }
        let aliases = rows.compactMap { $0 }
        guard aliases.count == rows.count else { throw .damaged(alias: nil) }
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

    func values(after id: Int64, notSealedUnder key: Int64, limit: Int) throws(VaultError) -> [ValueRecord] {
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
        guard records.count == rows.count else { throw .damaged(alias: nil) }
        return records
    }

    func hasRecords(sealedUnder key: Int64) throws(VaultError) -> Bool {
        try reading { () throws(SQLiteFailure) in
            defer { statements.selectSealedBy.reset() }
            statements.selectSealedBy.bind(key, at: 1)
            return try statements.selectSealedBy.step()
        }
    }

    func values(expiringBy time: Int64, after cursor: ExpiryCursor, limit: Int) throws(VaultError) -> [ValueRecord] {
        let select = statements.selectExpiring
        let rows = try reading { () throws(SQLiteFailure) in
            defer { select.reset() }
            select.bind(time, at: 1)
            select.bind(cursor.expiresAt, at: 2)
            select.bind(cursor.id, at: 3)
            select.bind(Int64(limit), at: 4)
            var rows: [ValueRecord?] = []
            while try select.step() { rows.append(RowReading.value(select)) }
            return rows
        }
        // One that cannot be read is left where it is.
        return rows.compactMap { $0 }
    }

    func anchor() throws(VaultError) -> AuditAnchor? {
        let select = statements.selectAnchor
        let row = try reading { () throws(SQLiteFailure) -> (Int64, [UInt8], [UInt8])? in
            defer { select.reset() }
            return try select.step() ? (select.integer(0), select.bytes(1), select.bytes(2)) : nil
        }
        guard let row else { return nil }
        return try AuditAnchor(sequence: row.0, code: row.1, tag: row.2)
    }

    private func record(_ select: SQLiteStatement) throws(VaultError) -> ValueRecord? {
        let row = try reading { () throws(SQLiteFailure) -> ValueRecord?? in
            defer { select.reset() }
            return try select.step() ? .some(RowReading.value(select)) : nil
        }
        guard let row else { return nil }
        guard let record = row else { throw .damaged(alias: nil) }
        return record
    }
}
