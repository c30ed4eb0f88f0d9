import Vault

/// Removal of rows that may hold anything: nothing that they say is believed further than that it names what is to go.
extension SQLiteTransaction {
    func erase(alias: String) throws(VaultError) {
        try writing { (writer) throws(SQLiteFailure) in
            let hash = hash.indexHash(alias)
            let found = try indexes.first(.alias, hash) { (place) throws(SQLiteFailure) -> (RowPlace, Int64)? in
                let row = RowPlace(place, in: .alias)
                return try holder(of: alias, hash, in: row).map { (row, $0) }
            }
            guard let (row, value) = found else { return }
            if row.kind == .value {
                statements.removeFirstAlias.bind(row.id, at: 1)
                try statements.removeFirstAlias.run()
            } else {
                try unlink(row.id, of: value)
            }
            try writer.remove(.alias, hash, row)
            hasErased = true
            if try !hasAlias(value) { try remove(value: value, writer) }
        }
    }

    func erase(value id: Int64) throws(VaultError) -> [String] {
        try writing { (writer) throws(SQLiteFailure) in
            var aliases: [(name: String, row: RowPlace)] = []
            let newest = try withValue(id) { row in
                if !row.isNull(RowReading.aliasColumn) {
                    aliases.append((row.text(RowReading.aliasColumn), RowPlace(.value, id)))
                }
                return row.integer(RowReading.furtherColumn)
            }
            // As far as the list goes: behind a row that is missing lie aliases that are damaged, and can be deleted one by one.
            try toleratingDamage { () throws(SQLiteFailure) in
                try visitFurther(newest ?? 0) { alias, row in
                    guard row.integer(3) == id else { return false }
                    aliases.append((row.text(0), RowPlace(.alias, alias)))
                    return true
                }
            }
            for alias in aliases {
                if alias.row.kind == .alias {
                    statements.deleteAlias.bind(alias.row.id, at: 1)
                    try statements.deleteAlias.run()
                }
                try writer.remove(.alias, hash.indexHash(alias.name), alias.row)
            }
            try remove(value: id, writer)
            return aliases.map(\.name)
        }
    }

    /// The value that an alias's row names. The index says that the row is this alias's, so one that has another alias, of another hash,
    /// was changed by somebody else, and is the one.
    private func holder(of alias: String, _ hash: UInt64, in row: RowPlace) throws(SQLiteFailure) -> Int64? {
        func isItsRow(_ statement: SQLiteStatement, _ column: Int32) -> Bool {
            if statement.isNull(column) { return false }
            return statement.isText(column, alias) || self.hash.indexHash(statement.text(column)) != hash
        }
        if row.kind == .value {
            return try withValue(row.id) { isItsRow($0, RowReading.aliasColumn) ? row.id : nil }
        }
        let select = statements.selectAlias
        defer { select.reset() }
        select.bind(row.id, at: 1)
        return try select.step() && isItsRow(select, 0) ? select.integer(3) : nil
    }

    /// Whether a row of an alias is left that the value names.
    private func hasAlias(_ value: Int64) throws(SQLiteFailure) -> Bool {
        let first = try withValue(value) { ($0.isNull(RowReading.aliasColumn), $0.integer(RowReading.furtherColumn)) }
        guard let (hasNone, further) = first else { return false }
        if !hasNone { return true }
        if further == 0 { return false }
        let select = statements.selectAlias
        defer { select.reset() }
        select.bind(further, at: 1)
        return try select.step() && select.integer(3) == value
    }

    /// Removes the row of a value.
    private func remove(value id: Int64, _ writer: IndexWriter) throws(SQLiteFailure) {
        let fingerprint = try withValue(id) { $0.bytes(RowReading.fingerprintColumn) } ?? []
        statements.deleteValue.bind(id, at: 1)
        try statements.deleteValue.run()
        hasErased = true
        guard !fingerprint.isEmpty else { return }
        try writer.remove(.fingerprint, hash.indexHash(fingerprint), RowPlace(.value, id))
    }

    /// Removes a further alias: the row that named it names what it names, and its own goes. Where the list is broken before it, the list
    /// ends there.
    private func unlink(_ alias: Int64, of value: Int64) throws(SQLiteFailure) {
        let newest = try withValue(value) { $0.integer(RowReading.furtherColumn) }
        var (before, after): (Int64, Int64) = (0, 0)
        try toleratingDamage { () throws(SQLiteFailure) in
            try visitFurther(newest ?? 0) { id, row in
                if id != alias {
                    before = id
                    return true
                }
                after = row.integer(4)
                return false
            }
        }
        let update = before == 0 ? statements.updateValueFurther : statements.updateAliasFurther
        update.bind(before == 0 ? value : before, at: 1)
        update.bind(after, at: 2)
        try update.run()
        statements.deleteAlias.bind(alias, at: 1)
        try statements.deleteAlias.run()
    }

    /// Ends a step without an error where a row holds what was never written.
    private func toleratingDamage(_ step: () throws(SQLiteFailure) -> Void) throws(SQLiteFailure) {
        do { try step() } catch { if !error.isRow { throw error } }
    }
}
