import Vault

/// Rows about callers.
extension SQLiteTransaction {
    func accessRecord(_ kind: AccessRecord.Kind, _ name: [UInt8]) throws(VaultError) -> AccessRecord? {
        let select = statements.access.select
        return try reading { () throws(SQLiteFailure) in
            defer { select.reset() }
            select.bind(kind.rawValue, at: 1)
            select.bind(name, at: 2)
            return try select.step() ? try Self.record(select) : nil
        }
    }

    func accessRecords(_ kind: AccessRecord.Kind, since: Int64?) throws(VaultError) -> AccessReading {
        let clock = statements.access.now
        let select = since == nil ? statements.access.selectAll : statements.access.selectNew
        return try reading { () throws(SQLiteFailure) in
            defer {
                clock.reset()
                select.reset()
            }
            let now = try clock.step() ? clock.integer(0) : 0
            select.bind(kind.rawValue, at: 1)
            // The clock may have been set back since the last reading.
            if let since { select.bind(min(since, now) - AccessReading.overlap, at: 2) }
            var records: [AccessRecord] = []
            while try select.step() { records.append(try Self.record(select)) }
            return AccessReading(records: records, readAt: now)
        }
    }

    func insert(_ record: AccessRecord) throws(VaultError) -> Bool {
        guard try accessRecord(record.kind, record.name) == nil else { return false }
        try run(statements.access.insert, record)
        hasInserted = true
        return true
    }

    func update(_ record: AccessRecord) throws(VaultError) { try run(statements.access.update, record) }

    func deleteAccessRecords(forgottenBy time: Int64, limit: Int) throws(VaultError) -> Int {
        let (select, delete) = (statements.access.selectOld, statements.access.delete)
        select.bind(time, at: 1)
        select.bind(Int64(limit), at: 2)
        let hasAny = try reading { () throws(SQLiteFailure) in
            defer { select.reset() }
            return try select.step()
        }
        guard hasAny else { return 0 }
        return try writing { (_) throws(SQLiteFailure) in
            defer { select.reset() }
            var erased = 0
            while try select.step() {
                // With the types that they have: a row whose name is a text is found by no blob.
                delete.bind(column: 0, of: select, at: 1)
                delete.bind(column: 1, of: select, at: 2)
                try delete.run()
                erased += 1
            }
            return erased
        }
    }

    private func run(_ statement: SQLiteStatement, _ record: AccessRecord) throws(VaultError) {
        try writing { (_) throws(SQLiteFailure) in
            statement.bind(record.kind.rawValue, at: 1)
            statement.bind(record.name, at: 2)
            statement.bind(record.content, at: 3)
            statement.bind(record.forgottenAt, at: 4)
            try statement.run()
        }
    }

    private static func record(_ row: SQLiteStatement) throws(SQLiteFailure) -> AccessRecord {
        guard let kind = AccessRecord.Kind(rawValue: row.integer(0)) else { throw .malformed }
        return AccessRecord(kind, name: row.bytes(1), content: row.bytes(2), forgottenAt: row.integer(3))
    }
}
