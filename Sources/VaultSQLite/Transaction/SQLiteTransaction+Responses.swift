import Crypto
import Vault

/// Responses that are stored for repeatable requests.
extension SQLiteTransaction {
    func response(_ name: [UInt8]) throws(VaultError) -> ResponseRecord? {
        try reading { () throws(SQLiteFailure) in try find(name)?.response }
    }

    func responses(
        after cursor: [UInt8], notSealedUnder key: Int64, limit: Int
    ) throws(VaultError) -> (records: [ResponseRecord], next: [UInt8]?) {
        let select = statements.selectResponses
        return try reading { () throws(SQLiteFailure) in
            defer { select.reset() }
            select.bind(Int64(bigEndianBytes: cursor) ?? 0, at: 1)
            select.bind(Int64(limit), at: 2)
            var (records, count, last): ([ResponseRecord], Int, Int64) = ([], 0, 0)
            while try select.step() {
                (count, last) = (count + 1, select.integer(0))
                if select.integer(2) == key { continue }
                records.append(
                    ResponseRecord(
                        name: select.bytes(1), keyID: select.integer(2), sealed: select.bytes(3),
                        expiresAt: select.integer(4)))
            }
            return (records, count == limit ? last.bigEndianBytes : nil)
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

    func replace(_ response: ResponseRecord) throws(VaultError) {
        try writing { (writer) throws(SQLiteFailure) in
            if let old = try find(response.name) { try remove(old.id, response.name, writer) }
            try write(response, writer)
        }
    }

    func insert(_ response: ResponseRecord) throws(VaultError) -> Bool {
        try writing { (writer) throws(SQLiteFailure) in
            guard try find(response.name) == nil else { return false }
            try write(response, writer)
            return true
        }
    }

    func delete(response name: [UInt8], sealed: [UInt8]) throws(VaultError) -> Bool {
        try writing { (writer) throws(SQLiteFailure) in
            guard let found = try find(name), found.response.sealed == sealed else { return false }
            try remove(found.id, name, writer)
            return true
        }
    }

    func deleteResponses(expiringBy time: Int64, limit: Int) throws(VaultError) -> ResponseTotals {
        let select = statements.selectExpiredResponses
        let old = try reading { () throws(SQLiteFailure) in
            defer { select.reset() }
            select.bind(time, at: 1)
            select.bind(Int64(limit), at: 2)
            var old: [(id: Int64, name: [UInt8], bytes: Int)] = []
            while try select.step() { old.append((select.integer(0), select.bytes(1), Int(select.integer(2)))) }
            return old
        }
        if old.isEmpty { return ResponseTotals() }
        try writing { (writer) throws(SQLiteFailure) in
            for row in old { try remove(row.id, row.name, writer) }
        }
        return ResponseTotals(count: old.count, bytes: old.reduce(0) { $0 + $1.bytes })
    }

    // MARK: Rows

    private func find(_ name: [UInt8]) throws(SQLiteFailure) -> (id: Int64, response: ResponseRecord)? {
        let select = statements.selectResponse
        let hash = hash.indexHash(name)
        return try indexes.first(.response, hash) {
            (place) throws(SQLiteFailure) -> (id: Int64, response: ResponseRecord)? in
            defer { select.reset() }
            select.bind(place, at: 1)
            guard try select.step() else { return nil }
            let own = select.bytes(1)
            guard own == name else {
                try requireCollision(of: own, in: .response, hash, place)
                return nil
            }
            let response = ResponseRecord(
                name: name, keyID: select.integer(2), sealed: select.bytes(3), expiresAt: select.integer(4))
            return (select.integer(0), response)
        }
    }

    private func write(_ response: ResponseRecord, _ writer: IndexWriter) throws(SQLiteFailure) {
        guard let id = writer.nextId(.response) else { throw SQLiteFailure(code: SQLiteFailure.full) }
        let insert = statements.insertResponse
        insert.bind(id, at: 1)
        insert.bind(response.name, at: 2)
        insert.bind(response.keyID, at: 3)
        insert.bind(response.sealed, at: 4)
        insert.bind(response.expiresAt, at: 5)
        try insert.run()
        try writer.add(.response, hash.indexHash(response.name), RowPlace(.response, id))
        hasInserted = true
    }

    private func remove(_ id: Int64, _ name: [UInt8], _ writer: IndexWriter) throws(SQLiteFailure) {
        statements.deleteResponse.bind(id, at: 1)
        try statements.deleteResponse.run()
        try writer.remove(.response, hash.indexHash(name), RowPlace(.response, id))
        hasErased = true
    }
}
