import Vault

/// Responses that are stored for repeatable requests, and the audit log's anchor.
extension PostgresTransaction {
    func response(_ name: [UInt8]) throws(VaultError) -> ResponseRecord? {
        let rows = try run(.selectResponse, [.bytes(name)])
        return rows.count > 0 ? rows.response(0) : nil
    }

    func responses(
        after cursor: [UInt8], notSealedUnder key: Int64, limit: Int
    ) throws(VaultError) -> (records: [ResponseRecord], next: [UInt8]?) {
        let rows = try run(.walkResponses, [.bytes(cursor), .integer(key), .integer(Int64(limit))])
        let stale = (0..<rows.count).filter { !rows.isNull($0, 2) }
        return (stale.map { rows.response($0) }, rows.count == limit ? rows.response(rows.count - 1).name : nil)
    }

    func responseTotals() throws(VaultError) -> ResponseTotals {
        let rows = try run(.selectResponseTotals)
        return ResponseTotals(count: Int(rows.integer(0, 0)), bytes: Int(rows.integer(0, 1)))
    }

    func replace(_ response: ResponseRecord) throws(VaultError) { try run(.replaceResponse, Self.row(response)) }

    func insert(_ response: ResponseRecord) throws(VaultError) -> Bool {
        try run(.insertResponse, Self.row(response)).changes == 1
    }

    func delete(response name: [UInt8], sealed: [UInt8]) throws(VaultError) -> Bool {
        try run(.deleteThisResponse, [.bytes(name), .bytes(sealed)]).changes == 1
    }

    func deleteResponses(expiringBy time: Int64, limit: Int) throws(VaultError) -> ResponseTotals {
        let rows = try run(.deleteResponses, [.integer(time), .integer(Int64(limit))])
        return ResponseTotals(count: rows.count, bytes: (0..<rows.count).reduce(0) { $0 + Int(rows.integer($1, 0)) })
    }

    private static func row(_ response: ResponseRecord) -> [PostgresValue] {
        [.bytes(response.name), .integer(response.keyID), .bytes(response.sealed), .integer(response.expiresAt)]
    }

    func anchor(of log: Int64) throws(VaultError) -> AuditAnchor? {
        let rows = try run(.selectAnchor, [.integer(log)])
        guard rows.count > 0 else { return nil }
        return try AuditAnchor(
            log: log, sequence: rows.integer(0, 0), code: rows.bytes(0, 1), tag: rows.bytes(0, 2))
    }

    func replace(_ anchor: AuditAnchor) throws(VaultError) {
        try run(
            .replaceAnchor,
            [.integer(anchor.log), .integer(anchor.sequence), .bytes(anchor.code), .bytes(anchor.tag.bytes)])
    }
}
