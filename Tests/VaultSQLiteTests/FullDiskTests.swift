import Glibc
import Interposing
import Testing
import Vault
import VaultTesting

@testable import VaultSQLite

/// A disk without room under the database or its log: what can't be written is refused, all that is there is read.
@Suite(.serialized) struct FullDiskTests {
    private func connection(_ store: SQLiteAliasStore) -> ObjectIdentifier? {
        store.connections.writer.use { $0.map { ObjectIdentifier($0.connection) } }
    }

    private func unknownOutcome(_ vault: Vault, _ database: TestDatabase) async throws {
        interposed_fail_syncs(database.path + "-wal", 1)
        let error = await #expect(throws: VaultError.self) { try await vault.alias(.new("doubtful")) }
        guard case .outcomeUnknown? = error else { throw error ?? VaultError.unavailable("no failure") }
    }

    /// Within some seconds: it is tried again after a pause.
    private func aliasAtLast(_ vault: Vault, _ value: String) async throws -> String {
        for _ in 0..<100 {
            if let alias = try? await vault.alias(.new(value)) { return alias }
            try await Task.sleep(for: .milliseconds(100))
        }
        return try await vault.alias(.new(value))
    }

    /// The index of the log is grown after the log was synced: unlike a full disk that says nothing of the transaction's end.
    @Test func anIndexOfTheLogWithoutRoom() {
        // SQLITE_IOERR_SHMSIZE, and SQLITE_FULL.
        for (code, isUncertain) in [(Int32(10 | 19 << 8), true), (13, false)] {
            let failure = SQLiteFailure(code: code)
            #expect(failure.vaultError == .unavailable("the disk is full"))
            #expect(failure.uncertain.isUncertain == isUncertain && failure.isInputOutput == isUncertain)
        }
    }

    /// A commit that has no room has an outcome that is known, so that no connection is given up.
    @Test func aLogWithoutRoom() async throws {
        let database = TestDatabase()
        let store = try database.store()
        let vault = try await openVault(store)
        let before = try await vault.alias(.new("before"))
        let first = connection(store)
        interposed_fail_writes(database.path + "-wal", .max)
        for number in 0..<3 {
            await #expect(throws: VaultError.unavailable("the disk is full")) {
                try await vault.alias(.new("refused \(number)"))
            }
            await #expect(throws: VaultError.unavailable("the disk is full")) { try await vault.delete([before]) }
            #expect(await vault.value(before) == "before")
        }
        #expect(connection(store) == first)
        // What a restart would find now.
        let killed = TestDatabase()
        for suffix in ["", "-wal"] { killed.write(database.bytes(suffix), suffix) }
        interposed_fail_writes(database.path + "-wal", 0)
        let found = try killed.store()
        let reopened = try await openVault(found)
        #expect(await reopened.value(before) == "before")
        #expect(
            try await found.read { (reading) throws(VaultError) in
                try reading.values(after: 0, notSealedUnder: 0, limit: 9).count
            } == 1)
        found.close()
        let after = try await vault.alias(.new("after"))
        #expect(await vault.value(after) == "after")
        try await vault.delete([before])
        store.close()
    }

    /// The log is written again before anything else: until that is done nothing is written, and it isn't tried for each request.
    @Test func aLogThatCannotBeWrittenAgain() async throws {
        let database = TestDatabase()
        let store = try database.store()
        let vault = try await openVault(store)
        let before = try await vault.alias(.new("before"))
        try await unknownOutcome(vault, database)
        interposed_fail_writes(database.path + "-wal", .max)
        let began = ContinuousClock.now
        for number in 0..<20 {
            await #expect(throws: VaultError.self) { try await vault.alias(.new("refused \(number)")) }
            #expect(await vault.value(before) == "before")
        }
        interposed_fail_writes(database.path + "-wal", 0)
        let early = try? await vault.alias(.new("too early"))
        // The pause lasts a second, on a slow machine for less of this test than that.
        #expect(early == nil || ContinuousClock.now - began > .seconds(1))
        let after = try await aliasAtLast(vault, "after")
        #expect(await vault.value(after) == "after")
        #expect(await vault.value(before) == "before")
        store.close()
    }

    /// The log that was synced again holds everything: the vault goes on with it.
    @Test func aDatabaseWithoutRoomForItsLog() async throws {
        let database = TestDatabase()
        let store = try database.store()
        let vault = try await openVault(store)
        let before = try await vault.alias(.new("before"))
        try await unknownOutcome(vault, database)
        interposed_fail_writes(database.path, .max)
        let after = try await vault.alias(.new("after"))
        #expect(await vault.value(before) == "before")
        #expect(await vault.value(after) == "after")
        interposed_fail_writes(database.path, 0)
        store.close()
    }

    /// A database that cannot be synced stops writing, not reading.
    @Test func aDatabaseThatCannotBeSynced() async throws {
        let database = TestDatabase()
        let store = try database.store()
        let vault = try await openVault(store)
        let before = try await vault.alias(.new("before"))
        try await unknownOutcome(vault, database)
        interposed_fail_syncs(database.path, 1)
        for number in 0..<5 {
            await #expect(throws: VaultError.self) { try await vault.alias(.new("refused \(number)")) }
            #expect(await vault.value(before) == "before")
        }
        let after = try await aliasAtLast(vault, "after")
        #expect(await vault.value(after) == "after")
        store.close()
    }
}
