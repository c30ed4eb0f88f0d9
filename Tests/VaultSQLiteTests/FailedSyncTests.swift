import Glibc
import Interposing
import Testing
import Vault
import VaultTesting

@testable import VaultSQLite

/// A commit whose sync fails, and files that are exchanged under the store.
@Suite(.serialized) struct FailedSyncTests {
    private func connection(_ store: SQLiteAliasStore) -> ObjectIdentifier? {
        store.connections.writer.use { $0.map { ObjectIdentifier($0.connection) } }
    }

    @Test func aFailedSyncIsAnUnknownOutcome() async throws {
        let database = TestDatabase()
        let store = try database.store()
        let vault = try await openVault(store)
        let before = try await vault.alias(.new("before"))
        let first = connection(store)
        interposed_fail_syncs(database.path + "-wal", 1)
        let error = await #expect(throws: VaultError.self) { try await vault.alias(.new("doubtful")) }
        guard case .outcomeUnknown? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        // Until the log was written and synced again nothing is committed; then everything is as it was acknowledged.
        let after = try await vault.alias(.new("after"))
        #expect(connection(store) != first)
        #expect(await vault.value(before) == "before")
        #expect(await vault.value(after) == "after")
        #expect(await vault.value(try await vault.alias(.new("doubtful"))) == "doubtful")
        store.close()
    }

    /// Also if nobody stores anything: a balancer sends nothing to a gateway that says that it is not ready.
    @Test func anIdleStoreIsFoundToWorkAgain() async throws {
        let database = TestDatabase()
        let store = try database.store()
        let vault = try await openVault(store)
        interposed_fail_syncs(database.path + "-wal", 1)
        await #expect(throws: VaultError.self) { try await vault.alias(.new("doubtful")) }
        #expect(store.failure != nil)
        await store.retryAfterFailure()
        #expect(store.failure == nil)
        store.close()
    }

    @Test(arguments: [false, true]) func anExchangedLogIsNotWrittenInto(hasWritten: Bool) async throws {
        let database = TestDatabase()
        var store = try database.store()
        var vault = try await openVault(store)
        _ = try await vault.alias(.new("first"))
        store.close()
        store = try database.store()
        vault = try await openVault(store)
        if hasWritten { _ = try await vault.alias(.new("second")) }
        let log = database.bytes("-wal")
        unlink(database.path + "-wal")
        database.write(log, "-wal")
        await #expect(throws: VaultError.self) { try await vault.alias(.new("third")) }
        store.close()
    }
}
