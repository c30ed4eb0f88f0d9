import Crypto
import Sensitive
import Testing
import VaultTesting

@testable import Vault
@testable import VaultSQLite

/// Somebody who can write to the file can destroy, and never redirect.
@Suite("Tables that were tampered with") struct TamperedTablesTests {
    private static let columns: [(table: String, blobs: [String], numbers: [String])] = [
        (
            "value", ["binding", "fingerprint", "sealed", "classifiers", "tag", "alias"],
            ["key", "created_at", "expires_at", "format", "further"]
        ), ("alias", ["alias", "tag"], ["format", "value", "further"]),
    ]

    private struct Tables {
        let connection: SQLiteConnection
        let store: SQLiteAliasStore
        let vault: Vault
        let known: [String: (text: String, classifiers: [String])]

        /// Puts the rows back that were noted.
        func putBack() throws {
            for table in ["value", "alias"] {
                try connection.execute("DELETE FROM \(table); INSERT INTO \(table) SELECT * FROM temp.kept_\(table)")
            }
        }

        /// How many aliases revealed what they stand for. Anything else than that or a failure is recorded.
        func intact(_ comment: String) async -> Int {
            var count = 0
            for (alias, expected) in known {
                do throws(VaultError) {
                    let revealed = try await vault.reveal([alias])[0].stored
                    #expect(revealed.value.exposed == expected.text, "\(comment)")
                    #expect(revealed.classifiers == expected.classifiers, "\(comment)")
                    #expect(revealed.aliases.allSatisfy { known[$0.alias]?.text == expected.text }, "\(comment)")
                    count += 1
                } catch {
                    switch error {
                    case .damaged(alias), .unknownAliases([alias]): break
                    default: Issue.record("\(comment): \(error)")
                    }
                }
            }
            return count
        }
    }

    private func tables(_ database: TestDatabase) async throws -> Tables {
        let store = try database.store()
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
        let connection = try SQLiteConnection(path: database.path)
        for table in ["value", "alias"] {
            try connection.execute("CREATE TEMP TABLE kept_\(table) AS SELECT * FROM \(table)")
        }
        return Tables(connection: connection, store: store, vault: vault, known: known)
    }

    /// Every column of both tables, exchanged between every two rows.
    @Test func exchangedColumns() async throws {
        let database = TestDatabase()
        let tables = try await tables(database)
        #expect(await tables.intact("before") == 12)
        var (exchanges, noticed) = (0, 0)
        for (table, blobs, numbers) in Self.columns {
            let rows = try tables.connection.number("SELECT count(*) FROM \(table)")
            for column in ["id"] + blobs + numbers {
                for one in 1..<rows {
                    for other in (one + 1)...rows {
                        let exchange =
                            column == "id"
                            ? """
                            UPDATE \(table) SET id = 100 WHERE id = \(one); UPDATE \(table) SET id = \(one) WHERE id = \(other);
                            UPDATE \(table) SET id = \(other) WHERE id = 100
                            """
                            : """
                            UPDATE \(table) SET \(column) = (SELECT \(column) FROM temp.kept_\(table) WHERE id =
                                CASE \(table).id WHEN \(one) THEN \(other) ELSE \(one) END) WHERE id IN (\(one), \(other))
                            """
                        try tables.connection.execute(exchange)
                        exchanges += 1
                        let comment = "\(table).\(column) of \(one) and \(other)"
                        if await tables.intact(comment) < 12 { noticed += 1 }
                        try tables.putBack()
                    }
                }
            }
        }
        #expect(exchanges == 6 * 12 + 28 * 6 && noticed > exchanges / 2, "\(exchanges), \(noticed)")
        #expect(await tables.intact("after") == 12)
        tables.store.close()
    }

