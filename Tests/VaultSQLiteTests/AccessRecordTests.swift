import Testing
import Vault
import VaultTesting

@testable import VaultSQLite

@Suite("Rows about callers, embedded")
struct AccessRecordTests {
    @Test func keepsThem() async throws {
        let database = TestDatabase()
        let store = try database.store()
        #expect(try await AccessRecordRun([openVault(store)]).problem() == nil)
        store.close()
        let second = try database.store()
        #expect(try await !AccessRecordRun.use(openVault(second)))
        #expect(try await AccessRecordRun.use(openVault(second), of: 31))
        second.close()
    }

    @Test func believesNoChangedRow() async throws {
        let database = TestDatabase()
        let store = try database.store()
        let vault = try await openVault(store)
        let connection = try SQLiteConnection(path: database.path)
        let run = TamperedAccessRun(
            vault, table: "access", hexadecimal: "kind, hex(name), hex(content), forgotten_at", literal: { "x'\($0)'" },
            query: { sql in
                guard sql.hasPrefix("SELECT") else {
                    try connection.execute(sql)
                    return []
                }
                let select = try connection.prepare(sql)
                defer { select.reset() }
                var rows: [[String]] = []
                while try select.step() { rows.append((0..<4).map { select.text($0) }) }
                return rows
            })
        #expect(try await run.problem(flips: 1_000) == nil)
        store.close()
    }

    /// A row that no vault wrote neither keeps an end from being recorded nor stops the sweep.
    @Test func aForeignRowStopsNothing() async throws {
        let database = TestDatabase()
        let store = try database.store()
        let vault = try await openVault(store)
        let connection = try SQLiteConnection(path: database.path)
        try connection.execute(
            """
            INSERT INTO access (kind, name, content, forgotten_at, recorded_at) VALUES (2, x'01', x'02', 4000000000, 1);
            INSERT INTO access (kind, name, content, forgotten_at, recorded_at) VALUES (77, x'01', x'02', 1, 1);
            """)
        let ending = AccessRecord(.ending, name: [1], content: [9], forgottenAt: 4_000_000_000)
        try await vault.addAccessRecords([ending])
        #expect(try await vault.accessRecords(.ending, since: nil).records == [ending])
        try await vault.sweepAccessRecords()
        #expect(try connection.number("SELECT count(*) FROM access") == 1)
        store.close()
    }

    /// A database lets every type into a column: what cannot be found by its name again is erased all the same.
    @Test func namesOfAnotherTypeAreErased() async throws {
        let database = TestDatabase()
        let store = try database.store()
        let vault = try await openVault(store)
        let old = (1_000..<3_500).map { number in
            AccessRecord(.guess, name: Array("\(number)".utf8), forgottenAt: 1_000_000_000)
        }
        try await vault.addAccessRecords(old)
        let connection = try SQLiteConnection(path: database.path)
        try connection.execute("UPDATE access SET name = CAST(name AS TEXT)")
        try await vault.sweepAccessRecords()
        #expect(try connection.number("SELECT count(*) FROM access") == 0)
        store.close()
    }

    /// A session whose end cannot be read is told of by its name.
    @Test(arguments: ["content = x'00'", "forgotten_at = forgotten_at + 1"])
    func aChangedEndIsNamed(change: String) async throws {
        let database = TestDatabase()
        let store = try database.store()
        let vault = try await openVault(store)
        let ending = AccessRecord(.ending, name: [1], content: [9], forgottenAt: 4_000_000_000)
        try await vault.addAccessRecords([ending])
        try SQLiteConnection(path: database.path).execute("UPDATE access SET \(change)")
        let reading = try await vault.accessRecords(.ending, since: nil)
        #expect(reading.records.isEmpty && reading.damaged == [[1]])
        #expect(vault.metrics.damaged == 1)
        store.close()
    }

    /// A vault of this format from before there were such rows.
    @Test func gainsTheTable() async throws {
        let database = TestDatabase()
        let store = try database.store()
        let alias = try await openVault(store).alias(.new("x"))
        store.close()
        do {
            let connection = try SQLiteConnection(path: database.path)
            try connection.execute("DROP TABLE access")
        }
        let second = try database.store()
        let vault = try await openVault(second)
        #expect(await vault.value(alias) == "x")
        #expect(try await AccessRecordRun([vault]).problem() == nil)
        second.close()
    }
}
