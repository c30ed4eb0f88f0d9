import Crypto
import Sensitive
import Testing
import VaultTesting

@testable import Vault
@testable import VaultSQLite

/// The tables beside those of values: what they say decides what is found, and never what is revealed.
@Suite("Indexes and stored responses that were tampered with") struct TamperedIndexTests {
    private static let tables = [
        "alias_leaf", "fingerprint_leaf", "response_leaf", "recent", "merge_state", "response",
    ]
    private static let blobs = ["entries", "entries", "entries", "hashes", "hash_key", "sealed"]
    private static let names: [[UInt8]] = (0..<8).map { [UInt8](repeating: $0, count: 32) }

    /// A vault whose indexes are merged in part: values by alias.
    private func fill(_ database: TestDatabase, _ count: Int = 400) async throws -> [String: String] {
        let store = try open(database)
        let vault = try await openVault(store)
        var known: [String: String] = [:]
        for first in stride(from: 0, to: count, by: 20) {
            let texts = (first..<first + 20).map { "value \($0)" }
            for (text, stored) in zip(texts, try await vault.create(texts.map { .new($0) })) {
                known[stored.aliases[0].alias] = text
            }
        }
        for text in known.values.sorted().prefix(20) { known[try await vault.alias(.new(text, .rawUUID))] = text }
        for (number, name) in Self.names.enumerated() {
            try await vault.storeResponse([UInt8(number)], under: name, for: 1_000_000)
        }
        store.close()
        return known
    }

    private func open(_ database: TestDatabase) throws -> SQLiteAliasStore {
        try database.store { $0.mergeRound = 512 }
    }

    /// Random bits of all these tables while the vault is closed: it does not open, or says so, or goes on as if rows were missing.
    @Test(arguments: [1, 2] as [UInt64]) func flippedBits(seed: UInt64) async throws {
        let whole = TestDatabase()
        let known = try await fill(whole)
        let bytes = (whole.bytes(""), whole.bytes("-wal"))
        var random = SeededGenerator(state: seed)
        var opened = 0
        for _ in 0..<25 {
            let database = TestDatabase()
            database.write(bytes.0, "")
            if !bytes.1.isEmpty { database.write(bytes.1, "-wal") }
            let comment = try change(database, &random)
            guard let store = try? open(database) else { continue }
            if let vault = try? await openVault(store) {
                opened += 1
                await expectNothingFalse(in: vault, known, comment)
            }
            store.close()
        }
        #expect(opened > 8, "\(opened)")
    }