    /// Expiries that are no whole seconds: a walk in their order passes them over, and erases what stands behind them.
    @Test(arguments: ["1.5", "1.999", "-0.5", "9223372036854775807", "'a'"])
    func brokenExpiries(expiry: String) async throws {
        let database = TestDatabase()
        let store = try database.store()
        let vault = try await openVault(store)
        let old = (0..<9).map { VaultItem.value(SensitiveText("old \($0)"), format: .uuid, expiresAt: 2) }
        let due = (0..<9).map { VaultItem.value(SensitiveText("due \($0)"), format: .uuid, expiresAt: 3) }
        // Stored before they end.
        let early = try await openVault(store) { $0.clock = VaultClock(unixSeconds: { 1 }, elapsedMilliseconds: { 0 }) }
        for items in [old, due] { _ = try await early.create(items) }
        let connection = try SQLiteConnection(path: database.path)
        try connection.execute("UPDATE value SET expires_at = \(expiry) WHERE expires_at = 2")
        var (cursor, values, steps) = (ExpiryCursor?.none, 0, 0)
        repeat {
            let erased = try await vault.eraseExpired(limit: 2, after: cursor)
            (cursor, values, steps) = (erased.next, values + erased.values, steps + 1)
        } while cursor != nil && steps < 100
        #expect(values == 9 && steps < 20, "\(values) in \(steps)")
        #expect(try connection.number("SELECT count(*) FROM value") == 9)
        store.close()
    }

    /// A value whose fingerprint was changed is found by it no more: that is an error and no new alias.
    @Test(arguments: ["SELECT fingerprint FROM temp.kept_value WHERE id = 5 - value.id", "NULL", "zeroblob(16)"])
    func changedFingerprints(other: String) async throws {
        let database = TestDatabase()
        let tables = try await tables(database)
        let count = try tables.connection.number("SELECT count(*) FROM value")
        try tables.connection.execute("UPDATE value SET fingerprint = (\(other))")
        let again = try await openVault(tables.store)
        for text in Set(tables.known.values.map(\.text)) {
            await #expect(throws: VaultError.damaged(alias: nil), "\(text)") { try await again.create([.new(text)]) }
        }
        #expect(try tables.connection.number("SELECT count(*) FROM value") == count)
        try tables.putBack()
        for text in Set(tables.known.values.map(\.text)) {
            let alias = try await again.alias(.new(text))
            #expect(tables.known[alias]?.text == text)
        }
        tables.store.close()
    }

    /// Random bits of random columns of random rows.
    @Test func flippedBits() async throws {
        let database = TestDatabase()
        let tables = try await tables(database)
        var random = SeededGenerator(state: 15)
        var damaged = 0
        for _ in 0..<1_500 {
            let (table, blobs, numbers) = Self.columns[Int.random(in: 0..<2, using: &random)]
            let row = Int.random(in: 1...(table == "value" ? 4 : 8), using: &random)
            let bit = Int.random(in: 0..<400, using: &random)
            let isNumber = Int.random(in: 0..<3, using: &random) == 0
            let column = (isNumber ? numbers : blobs).randomElement(using: &random) ?? ""
            try flip(bit, of: column, isNumber: isNumber, table, row, tables.connection)
            if await tables.intact("\(table).\(column) bit \(bit) of \(row)") < 12 { damaged += 1 }
            try tables.putBack()
        }
        #expect(damaged > 1_000, "\(damaged)")
        #expect(await tables.intact("after") == 12)
        tables.store.close()
    }

    private func flip(
        _ bit: Int, of column: String, isNumber: Bool, _ table: String, _ row: Int, _ connection: SQLiteConnection
    ) throws {
        let place = "WHERE id = \(row) AND \(column) IS NOT NULL"
        guard !isNumber else {
            let mask = Int64(1) << Int64(bit % 62)
            let change = "(\(column) | \(mask)) - (\(column) & \(mask))"
            return try connection.execute("UPDATE \(table) SET \(column) = \(change) \(place)")
        }
        let select = try connection.prepare("SELECT \(column) FROM \(table) \(place)")
        guard try select.step() else { return }
        var bytes = select.bytes(0)
        select.reset()
        guard !bytes.isEmpty else { return }
        bytes[bit / 8 % bytes.count] ^= 1 << UInt8(bit % 8)
        let blob = "x'\(Hexadecimal.encode(bytes))'"
        let content = column == "alias" ? "CAST(\(blob) AS TEXT)" : blob
        try connection.execute("UPDATE \(table) SET \(column) = \(content) \(place)")
    }

