import Vault

/// The tables of format 2 (and 1, which has no stored responses), under the names that they get when those of format 3 are made beside them.
struct OldTables {
    private let connection: SQLiteConnection

    init(_ connection: SQLiteConnection) {
        self.connection = connection
    }

    private static let names = ["key", "value", "alias", "answer"]

    /// Whether they are there under their new names.
    func areBeside() throws(SQLiteFailure) -> Bool {
        try connection.number("SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = 'old_key'") == 1
    }

    /// Gives them their new names and makes the tables of format 3, in the transaction that is open.
    func putBeside() throws(SQLiteFailure) {
        for name in Self.names {
            guard try connection.number("SELECT count(*) FROM sqlite_schema WHERE name = '\(name)'") == 1 else {
                continue
            }
            try connection.execute("ALTER TABLE \(name) RENAME TO old_\(name)")
        }
        try connection.execute(Schema.statements)
    }

    /// The ids of the keys that values are sealed under, before the tables get their new names.
    func keysInUse() throws(SQLiteFailure) -> Set<Int64> {
        let used = try connection.prepare("SELECT DISTINCT key FROM value")
        defer { used.reset() }
        var keys: Set<Int64> = []
        while try used.step() { keys.insert(used.integer(0)) }
        return keys
    }

    /// The vault's id and the keys, from the tables of this name.
    ///
    /// - Parameter keysInUse: those that must be among them.
    func source(
        keyTable: String, keys: [KeyRecord], keysInUse: Set<Int64> = []
    ) throws(SQLiteFailure) -> FormatUpgrade.Source {
        let vault = try connection.prepare("SELECT id FROM vault LIMIT 1")
        defer { vault.reset() }
        let id = try vault.step() ? vault.bytes(0) : []
        let select = try connection.prepare("SELECT id, purpose, wrapped FROM \(keyTable) ORDER BY id")
        defer { select.reset() }
        var old: [FormatUpgrade.OldKey] = []
        while try select.step() {
            old.append(.init(id: select.integer(0), purpose: select.integer(1), wrapped: select.bytes(2)))
        }
        return FormatUpgrade.Source(vaultID: id, oldKeys: old, keys: keys, keysInUse: keysInUse)
    }

    /// How many values there are.
    func valueCount() throws(SQLiteFailure) -> Int64 { try connection.number("SELECT count(*) FROM old_value") }

    /// Up to `limit` values with ids above `id`, each with its aliases, oldest first.
    func values(
        after id: Int64, limit: Int
    ) throws(SQLiteFailure) -> [(value: FormatUpgrade.OldValue, aliases: [FormatUpgrade.OldAlias])] {
        let select = try connection.prepare(
            """
            SELECT id, fingerprint IS NOT NULL, key, sealed, classifiers, created_at FROM old_value WHERE id > ?1
            ORDER BY id LIMIT ?2
            """)
        defer { select.reset() }
        let aliases = try connection.prepare("SELECT alias, format FROM old_alias WHERE value = ?1 ORDER BY id")
        select.bind(id, at: 1)
        select.bind(Int64(limit), at: 2)
        var values: [(FormatUpgrade.OldValue, [FormatUpgrade.OldAlias])] = []
        while try select.step() {
            let value = FormatUpgrade.OldValue(
                id: select.integer(0), hasFingerprint: select.integer(1) != 0, keyID: select.integer(2),
                sealed: select.bytes(3), classifiers: select.isNull(4) ? nil : select.bytes(4),
                createdAt: select.integer(5))
            values.append((value, try self.aliases(aliases, of: value.id)))
        }
        return values
    }

    private func aliases(
        _ select: SQLiteStatement, of value: Int64
    ) throws(SQLiteFailure) -> [FormatUpgrade.OldAlias] {
        defer { select.reset() }
        select.bind(value, at: 1)
        var aliases: [FormatUpgrade.OldAlias] = []
        while try select.step() { aliases.append(.init(alias: select.text(0), format: select.integer(1))) }
        return aliases
    }

    /// Up to `limit` stored responses with ids above `id`.
    func responses(after id: Int64, limit: Int) throws(SQLiteFailure) -> [(id: Int64, record: ResponseRecord)] {
        guard try connection.number("SELECT count(*) FROM sqlite_schema WHERE name = 'old_answer'") == 1 else {
            return []
        }
        let select = try connection.prepare(
            "SELECT id, name, key, sealed, expires_at FROM old_answer WHERE id > ?1 ORDER BY id LIMIT ?2")
        defer { select.reset() }
        select.bind(id, at: 1)
        select.bind(Int64(limit), at: 2)
        var responses: [(Int64, ResponseRecord)] = []
        while try select.step() {
            let response = ResponseRecord(
                name: select.bytes(1), keyID: select.integer(2), sealed: select.bytes(3), expiresAt: select.integer(4))
            responses.append((select.integer(0), response))
        }
        return responses
    }

    /// Removes them. What they leave in free pages goes when the file is written again.
    func drop() throws(SQLiteFailure) {
        try connection.execute("PRAGMA secure_delete = OFF")
        defer { try? connection.execute("PRAGMA secure_delete = ON") }
        for name in Self.names { try connection.execute("DROP TABLE IF EXISTS old_\(name)") }
    }
}
