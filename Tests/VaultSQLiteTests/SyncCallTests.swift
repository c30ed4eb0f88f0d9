import Interposing
import Testing
import Vault
import VaultTesting

@testable import VaultSQLite

@Suite struct SyncCallTests {
    @Test func everyAcknowledgedRequestIsSynced() async throws {
        let database = TestDatabase()
        let store = try database.store()
        // The name of the new file.
        #expect(interposed_syncs(database.directory) >= 1)
        let vault = try await openVault(store)
        var aliases: [String] = []
        for number in 0..<3 {
            let before = interposed_syncs(database.path + "-wal")
            aliases.append(try await vault.alias(.new("value \(number)")))
            #expect(interposed_syncs(database.path + "-wal") > before)
        }
        let before = interposed_syncs(database.path + "-wal")
        try await vault.delete(aliases)
        #expect(interposed_syncs(database.path + "-wal") > before)
        store.close()
    }

    @Test func aBackupIsSynced() async throws {
        let (database, target) = (TestDatabase(), TestDatabase())
        let store = try database.store()
        _ = try await openVault(store).alias(.new("value"))
        try SQLiteVaultFile(path: database.path).backup(to: target.path)
        store.close()
        #expect(interposed_syncs_within(target.directory) >= 1)
        #expect(interposed_syncs(target.directory) >= 1)
    }

    /// What a failed sync left in the cache is written and synced again.
    @Test func aLogThatIsRewrittenIsSynced() throws {
        let database = TestDatabase()
        database.write([1, 2, 3], "-wal")
        #expect(DatabaseFiles.rewriteLog(beside: database.path))
        #expect(interposed_syncs(database.path + "-wal") == 1)
    }
}
