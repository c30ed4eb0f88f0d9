import Crypto
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

    func anchor(of log: Int64) throws(VaultError) -> AuditAnchor? {
        let select = statements.selectAnchor
        let row = try reading { () throws(SQLiteFailure) -> (Int64, [UInt8], [UInt8])? in
            defer { select.reset() }
            select.bind(log, at: 1)
            return try select.step() ? (select.integer(0), select.bytes(1), select.bytes(2)) : nil
        }
        return try row.map { (row) throws(VaultError) in
            try AuditAnchor(log: log, sequence: row.0, code: row.1, tag: row.2)
        }
    }

    func entry(alias: String) throws(VaultError) -> AliasEntry? {
        try reading { () throws(SQLiteFailure) in
            let hash = hash.indexHash(alias)
            return try indexes.first(.alias, hash) { (place) throws(SQLiteFailure) in
                let place = RowPlace(place, in: .alias)
                guard place.kind == .value else { return try furtherEntry(alias, hash, place.id) }
                return try withValue(place.id) { (row) throws(SQLiteFailure) in
                    guard try isAlias(alias, hash, row, at: RowReading.aliasColumn) else { return nil }
                    let record = try decoded(RowReading.alias(row, at: RowReading.aliasColumn, of: place.id))
                    return AliasEntry(alias: record, value: try self.record(row))
                }
            }
        }
    }

    private func furtherEntry(_ alias: String, _ hash: UInt64, _ id: Int64) throws(SQLiteFailure) -> AliasEntry? {
        guard let record = try furtherAlias(alias, hash, id) else { return nil }
        let value = try withValue(record.value) { (row) throws(SQLiteFailure) in try self.record(row) }
        return AliasEntry(alias: record, value: value)
    }

    func value(fingerprint: Fingerprint) throws(VaultError) -> ValueRecord? {
        let bytes = fingerprint.bytes
        return try reading { () throws(SQLiteFailure) in
            let hash = hash.indexHash(bytes)
            return try indexes.first(.fingerprint, hash) { (place) throws(SQLiteFailure) in
                try withValue(place) { (row) throws(SQLiteFailure) in
                    let own = row.bytes(RowReading.fingerprintColumn)
                    if own == bytes { return try record(row) }
                    try requireCollision(of: own, in: .fingerprint, hash, place)
                    return nil
                }
            }
        }
    }

    func aliases(of value: Int64) throws(VaultError) -> [AliasRecord] {
        try reading { () throws(SQLiteFailure) in
            var aliases: [AliasRecord] = []
            let newest = try withValue(value) { (row) throws(SQLiteFailure) -> Int64 in
                if !row.isNull(RowReading.aliasColumn) {
                    aliases.append(try decoded(RowReading.alias(row, at: RowReading.aliasColumn, of: value)))
                }
                return row.integer(RowReading.furtherColumn)
            }
            let first = aliases.count
            try visitFurther(newest ?? 0) { (_, row) throws(SQLiteFailure) in
                aliases.append(try decoded(RowReading.alias(row, at: 0, of: row.integer(3))))
                return true
            }
            aliases[first...].reverse()
            return aliases
        }
    }

    func holds(alias: String) throws(VaultError) -> Bool {
        try reading { () throws(SQLiteFailure) in try isTaken(alias, hash.indexHash(alias)) }
    }

    func aliases(amongPossibleNumbers texts: [String]) throws(VaultError) -> [String] {
        var aliases: [String] = []
        for text in texts where try holds(alias: text) { aliases.append(text) }
        return aliases
    }

    func visitAliases(prefix: String, _ visit: (String) -> Void) throws(VaultError) {
        let select = statements.selectPrefix
        try reading { () throws(SQLiteFailure) in
            try requireStored()
            defer { select.reset() }
            select.bind(prefix, at: 1)
            // No text that begins with the prefix sorts after the prefix and the last character of Unicode.
            select.bind(prefix + "\u{10FFFF}", at: 2)
            while try select.step() { visit(select.text(0)) }
        }
    }

    func values(
        after id: Int64, through last: Int64, notSealedUnder key: Int64, limit: Int
    ) throws(VaultError) -> ValuePage {
        let select = statements.selectStaleValues
        return try reading { () throws(SQLiteFailure) in
            try requireStored()
            defer { select.reset() }
            select.bind(id, at: 1)
            select.bind(key, at: 2)
            select.bind(Int64(limit), at: 3)
            select.bind(last, at: 4)
            return try page(select)
        }
    }

    func keySpans(ofValuesAfter id: Int64, count: Int) throws(VaultError) -> [KeySpan] {
        let select = statements.selectKeySpans
        return try reading { () throws(SQLiteFailure) in
            try requireStored()
            defer { select.reset() }
            select.bind(id, at: 1)
            select.bind(Int64(count), at: 2)
            var spans: [KeySpan] = []
            while try select.step() {
                spans.append(
                    KeySpan(
                        key: select.integer(0), first: select.integer(1), last: select.integer(2),
                        count: Int(select.integer(3))))
            }
            return spans
        }
    }

    func lastValueID() throws(VaultError) -> Int64 {
        try reading { () throws(SQLiteFailure) in try connection.number("SELECT ifnull(max(id), 0) FROM value") }
    }

    func values(expiringBy time: Int64, after cursor: ExpiryCursor, limit: Int) throws(VaultError) -> ValuePage {
        let select = statements.selectExpiringValues
        return try reading { () throws(SQLiteFailure) in
            try requireStored()
            defer { select.reset() }
            select.bind(time, at: 1)
            select.bind(cursor.expiresAt, at: 2)
            select.bind(cursor.id, at: 3)
            select.bind(Int64(limit), at: 4)
            return try page(select)
        }
    }

    func hasRecords(
        sealedUnder key: Int64, afterValue value: Int64, afterResponse response: [UInt8]
    ) throws(VaultError) -> Bool {
        try reading { () throws(SQLiteFailure) in
            try requireStored()
            defer { statements.selectSealedBy.reset() }
            statements.selectSealedBy.bind(key, at: 1)
            statements.selectSealedBy.bind(value, at: 2)
            statements.selectSealedBy.bind(Int64(bigEndianBytes: response) ?? 0, at: 3)
            return try statements.selectSealedBy.step()
        }
    }

    // MARK: Rows

    /// The value that has this alias, if it is the alias of this row.
    func owner(of alias: String, _ hash: UInt64, in row: RowPlace) throws(SQLiteFailure) -> Int64? {
        guard row.kind == .value else { return try furtherAlias(alias, hash, row.id)?.value }
        return try withValue(row.id) { (statement) throws(SQLiteFailure) in
            try isAlias(alias, hash, statement, at: RowReading.aliasColumn) ? row.id : nil
        }
    }

    private func furtherAlias(_ alias: String, _ hash: UInt64, _ id: Int64) throws(SQLiteFailure) -> AliasRecord? {
        try requireStored()
        let select = statements.selectAlias
        defer { select.reset() }
        select.bind(id, at: 1)
        guard try select.step(), try isAlias(alias, hash, select, at: 0) else { return nil }
        return try decoded(RowReading.alias(select, at: 0, of: select.integer(3)))
    }

    /// Whether a row that the index names for this hash has this alias. A row keeps its alias or loses it; one that has another alias,
    /// of another hash, was changed by somebody else.
    private func isAlias(
        _ alias: String, _ hash: UInt64, _ row: SQLiteStatement, at column: Int32
    ) throws(SQLiteFailure) -> Bool {
        if row.isText(column, alias) { return true }
        if row.isNull(column) { return false }
        guard self.hash.indexHash(row.text(column)) == hash else { throw .damagedRow }
        return false
    }

    /// Whether the alias, which has this hash, is that of a row, written or not.
    func isTaken(_ alias: String, _ hash: UInt64) throws(SQLiteFailure) -> Bool {
        let found = try indexes.first(.alias, hash) { (place) throws(SQLiteFailure) -> Bool? in
            let row = RowPlace(place, in: .alias)
            if pending.has(alias, in: row) { return true }
            return try owner(of: alias, hash, in: row) == nil ? nil : true
        }
        return found != nil
    }

    /// Reads the row of a value; `nil` if there is none, or `read` makes nothing of it.
    func withValue<Result>(
        _ id: Int64, _ read: (SQLiteStatement) throws(SQLiteFailure) -> Result?
    ) throws(SQLiteFailure) -> Result? {
        if pending.holds(value: id) { try requireStored() }
        let select = statements.selectValue
        defer { select.reset() }
        select.bind(id, at: 1)
        return try select.step() ? try read(select) : nil
    }

    /// Visits the further aliases of a value from the newest on (columns `alias, format, tag, value, further`), until `visit` returns `false`.
    func visitFurther(
        _ newest: Int64, _ visit: (Int64, SQLiteStatement) throws(SQLiteFailure) -> Bool
    ) throws(SQLiteFailure) {
        let select = statements.selectAlias
        defer { select.reset() }
        var id = newest
        while id != 0 {
            select.reset()
            select.bind(id, at: 1)
            guard try select.step() else { throw .damagedRow }
            let next = select.integer(4)
            // Ids fall along the list, so that it has an end.
            guard next < id, next >= 0 else { throw .damagedRow }
            guard try visit(id, select) else { return }
            id = next
        }
    }

    /// The rest of the rows of a walk over values.
    private func page(_ select: SQLiteStatement) throws(SQLiteFailure) -> ValuePage {
        var page = ValuePage()
        while try select.step() {
            let expiresAt = select.isNull(7) ? nil : select.integer(7)
            page.add(select.integer(0), expiresAt: expiresAt, RowReading.value(select))
        }
        return page
    }

    func record(_ row: SQLiteStatement) throws(SQLiteFailure) -> ValueRecord { try decoded(RowReading.value(row)) }

    private func decoded<Row>(_ row: Row?) throws(SQLiteFailure) -> Row {
        guard let row else { throw .damagedRow }
        return row
    }
}
