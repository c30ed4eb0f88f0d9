import Vault

/// Aliases.
extension PostgresTransaction {
    func entry(alias: String) throws(VaultError) -> AliasEntry? {
        let rows = try run(isWriting ? .lockByAlias : .selectByAlias, [.text(alias)])
        guard rows.count > 0 else { return nil }
        // Looked up together with values that are large.
        if let draft, rows.lacksValue(0) { throw note(draft.leaveToServer()) }
        return try rows.entry(0)
    }

    func aliases(of value: Int64) throws(VaultError) -> [AliasRecord] {
        try run(.selectAliases, [.integer(value)]).records { (rows, row) throws(VaultError) in try rows.alias(row) }
    }

    func holds(alias: String) throws(VaultError) -> Bool { try run(.selectHeld, [.text(alias)]).count > 0 }

    /// Up to ``shortBeginnings`` beginnings of numbers shorter than 16 digits are asked for: all aliases that begin with the same six digits
    /// are gone through for each of them.
    func aliases(amongPossibleNumbers texts: [String]) throws(VaultError) -> [String] {
        let asked = Set(texts.compactMap(TruncatedNumber.init))
        guard let first = asked.first else { return [] }
        let rows: PostgresRows
        if asked.count == 1 {
            let beginning = first.beginning
            rows = try run(
                .selectAlike,
                [.bytes(beginning.start), .bytes(beginning.end), .integer(beginning.length), .bytes(first.tail)])
        } else {
            let all = Set(asked.map(\.beginning))
            let beginnings = all.filter { !$0.isShort } + all.filter(\.isShort).prefix(Self.shortBeginnings)
            rows = try run(
                .selectAllAlike,
                [
                    .array(.bytes, of: beginnings.lazy.map { .bytes($0.start) }),
                    .array(.bytes, of: beginnings.lazy.map { .bytes($0.end) }),
                    .array(.integer, of: beginnings.lazy.map { .integer($0.length) }),
                    .array(.bytes, of: asked.lazy.map { .bytes($0.beginning.start + $0.tail) }),
                ])
        }
        let alike = Set((0..<rows.count).map { rows.bytes($0, 0) })
        return texts.filter { alike.contains(Array($0.utf8)) }
    }

    private static let shortBeginnings = 64

    /// A part at a time: there may be millions.
    func visitAliases(prefix: String, _ visit: (String) -> Void) throws(VaultError) {
        // No text holds this byte, so that all that begin with the prefix come before it.
        let end = Array(prefix.utf8) + [0xFF]
        var last = Array(prefix.utf8)
        if try holds(alias: prefix) { visit(prefix) }
        while true {
            let rows = try run(.selectRange, [.bytes(last), .bytes(end)])
            guard rows.count > 0 else { return }
            for row in 0..<rows.count { visit(rows.text(row, 0)) }
            last = rows.bytes(rows.count - 1, 0)
        }
    }

    func insert(_ record: AliasRecord) throws(VaultError) -> Bool {
        try run(
            .insertAlias,
            [
                .text(record.alias.alias), .integer(Int64(record.alias.format.code)), .integer(record.value),
                .bytes(record.tag.bytes),
            ]
        ).changes == 1
    }

    func erase(alias: String) throws(VaultError) {
        let rows = try run(.lockByAlias, [.text(alias)])
        guard rows.count > 0 else { return }
        let value = rows.integer(0, 2)
        try run(.deleteAlias, [.text(alias)])
        if try run(.selectAliases, [.integer(value)]).count == 0 { try run(.deleteValue, [.integer(value)]) }
    }
}
