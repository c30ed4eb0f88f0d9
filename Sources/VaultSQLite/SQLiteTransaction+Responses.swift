import Vault

/// Responses that are stored for repeatable requests.
extension SQLiteTransaction {
    func response(_ name: [UInt8]) throws(VaultError) -> ResponseRecord? {
        let select = statements.selectResponse
        return try reading { () throws(SQLiteFailure) in
            defer { select.reset() }
            select.bind(name, at: 1)
            guard try select.step() else { return nil }
            return ResponseRecord(
                name: select.bytes(0), keyID: select.integer(1), sealed: select.bytes(2), expiresAt: select.integer(3))
        }
    }

    func responseTotals() throws(VaultError) -> ResponseTotals {
        let select = statements.selectResponseTotals
        return try reading { () throws(SQLiteFailure) in
            defer { select.reset() }
            guard try select.step() else { return ResponseTotals() }
            return ResponseTotals(count: Int(select.integer(0)), bytes: Int(select.integer(1)))
        }
    }

    func replace(_ response: ResponseRecord) throws(VaultError) { _ = try run(statements.replaceResponse, response) }

    func insert(_ response: ResponseRecord) throws(VaultError) -> Bool { try run(statements.insertResponse, response) }

    /// Whether a row was written.
    private func run(_ insert: SQLiteStatement, _ response: ResponseRecord) throws(VaultError) -> Bool {
        try writing { () throws(SQLiteFailure) in
            insert.bind(response.name, at: 1)
            insert.bind(response.keyID, at: 2)
            insert.bind(response.sealed, at: 3)
            insert.bind(response.expiresAt, at: 4)
            try insert.run()
            hasInserted = true
            return connection.changes > 0
        }
    }

    func delete(response name: [UInt8], sealed: [UInt8]) throws(VaultError) -> Bool {
        try writing { () throws(SQLiteFailure) in
            statements.deleteThisResponse.bind(name, at: 1)
            statements.deleteThisResponse.bind(sealed, at: 2)
            try statements.deleteThisResponse.run()
            return connection.changes > 0
        }
    }

    func deleteResponses(expiringBy time: Int64, limit: Int) throws(VaultError) -> ResponseTotals {
        let select = statements.selectOldResponses
        let old = try reading { () throws(SQLiteFailure) in
            defer { select.reset() }
            select.bind(time, at: 1)
            select.bind(Int64(limit), at: 2)
            var old: [(id: Int64, bytes: Int)] = []
            while try select.step() { old.append((select.integer(0), Int(select.integer(1)))) }
            return old
        }
        if old.isEmpty { return ResponseTotals() }
        try writing { () throws(SQLiteFailure) in
            for row in old {
                statements.deleteResponse.bind(row.id, at: 1)
                try statements.deleteResponse.run()
            }
        }
        return ResponseTotals(count: old.count, bytes: old.reduce(0) { $0 + $1.bytes })
    }
}
