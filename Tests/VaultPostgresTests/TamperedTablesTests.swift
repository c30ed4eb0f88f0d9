import PostgresTesting
import Sensitive
import Testing
import VaultTesting

@testable import Vault
@testable import VaultPostgres

/// Whoever can write to the database can destroy, and never redirect.
@Suite("Tables that were tampered with")
struct TamperedTablesTests {
    private struct Tables {
        let connection: PostgresConnection
        let store: PostgresAliasStore
        let vault: Vault
        /// Value and classifiers by alias.
        let known: [String: (text: String, classifiers: [String])]
    }

    private func tables() async throws -> Tables {
        let url = try PostgresServer.shared().database()
        let store = try store(url)
        let vault = try await openVault(store)
        var known: [String: (text: String, classifiers: [String])] = [:]
        for number in 0..<4 {
            let text = "45396001665941\(number)0"
            for format in [AliasFormat.uuid, .rawUUID, .fpeSixTFour] {
                let item = VaultItem.value(
                    SensitiveText(text), format: format, classifiers: ["class \(number)"],
                    expiresAt: number % 2 == 0 ? nil : 4_000_000_000 + Int64(number))
                known[try await vault.alias(item)] = (text, ["class \(number)"])
            }
            if number == 1 { try await vault.rotateKey() }
        }
        try await vault.anchorAudit(sequence: 7, code: [UInt8](repeating: 1, count: 32))
        var configuration = PostgresStoreConfiguration(url: SensitiveText(url))
        configuration.responseTimeout = .seconds(20)
        let connection = try PostgresConnection(configuration, PostgresWaitLimit(configuration.responseTimeout))
        // What would keep rows from being exchanged.
        for (table, name) in [
            ("value", "fingerprint_key"), ("value", "pkey"), ("value", "key_fkey"), ("answer", "key_fkey"),
            ("key", "pkey"), ("alias", "pkey"),
        ] {
            try connection.execute("ALTER TABLE cloakroom_\(table) DROP CONSTRAINT cloakroom_\(table)_\(name)")
        }
        return Tables(connection: connection, store: store, vault: vault, known: known)
    }

    private static let names = ["key", "value", "alias"]

    /// Notes all rows.
    private func keep(_ tables: Tables) throws {
        for name in Self.names {
            try tables.connection.execute(
                "DROP TABLE IF EXISTS kept_\(name); CREATE TEMP TABLE kept_\(name) AS TABLE cloakroom_\(name)")
        }
    }

    /// Puts the rows back that were noted.
    private func putBack(_ tables: Tables) throws {
        for name in Self.names {
            try tables.connection.execute(
                "DELETE FROM cloakroom_\(name); INSERT INTO cloakroom_\(name) SELECT * FROM kept_\(name)")
        }
    }

