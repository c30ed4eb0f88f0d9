import Vault

/// Rows about callers, and the server's time, which theirs is.
extension PostgresTransaction {
    func time() throws(VaultError) -> Int64? {
        let rows = try run(.selectTime)
        return rows.count > 0 ? rows.integer(0, 0) : nil
    }

    func accessRecord(_ kind: AccessRecord.Kind, _ name: [UInt8]) throws(VaultError) -> AccessRecord? {
        let rows = try run(isWriting ? .lockAccess : .selectAccess, [.integer(kind.rawValue), .bytes(name)])
        return rows.count > 0 ? try Self.record(rows, 0, from: 0) : nil
    }

    func accessRecords(_ kind: AccessRecord.Kind, since: Int64?) throws(VaultError) -> AccessReading {
        let rows =
            if let since {
                try run(.selectNewAccess, [.integer(kind.rawValue), .integer(since)])
            } else {
                try run(.selectAllAccess, [.integer(kind.rawValue)])
            }
        var records: [AccessRecord] = []
        for row in 0..<rows.count where !rows.isNull(row, 1) { records.append(try Self.record(rows, row, from: 1)) }
        return AccessReading(records: records, readAt: rows.count > 0 ? rows.integer(0, 0) : 0)
    }

    func insert(_ record: AccessRecord) throws(VaultError) -> Bool {
        try run(.insertAccess, Self.row(record)).changes == 1
    }

    func update(_ record: AccessRecord) throws(VaultError) { try run(.updateAccess, Self.row(record)) }

    func deleteAccessRecords(forgottenBy time: Int64, limit: Int) throws(VaultError) -> Int {
        try run(.deleteAccess, [.integer(time), .integer(Int64(limit))]).changes
    }

    private static func row(_ record: AccessRecord) -> [PostgresValue] {
        [
            .integer(record.kind.rawValue), .bytes(record.name), .bytes(record.content), .integer(record.forgottenAt),
        ]
    }

    private static func record(_ rows: PostgresRows, _ row: Int, from first: Int) throws(VaultError) -> AccessRecord {
        guard let kind = AccessRecord.Kind(rawValue: rows.integer(row, first)) else {
            throw .corrupt("a row about callers is of an unknown kind")
        }
        return AccessRecord(
            kind, name: rows.bytes(row, first + 1), content: rows.bytes(row, first + 2),
            forgottenAt: rows.integer(row, first + 3))
    }
}