    /// Rows exchanged between the tables of the indexes, merged and young ones, and within them: what an index of aliases says of
    /// fingerprints, what is said of rows of another table, and how far merging has come.
    @Test func exchangedRows() async throws {
        let whole = TestDatabase()
        let known = try await fill(whole, 800)
        let bytes = (whole.bytes(""), whole.bytes("-wal"))
        let exchanges = Self.exchanges
        var (opened, changed) = (0, 0)
        for exchange in exchanges {
            let database = TestDatabase()
            database.write(bytes.0, "")
            if !bytes.1.isEmpty { database.write(bytes.1, "-wal") }
            do {
                let connection = try SQLiteConnection(path: database.path)
                let before = try connection.number("SELECT total_changes()")
                try connection.execute(exchange)
                changed += try connection.number("SELECT total_changes()") > before ? 1 : 0
            }
            guard let store = try? open(database) else { continue }
            if let vault = try? await openVault(store) {
                opened += 1
                await expectNothingFalse(in: vault, known, exchange)
            }
            store.close()
        }
        // Blocks of another table's rows, and marks that lie before floors, do not open.
        #expect(
            changed == exchanges.count && opened > exchanges.count / 3, "\(changed), \(opened) of \(exchanges.count)")
    }

    /// In SQL.
    private static var exchanges: [String] {
        let leaves = StoreIndex.allCases.map(\.table)
        var exchanges: [String] = []
        for (number, one) in leaves.enumerated() {
            for other in leaves[(number + 1)...] {
                // All leaves, and the contents of the first ones.
                exchanges.append(
                    """
                    CREATE TEMP TABLE kept AS SELECT * FROM \(one); DELETE FROM \(one);
                    INSERT INTO \(one) SELECT * FROM \(other); DELETE FROM \(other);
                    INSERT INTO \(other) SELECT * FROM temp.kept; DROP TABLE temp.kept
                    """)
                exchanges.append(
                    """
                    CREATE TEMP TABLE kept AS SELECT entries FROM \(one) WHERE id = 0;
                    UPDATE \(one) SET entries = (SELECT entries FROM \(other) WHERE id = 0) WHERE id = 0;
                    UPDATE \(other) SET entries = (SELECT entries FROM temp.kept) WHERE id = 0; DROP TABLE temp.kept
                    """)
            }
        }
        // Within a table: the contents of two leaves, and of two blocks of what is not merged; blocks of two tables' rows.
        for (table, column) in leaves.prefix(2).map({ ($0, "entries") }) + [("recent", "hashes")] {
            let last = "(SELECT max(id) FROM \(table)\(table == "recent" ? " WHERE id < 1099511627776" : ""))"
            let first = "(SELECT min(id) FROM \(table))"
            exchanges.append(exchange(column, in: table, first, last))
        }
        for start in ["1099511627776", "2199023255552"] {
            let other = "(SELECT min(id) FROM recent WHERE id >= \(start))"
            exchanges.append(exchange("hashes", in: "recent", "(SELECT min(id) FROM recent)", other))
            // Under each other's id: hashes of values are then those of further aliases, or of responses.
            exchanges.append(
                """
                CREATE TEMP TABLE ids AS SELECT (SELECT min(id) FROM recent) AS one, \(other) AS other;
                UPDATE recent SET id = -1 WHERE id = (SELECT one FROM ids);
                UPDATE recent SET id = (SELECT one FROM ids) WHERE id = (SELECT other FROM ids);
                UPDATE recent SET id = (SELECT other FROM ids) WHERE id = -1; DROP TABLE ids
                """)
        }
        for part in ["floor", "mark", "last"] {
            for (one, other) in [("value", "alias"), ("value", "response"), ("alias", "response")] {
                exchanges.append(
                    "UPDATE merge_state SET \(one)_\(part) = \(other)_\(part), \(other)_\(part) = \(one)_\(part)")
            }
        }
        for (one, other) in [("floor", "mark"), ("mark", "last"), ("floor", "last")] {
            exchanges.append(
                "UPDATE merge_state SET value_\(one) = value_\(other), value_\(other) = value_\(one)")
        }
        return exchanges
    }

    private static func exchange(_ column: String, in table: String, _ one: String, _ other: String) -> String {
        """
        CREATE TEMP TABLE pair AS SELECT \(one) AS one, \(other) AS other;
        CREATE TEMP TABLE kept AS SELECT * FROM \(table);
        UPDATE \(table) SET \(column) = (SELECT \(column) FROM temp.kept k, pair p
            WHERE k.id = CASE \(table).id WHEN p.one THEN p.other ELSE p.one END)
        WHERE id IN (SELECT one FROM pair UNION SELECT other FROM pair);
        DROP TABLE temp.kept; DROP TABLE pair
        """
    }

    /// One to three changes; returns what they are.
    private func change(_ database: TestDatabase, _ random: inout SeededGenerator) throws -> String {
        let connection = try SQLiteConnection(path: database.path)
        var comment = ""
        for _ in 0..<Int.random(in: 1...3, using: &random) {
            let table = Int.random(in: 0..<Self.tables.count, using: &random)
            let (name, blob) = (Self.tables[table], Self.blobs[table])
            let bit = Int.random(in: 0..<33_000, using: &random)
            comment += "\(name) bit \(bit); "
            if Int.random(in: 0..<3, using: &random) == 0 {
                try flipNumber(name, bit, connection)
            } else {
                try flip(name, blob, bit, connection)
            }
        }
        return comment
    }

    private func flipNumber(_ table: String, _ bit: Int, _ connection: SQLiteConnection) throws {
        let columns =
            switch table {
            case "merge_state":
                ["bucket"] + RowKind.allCases.flatMap { ["\($0.table)_floor", "\($0.table)_mark", "\($0.table)_last"] }
            case "response": ["id", "key", "expires_at"]
            default: ["id"]
            }
        let column = columns[bit % columns.count]
        let mask = bit % 64 == 63 ? "(-9223372036854775807 - 1)" : "\(Int64(1) << Int64(bit % 64))"
        try connection.execute(
            """
            UPDATE OR IGNORE \(table) SET \(column) = (\(column) | \(mask)) & ~(\(column) & \(mask))
            WHERE rowid = (SELECT rowid FROM \(table) LIMIT 1 OFFSET \(bit % 8))
            """)
    }

    private func flip(_ table: String, _ column: String, _ bit: Int, _ connection: SQLiteConnection) throws {
        let place = "WHERE rowid = (SELECT rowid FROM \(table) LIMIT 1 OFFSET \(table == "merge_state" ? 0 : bit % 3))"
        let select = try connection.prepare("SELECT \(column) FROM \(table) \(place)")
        guard try select.step() else { return }
        var bytes = select.bytes(0)
        select.reset()
        guard !bytes.isEmpty else { return }
        // Most entries lie at the beginning.
        let index = bit % 2 == 0 ? bit / 8 % bytes.count : bit / 8 % min(64, bytes.count)
        bytes[index] ^= 1 << UInt8(bit % 8)
        try connection.execute("UPDATE \(table) SET \(column) = x'\(Hexadecimal.encode(bytes))' \(place)")
    }

    /// What is found is what was stored; new values get aliases of their own.
    private func expectNothingFalse(in vault: Vault, _ known: [String: String], _ comment: String) async {
        for (alias, text) in known {
            do throws(VaultError) {
                #expect(try await vault.reveal([alias])[0].stored.value.exposed == text, "\(comment)")
            } catch { continue }
        }
        for (number, name) in Self.names.enumerated() {
            if let found = try? await vault.response(under: name) { #expect(found == [UInt8(number)], "\(comment)") }
        }
        for number in 0..<12 {
            do throws(VaultError) {
                let text = number < 6 ? "new \(number)" : "value \(number)"
                let alias = try await vault.create([.new(text)])[0].aliases[0].alias
                #expect(known[alias] == nil || known[alias] == text, "\(comment)")
                #expect(try await vault.reveal([alias])[0].stored.value.exposed == text, "\(comment)")
                if number % 4 == 0 { try await vault.delete([alias]) }
            } catch { continue }
        }
    }
}