    /// Every column of stored responses and of erasures, which are stored as such, exchanged between every two rows, and random bits.
    @Test func changedResponses() async throws {
        let database = TestDatabase()
        let store = try database.store()
        let connection = try SQLiteConnection(path: database.path)
        let vault = try await openVault(store)
        let run = TamperedResponsesRun(
            vault, table: "response",
            columns: [("id", true), ("name", false), ("key", true), ("sealed", false), ("expires_at", true)],
            hexadecimal: { "hex(\($0))" }, literal: { "x'\($0)'" },
            query: { sql, columns in
                guard columns > 0 else {
                    try connection.execute(sql)
                    return []
                }
                let select = try connection.prepare(sql)
                defer { select.reset() }
                var rows: [[String]] = []
                while try select.step() { rows.append((0..<Int32(columns)).map { select.text($0) }) }
                return rows
            })
        #expect(try await run.problem(flips: 600) == nil)
        #expect(vault.metrics.damaged > 100)
        store.close()
    }

    /// The rows are there: nothing is carried out a second time under their keys, whatever they are called now.
    @Test(arguments: ["name", "id"], [false, true])
    func exchangedResponsesAreNotClaimedAgain(column: String, isReopened: Bool) async throws {
        let database = TestDatabase()
        var store = try database.store()
        var vault = try await openVault(store)
        let names = (1...2).map { [UInt8](repeating: $0, count: 32) }
        for name in names { try await vault.storeResponse([1], under: name, for: 1_000) }
        let exchange =
            column == "id"
            ? "UPDATE response SET id = -id; UPDATE response SET id = 3 + id"
            : "UPDATE response SET name = CASE name WHEN x'\(Hexadecimal.encode(names[0]))' THEN zeroblob(32) ELSE name END"
        try SQLiteConnection(path: database.path).execute(exchange)
        if isReopened {
            store.close()
            store = try database.store()
            vault = try await openVault(store)
        }
        await #expect(throws: VaultError.damaged(alias: nil)) {
            try await vault.claimResponse(names[0], with: [0], for: 1_000)
        }
        // Others are not disturbed.
        let other = [UInt8](repeating: 9, count: 32)
        let claim = try #require(try await vault.claimResponse(other, with: [0], for: 1_000))
        try await vault.release(claim)
        #expect(try await vault.claimResponse(other, with: [0], for: 1_000) != nil)
        store.close()
    }

    /// What a key's row and the anchor say is bound to a key.
    @Test(arguments: [
        "created_at = created_at - 1", "allotted_uses = allotted_uses - 1", "purpose = 3 WHERE purpose = 4",
        "wrapped = zeroblob(40)", "tag = zeroblob(16)", "id = id + 10",
    ])
    func changedKeys(change: String) async throws {
        let database = TestDatabase()
        let tables = try await tables(database)
        for anchor in ["sequence = 6", "code = zeroblob(32)", "tag = zeroblob(16)"] {
            try tables.connection.execute(
                "CREATE TEMP TABLE kept AS SELECT * FROM anchor; UPDATE anchor SET \(anchor)")
            await #expect(throws: VaultError.self) { try await tables.vault.auditAnchor() }
            try tables.connection.execute(
                "DELETE FROM anchor; INSERT INTO anchor SELECT * FROM temp.kept; DROP TABLE temp.kept")
        }
        #expect(try await tables.vault.auditAnchor()?.sequence == 7)
        try tables.connection.execute("UPDATE key SET \(change)")
        tables.store.close()
        let store = try database.store()
        await #expect(throws: VaultError.self, "\(change)") { try await openVault(store) }
        store.close()
    }

    /// The keys of a vault are bound to its id.
    @Test func aChangedVaultID() async throws {
        let database = TestDatabase()
        let tables = try await tables(database)
        try tables.connection.execute("UPDATE vault SET id = zeroblob(16)")
        tables.store.close()
        let store = try database.store()
        await #expect(throws: VaultError.corrupt("key 1 is not the key that was stored under this number")) {
            try await openVault(store)
        }
        store.close()
    }
}