    /// How many aliases revealed what they stand for. Anything else than that or a failure is recorded.
    private func intact(_ tables: Tables, _ vault: Vault, _ comment: String) async -> Int {
        var count = 0
        for (alias, expected) in tables.known {
            do throws(VaultError) {
                let revealed = try await vault.reveal([alias])[0].stored
                #expect(revealed.value.exposed == expected.text, "\(comment)")
                #expect(revealed.classifiers == expected.classifiers, "\(comment)")
                #expect(
                    revealed.aliases.allSatisfy { tables.known[$0.alias]?.text == expected.text }, "\(comment)")
                count += 1
            } catch {
                switch error {
                case .damaged(alias), .unknownAliases([alias]), .corrupt: break
                default: Issue.record("\(comment): \(error)")
                }
            }
        }
        return count
    }

    /// Every column of every table, exchanged between every two rows that differ in it.
    @Test func exchangedColumns() async throws {
        let tables = try await tables()
        #expect(await intact(tables, tables.vault, "before") == 12)
        var exchanges = 0
        for (table, columns) in [
            ("value", ["id", "binding", "fingerprint", "key", "sealed", "classifiers", "created_at", "expires_at"]),
            ("alias", ["alias", "position", "format", "value", "tag"]),
        ] {
            let rows = try tables.connection.execute("SELECT ctid::text FROM cloakroom_\(table)").count
            for column in columns {
                for other in 1..<min(rows, 5) {
                    let swap = """
                        WITH numbered AS (SELECT ctid AS place, \(column) AS content, row_number() OVER (ORDER BY
                            \(table == "value" ? "sealed" : "tag || alias")) AS number FROM cloakroom_\(table)),
                        pairs AS (SELECT a.place, b.content FROM numbered a JOIN numbered b
                            ON (a.number, b.number) IN ((1, \(other + 1)), (\(other + 1), 1))
                                AND a.content IS DISTINCT FROM b.content)
                        UPDATE cloakroom_\(table) t SET \(column) = pairs.content FROM pairs WHERE t.ctid = pairs.place
                        """
                    try keep(tables)
                    // Which rows come first is random, and two of them may be equal in the column.
                    let isExchanged = try tables.connection.execute(swap).command != "UPDATE 0"
                    exchanges += 1
                    let left = await intact(tables, tables.vault, "\(table).\(column)")
                    if isExchanged, column != "position", column != "created_at", column != "key",
                        column != "classifiers",
                        column != "expires_at", column != "format"
                    {
                        #expect(left < 12, "\(table).\(column)")
                    }
                    for (text, aliases) in Dictionary(grouping: tables.known, by: \.value.text) {
                        let again = try? await tables.vault.create([.new(text)])
                        guard let alias = again?.first?.aliases.first?.alias else { continue }
                        if aliases.contains(where: { $0.key == alias }) { continue }
                        // A new one, where the old is not found any more: it stands for this value.
                        let value = await tables.vault.value(alias)
                        #expect(value == text || value == nil, "\(table).\(column)")
                    }
                    try putBack(tables)
                }
            }
        }
        #expect(exchanges > 40)
        #expect(await intact(tables, tables.vault, "after") == 12)
        tables.store.close()
    }

    /// Random bits of random columns of random rows.
    @Test func flippedBits() async throws {
        let tables = try await tables()
        var random = SeededGenerator(state: 15)
        var damaged = 0
        for _ in 0..<600 {
            let (table, bytes, numbers) =
                Bool.random(using: &random)
                ? (
                    "value", ["binding", "fingerprint", "sealed", "classifiers"],
                    ["id", "key", "created_at", "expires_at"]
                )
                : ("alias", ["alias", "tag"], ["format", "value"])
            let isNumber = Int.random(in: 0..<3, using: &random) == 0
            let column = (isNumber ? numbers : bytes).randomElement(using: &random) ?? ""
            let (row, bit) = (
                Int.random(in: 0..<(table == "value" ? 4 : 12), using: &random), Int.random(in: 0..<400, using: &random)
            )
            let change =
                isNumber
                ? "\(column) # (1::bigint << \(bit % 62))"
                : "set_bit(\(column), \(bit) % (8 * length(\(column))), 1 - get_bit(\(column), \(bit) % (8 * length(\(column)))))"
            try keep(tables)
            try tables.connection.execute(
                """
                UPDATE cloakroom_\(table) SET \(column) = \(change)
                WHERE ctid = (SELECT ctid FROM cloakroom_\(table) ORDER BY ctid OFFSET \(row) LIMIT 1)
                    AND \(column) IS NOT NULL
                """)
            if await intact(tables, tables.vault, "\(table).\(column) bit \(bit)") < 12 { damaged += 1 }
            try putBack(tables)
        }
        #expect(damaged > 400)
        #expect(await intact(tables, tables.vault, "after") == 12)
        tables.store.close()
    }

    /// A row that is put back under a later value's id would pass for that value's.
    @Test func idsOfDeletedValuesAreNotGivenAgain() async throws {
        let url = try PostgresServer.shared().database()
        var given: [Int64] = []
        for round in 0..<3 {
            let store = try store(url)
            let vault = try await openVault(store)
            for number in 0..<2 {
                let alias = try await vault.alias(.new("value \(round) \(number)"))
                given.append(try await store.read { (reading) throws(VaultError) in try reading.lastValueID() })
                try await vault.delete([alias])
            }
            store.close()
        }
        #expect(given == given.sorted() && Set(given).count == 6)
    }

    /// A row of another shape stops nothing that goes through all of them.
    @Test func anUnreadableRowStopsNothing() async throws {
        let url = try PostgresServer.shared().database()
        let store = try store(url)
        let vault = try await openVault(store)
        let run = try await UnreadableRowRun(vault)
        let configuration = PostgresStoreConfiguration(url: SensitiveText(url))
        let connection = try PostgresConnection(configuration, PostgresWaitLimit(.seconds(20)))
        try connection.execute(
            """
            UPDATE cloakroom_value SET binding = '\\x00'
            WHERE id = (SELECT value FROM cloakroom_alias WHERE alias = convert_to('\(run.alias)', 'UTF8'))
            """)
        let outcome = try await run.outcome(in: vault)
        #expect(outcome == UnreadableRowRun.expected)
        store.close()
    }

    /// Every column of stored responses and of erasures, which are stored as such, exchanged between every two rows, and random bits.
    @Test func changedResponses() async throws {
        let url = try PostgresServer.shared().database()
        let store = try store(url)
        let configuration = PostgresStoreConfiguration(url: SensitiveText(url))
        let connection = try PostgresConnection(configuration, PostgresWaitLimit(.seconds(20)))
        let vault = try await openVault(store)
        // It would keep a row from naming a key that is not there.
        try connection.execute("ALTER TABLE cloakroom_answer DROP CONSTRAINT cloakroom_answer_key_fkey")
        let run = TamperedResponsesRun(
            vault, table: "cloakroom_answer",
            columns: [("name", false), ("key", true), ("sealed", false), ("expires_at", true)],
            hexadecimal: { "encode(\($0), 'hex')" }, literal: { "decode('\($0)', 'hex')" },
            query: { sql, columns in
                let rows = try connection.execute(sql)
                return (0..<(columns == 0 ? 0 : rows.count)).map { row in (0..<columns).map { rows.text(row, $0) } }
            })
        #expect(try await run.problem(flips: 100) == nil)
        #expect(vault.metrics.damaged > 100)
        store.close()
    }

    /// What a key's row says is bound to the key.
    @Test func changedKeys() async throws {
        let tables = try await tables()
        for change in [
            "created_at = created_at - 1", "reserved_uses = reserved_uses - 1", "purpose = 3 WHERE purpose = 4",
            "wrapped = set_byte(wrapped, 5, 1 + get_byte(wrapped, 5) % 200)",
            "tag = set_byte(tag, 0, 255 - get_byte(tag, 0))",
        ] {
            try keep(tables)
            try tables.connection.execute("UPDATE cloakroom_key SET \(change)")
            await #expect(throws: VaultError.self, "\(change)") { try await openVault(tables.store) }
            try putBack(tables)
        }
        #expect(try await openVault(tables.store).auditAnchor()?.sequence == 7)
        try tables.connection.execute("UPDATE cloakroom_vault SET id = decode(repeat('00', 16), 'hex')")
        await #expect(throws: VaultError.corrupt("key 1 is not the key that was stored under this number")) {
            try await openVault(tables.store)
        }
        try tables.connection.execute("UPDATE cloakroom_anchor SET sequence = 6")
        await #expect(throws: VaultError.damaged(alias: nil)) { try await tables.vault.auditAnchor() }
        tables.store.close()
    }
}
