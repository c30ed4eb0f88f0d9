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
        try reading { () throws(SQLiteFailure) in
            try indexes.first(.alias, hash.indexHash(alias)) { (place) throws(SQLiteFailure) in
                let place = RowPlace(place, in: .alias)
                if place.kind == .value {
                    return try withValue(place.id) { (row) throws(SQLiteFailure) in
                        row.isText(RowReading.aliasColumn, alias) ? try record(row) : nil
                    }
                }
                guard let value = try owner(of: alias, in: place) else { return nil }
                return try withValue(value) { (row) throws(SQLiteFailure) in try record(row) }
            }
        }
    }

    func value(fingerprint: Fingerprint) throws(VaultError) -> ValueRecord? {
        let bytes = fingerprint.bytes
        return try reading { () throws(SQLiteFailure) in
            try indexes.first(.fingerprint, hash.indexHash(bytes)) { (place) throws(SQLiteFailure) in
                try withValue(place) { (row) throws(SQLiteFailure) in
                    let record = try record(row)
                    return record.fingerprint == fingerprint ? record : nil
                }
            }
        }
    }

    func aliases(of value: Int64) throws(VaultError) -> [Alias] {
        try reading { () throws(SQLiteFailure) in
            var aliases: [Alias] = []
            let newest = try withValue(value) { (row) throws(SQLiteFailure) -> Int64 in
                if !row.isNull(RowReading.aliasColumn) {
                    aliases.append(try decoded(RowReading.alias(row, at: RowReading.aliasColumn)))
                }
                return row.integer(RowReading.furtherColumn)
            }
            let first = aliases.count
            try visitFurther(newest ?? 0) { (_, row) throws(SQLiteFailure) in
                aliases.append(try decoded(RowReading.alias(row, at: 0)))
                return true
            }
            aliases[first...].reverse()
            return aliases
        }
    }

    func holds(alias: String) throws(VaultError) -> Bool {
        try reading { () throws(SQLiteFailure) in try isTaken(alias, hash.indexHash(alias)) }
    }

    func visitAliases(prefix: String, _ visit: (String) -> Void) throws(VaultError) {
        let select = statements.selectPrefix
        try reading { () throws(SQLiteFailure) in
            try demandStored()
            defer { select.reset() }
            select.bind(prefix, at: 1)
            // No text that begins with the prefix sorts after the prefix and the last character of Unicode.
            select.bind(prefix + "\u{10FFFF}", at: 2)
            while try select.step() { visit(select.text(0)) }
        }
    }

    func values(after id: Int64, notSealedBy key: Int64, limit: Int) throws(VaultError) -> [ValueRecord] {
        let select = statements.selectStale
        return try reading { () throws(SQLiteFailure) in
            try demandStored()
            defer { select.reset() }
            select.bind(id, at: 1)
            select.bind(key, at: 2)
            select.bind(Int64(limit), at: 3)
            var rows: [ValueRecord] = []
            while try select.step() { rows.append(try record(select)) }
            return rows
        }
    }

    func hasValues(sealedBy key: Int64) throws(VaultError) -> Bool {
        try reading { () throws(SQLiteFailure) in
            try demandStored()
            defer { statements.selectSealedBy.reset() }
            statements.selectSealedBy.bind(key, at: 1)
            return try statements.selectSealedBy.step()
        }
    }

    // MARK: Rows

    /// The value that has this alias, if it is the alias of this row.
    func owner(of alias: String, in row: RowPlace) throws(SQLiteFailure) -> Int64? {
        if row.kind == .value {
            return try withValue(row.id) { $0.isText(RowReading.aliasColumn, alias) ? row.id : nil }
        }
        try demandStored()
        let select = statements.selectAlias
        defer { select.reset() }
        select.bind(row.id, at: 1)
        guard try select.step(), select.isText(0, alias) else { return nil }
        return select.integer(2)
    }

    /// Whether the alias, which has this hash, is that of a row, written or not.
    func isTaken(_ alias: String, _ hash: UInt64) throws(SQLiteFailure) -> Bool {
        let found = try indexes.first(.alias, hash) { (place) throws(SQLiteFailure) -> Bool? in
            let row = RowPlace(place, in: .alias)
            if pending.has(alias, in: row) { return true }
            return try owner(of: alias, in: row) == nil ? nil : true
        }
        return found != nil
    }

    /// Reads the row of a value; `nil` if there is none, or `read` makes nothing of it.
    func withValue<Result>(
        _ id: Int64, _ read: (SQLiteStatement) throws(SQLiteFailure) -> Result?
    ) throws(SQLiteFailure) -> Result? {
        if pending.holds(value: id) { try demandStored() }
        let select = statements.selectValue
        defer { select.reset() }
        select.bind(id, at: 1)
        return try select.step() ? try read(select) : nil
    }

    /// Visits the further aliases of a value from the newest on (columns `alias, format, value, further`), until `visit` returns `false`.
    func visitFurther(
        _ newest: Int64, _ visit: (Int64, SQLiteStatement) throws(SQLiteFailure) -> Bool
    ) throws(SQLiteFailure) {
        let select = statements.selectAlias
        defer { select.reset() }
        var id = newest
        while id != 0 {
            select.reset()
            select.bind(id, at: 1)
            guard try select.step() else { throw .malformed }
            let next = select.integer(3)
            // Ids fall along the list, so that it has an end.
            guard next < id, next >= 0 else { throw .malformed }
            guard try visit(id, select) else { return }
            id = next
        }
    }

    func record(_ row: SQLiteStatement) throws(SQLiteFailure) -> ValueRecord { try decoded(RowReading.value(row)) }

    private func decoded<Row>(_ row: Row?) throws(SQLiteFailure) -> Row {
        guard let row else { throw .malformed }
        return row
    }
}
