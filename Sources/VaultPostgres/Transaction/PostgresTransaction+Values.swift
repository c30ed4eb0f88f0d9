import Vault

/// Values.
extension PostgresTransaction {
    func value(fingerprint: Fingerprint) throws(VaultError) -> ValueRecord? {
        let statement: PostgresStatement = isWriting ? .lockByFingerprint : .selectByFingerprint
        let rows = try run(statement, [.bytes(fingerprint.bytes)])
        return rows.count > 0 ? try rows.value(0) : nil
    }

    func values(
        after id: Int64, through last: Int64, notSealedUnder key: Int64, limit: Int
    ) throws(VaultError) -> ValuePage {
        try run(
            isWriting ? .lockStale : .selectStale,
            [.integer(id), .integer(key), .integer(Int64(limit)), .integer(last)]
        ).page
    }

    func keySpans(ofValuesAfter id: Int64, count: Int) throws(VaultError) -> [KeySpan] {
        let rows = try run(.selectKeySpans, [.integer(id), .integer(Int64(count))])
        return (0..<rows.count).map { row in
            KeySpan(
                key: rows.integer(row, 0), first: rows.integer(row, 1), last: rows.integer(row, 2),
                count: Int(rows.integer(row, 3)))
        }
    }

    func lastValueID() throws(VaultError) -> Int64 {
        let rows = try run(.selectLastValueID, [])
        return rows.count > 0 ? rows.integer(0, 0) : 0
    }

    func values(
        expiringBy time: Int64, after cursor: ExpiryCursor, limit: Int
    ) throws(VaultError) -> ValuePage {
        let statement: PostgresStatement = isWriting ? .lockExpiring : .selectExpiring
        return try run(
            statement, [.integer(time), .integer(cursor.expiresAt), .integer(cursor.id), .integer(Int64(limit))]
        ).page
    }

    /// What another process adds before the place that was reached, the server finds when the key is removed: it goes through all rows
    /// then, as there is no index on keys.
    func hasRecords(
        sealedUnder key: Int64, afterValue value: Int64, afterResponse response: [UInt8]
    ) throws(VaultError) -> Bool {
        if try run(.selectValueSealedUnder, [.integer(key), .integer(value)]).count > 0 { return true }
        return try run(.selectResponseSealedUnder, [.integer(key), .bytes(response)]).count > 0
    }

    func nextValueID() throws(VaultError) -> Int64 {
        if ids.isEmpty { ids = try drawIDs() }
        guard let id = ids.popFirst(), id > 0 else { throw .corrupt("the database gives no ids") }
        draft?.note(drawn: id)
        return id
    }

    /// Ids above all that are taken. A sequence that gives lower ones has fallen back: a server that took another's place, or a restored
    /// dump, may know of fewer draws than of values. It is then drawn from until it is past them, which any number of sessions may do at
    /// once: setting it could put it back behind what another one has just drawn. Whatever is still taken then fails when it is used.
    private func drawIDs() throws(VaultError) -> ArraySlice<Int64> {
        var drawn: [Int64] = []
        for _ in 0..<Self.draws {
            let rows = try run(.nextIDs, [.integer(512)])
            drawn = (0..<rows.count).map { rows.integer($0, 0) }
            guard let first = drawn.first, let last = drawn.last, case let taken = rows.integer(0, 1), first <= taken,
                taken - last < Self.plausibleGap
            else { break }
            if last < taken { try run(.passIDs, [.integer(min(taken - last, Self.passedAtOnce))]) }
        }
        return drawn[...]
    }

    private static let draws = 4
    /// Ids that one statement passes over, in a second or two.
    private static let passedAtOnce: Int64 = 1_000_000
    /// No sequence falls back so far: the highest id is that of a row that was changed.
    private static let plausibleGap: Int64 = 1 << 32

    func insert(_ value: ValueRecord) throws(VaultError) {
        try run(
            .insertValue,
            [
                .integer(value.id), .bytes(value.binding.bytes), .bytes(optional: value.fingerprint?.bytes),
                .integer(value.keyID), .bytes(value.sealed), .bytes(optional: value.classifierBytes),
                .integer(value.createdAt), .integer(optional: value.expiresAt),
            ])
    }

    func update(_ value: ValueRecord) throws(VaultError) {
        try run(
            .updateValue,
            [
                .integer(value.id), .bytes(optional: value.fingerprint?.bytes), .integer(value.keyID),
                .bytes(value.sealed), .bytes(optional: value.classifierBytes), .integer(optional: value.expiresAt),
            ])
    }

    func erase(value id: Int64) throws(VaultError) -> [String] {
        let rows = try run(.selectAliases, [.integer(id)])
        let aliases = (0..<rows.count).map { rows.text($0, 0) }
        for alias in aliases { try run(.deleteAlias, [.text(alias)]) }
        try run(.deleteValue, [.integer(id)])
        return aliases
    }
}
