import Synchronization
import Testing
import VaultTesting

@testable import Vault
@testable import VaultSQLite

@Suite("Rows that hold what was never written") struct DamagedRowsTests {
    private func run(_ database: TestDatabase) -> DamagedRowsRun {
        let open = Mutex<SQLiteAliasStore?>(nil)
        return DamagedRowsRun { change, clock in
            open.withLock { store in
                store?.close()
                store = nil
            }
            if let change { try SQLiteConnection(path: database.path).execute(change) }
            let store = try database.store()
            open.withLock { $0 = store }
            return try await openVault(store) { $0.clock = clock }
        }
    }

    @Test(arguments: [
        "UPDATE value SET sealed = x'00' WHERE id = 1", "UPDATE value SET binding = x'01' WHERE id = 1",
        "UPDATE value SET fingerprint = x'01' WHERE id = 1", "UPDATE value SET classifiers = x'FF' WHERE id = 1",
        "UPDATE value SET key = 99 WHERE id = 1", "UPDATE value SET tag = x'01' WHERE id = 1",
        "UPDATE value SET format = 99 WHERE id = 1", "UPDATE value SET alias = 'other' WHERE id = 1",
        "UPDATE value SET further = 99 WHERE id = 1", "UPDATE alias SET tag = x'01'", "UPDATE alias SET format = 99",
        "UPDATE alias SET alias = 'other' || id", "UPDATE alias SET further = 99", "UPDATE alias SET value = 2",
        "DELETE FROM alias WHERE id = 1", "DELETE FROM alias WHERE id = 2", "DELETE FROM value WHERE id = 1",
    ])
    func canBeDeleted(change: String) async throws {
        let problems = try await run(TestDatabase()).deletion(after: change)
        #expect(problems == [])
    }

    /// A row with an id that is never given out costs no other value, neither now nor once the indexes have been merged.
    @Test func anIdThatIsNeverGivenOut() async throws {
        let database = TestDatabase()
        var store = try database.store { $0.mergeRound = 512 }
        var vault = try await openVault(store)
        let kept = try await vault.alias(.new("kept"))
        _ = try await vault.alias(.new("other"))
        for round in 0..<3 {
            store.close()
            if round == 0 {
                try SQLiteConnection(path: database.path).execute("UPDATE value SET id = 1 << 62 WHERE id = 2")
            }
            store = try database.store { $0.mergeRound = 512 }
            vault = try await openVault(store)
            #expect(await vault.value(kept) == "kept")
            for number in 0..<600 { _ = try await vault.alias(.new("\(round) \(number)")) }
        }
        store.close()
    }

    @Test func doNotEndAWalk() async throws {
        let change = "UPDATE value SET binding = x'01' WHERE id = 3; UPDATE value SET sealed = x'00' WHERE id = 5"
        let problems = try await run(TestDatabase()).walks(after: change)
        #expect(problems == [])
    }
}
