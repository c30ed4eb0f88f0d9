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
