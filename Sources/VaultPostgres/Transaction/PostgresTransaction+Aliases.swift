import Vault

/// Aliases.
extension PostgresTransaction {
    func entry(alias: String) throws(VaultError) -> AliasEntry? {
        let rows = try run(isWriting ? .lockByAlias : .selectByAlias, [.text(alias)])
        return rows.count > 0 ? try rows.entry(0) : nil
    }

    func aliases(of value: Int64) throws(VaultError) -> [AliasRecord] {
        try run(.selectAliases, [.integer(value)]).records { (rows, row) throws(VaultError) in try rows.alias(row) }
    }

    func holds(alias: String) throws(VaultError) -> Bool { try run(.selectHeld, [.text(alias)]).count > 0 }

    func aliases(amongPossibleNumbers texts: [String]) throws(VaultError) -> [String] {
        // Texts that look alike so far are one question.
        let asked = Array(Set(texts.compactMap(Self.shown)))
        guard let first = asked.first else { return [] }
        let rows =
            asked.count == 1
            ? try run(.selectAlike, first)
            : try run(
                .selectAllAlike,
                [PostgresValue.Element.bytes, .bytes, .integer, .bytes].enumerated().map { column, type in
                    .array(type, of: asked.lazy.map { $0[column] })
                })
        let alike = Set((0..<rows.count).map { rows.bytes($0, 0) })
        return texts.filter { alike.contains(Array($0.utf8)) }
    }

    /// What may be shown of a number: bounds of what begins as it does, its length, and its end; nil for a shorter text, which would be
    /// shown whole and is no alias of this kind.
    private static func shown(of text: String) -> [PostgresValue]? {
        let bytes = Array(text.utf8)
        guard bytes.count >= 12 else { return nil }
        let start = Array(bytes.prefix(bytes.count >= 16 ? 8 : 6))
        return [.bytes(start), .bytes(start + [0xFF]), .integer(Int64(bytes.count)), .bytes(Array(bytes.suffix(4)))]
    }

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
