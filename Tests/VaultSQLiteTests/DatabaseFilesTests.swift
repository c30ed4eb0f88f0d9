import Glibc
import Sensitive
import Testing
import Vault
import VaultSQLite
import VaultTesting

/// What becomes of a vault whose files are exchanged or removed.
struct DatabaseFilesTests {
    /// A device, such as `/dev/null`, keeps its mode: other processes need it.
    @Test func whatIsNoRegularFileKeepsItsMode() throws {
        let database = TestDatabase()
        #expect(mkfifo(database.path, 0) == 0 && chmod(database.path, 0o666) == 0)
        #expect(throws: SQLiteStoreError.cannotOpen("\(database.path) is not a regular file")) { try database.store() }
        var status = stat()
        #expect(stat(database.path, &status) == 0 && status.st_mode & 0o777 == 0o666)
    }

    /// A backup put in the place of a vault that was killed, whose log lies there still.
    @Test(arguments: [false, true], [false, true])
    func aRestoredCopyIsNotMixedWithTheOldLog(isReadFirst: Bool, isLinked: Bool) async throws {
        let database = TestDatabase()
        // What was deleted is not to leave the log meanwhile.
        let store = try database.store { $0.eraseWithin = .seconds(3_600) }
        let vault = try await openVault(store)
        let items = (0..<600).map { VaultItem.new("value \($0) " + String(repeating: "x", count: 200)) }
        let stored = try await vault.create(items)
        try await vault.delete(stored[..<200].map(\.aliases[0].alias))
        let copy = TestDatabase()
        try SQLiteVaultFile(path: database.path).backup(to: copy.path)
        for number in 0..<60 { _ = try await vault.alias(.new("later \(number)")) }
        // As it lies there after a kill.
        let killed = TestDatabase()
        killed.write(database.bytes("-wal"), "-wal")
        killed.write(copy.bytes(""), "")
        #expect(killed.bytes("-wal").count > 100_000)
        store.close()

        // SQLite keeps the log beside the file itself.
        let place = TestDatabase()
        #expect(symlink(killed.path, place.path) == 0)
        let named = isLinked ? place : killed
        if isReadFirst { #expect(try SQLiteVaultFile(path: named.path).keys(anchorOf: 1).keys.isEmpty == false) }
        let restored = try named.store()
        let next = try await openVault(restored)
        for record in stored[200...] { #expect(await next.value(record.aliases[0].alias) == record.value.exposed) }
        for record in stored[..<200] { #expect(await next.value(record.aliases[0].alias) == nil) }
        let fresh = try await next.alias(.new("after"))
        restored.close()
        let again = try named.store()
        #expect(try await openVault(again).value(fresh) == "after")
        again.close()
    }

    /// A 2xx means that the value is on disk: in a file that somebody can find.
    @Test(arguments: [[""], ["-wal"], ["", "-wal", "-shm"], [".lock"]], [false, true])
    func nothingIsAcknowledgedIntoRemovedFiles(_ suffixes: [String], isLinked: Bool) async throws {
        for isFirst in [false, true] { try await write(intoRemoved: suffixes, isLinked: isLinked, isFirst: isFirst) }
    }

    /// - Parameter isFirst: whether nothing has been written before.
    private func write(intoRemoved suffixes: [String], isLinked: Bool, isFirst: Bool) async throws {
        let database = TestDatabase()
        let made = try database.store()
        _ = try await openVault(made)
        made.close()
        let place = TestDatabase()
        #expect(symlink(database.path, place.path) == 0)
        let store = try (isLinked ? place : database).store()
        let vault = try await openVault(store)
        let alias = isFirst ? nil : try await vault.alias(.new("kept"))
        for suffix in suffixes { #expect(unlink(database.path + suffix) == 0) }
        for number in 0..<3 {
            await #expect(throws: VaultError.self) { try await vault.alias(.new("lost \(number)")) }
        }
        #expect("\(String(describing: store.failure))".contains("removed or exchanged"))
        await store.retryAfterFailure()
        #expect(store.failure != nil)
        // What is open can still be read.
        if let alias { #expect(await vault.value(alias) == "kept") }
        store.close()
    }

    @Test func anExchangedDatabaseIsNoticed() async throws {
        let database = TestDatabase()
        let store = try database.store()
        let vault = try await openVault(store)
        _ = try await vault.alias(.new("kept"))
        let copy = TestDatabase()
        try SQLiteVaultFile(path: database.path).backup(to: copy.path)
        #expect(rename(copy.path, database.path) == 0)
        await #expect(throws: VaultError.self) { try await vault.alias(.new("lost")) }
        store.close()
    }

    /// On a full disk rows can be deleted still; that must not look as if values could be kept again.
    @Test func whatNeedsNoRoomDoesNotEndAFailure() async throws {
        let database = TestDatabase()
        let store = try database.store { $0.maximumPages = 40 }
        let vault = try await openVault(store)
        var last = ""
        let full = VaultError.unavailable("the disk is full")
        await #expect(throws: full) {
            for number in 0..<400 {
                last = try await vault.alias(.new("value \(number) " + String(repeating: "x", count: 400)))
            }
        }
        #expect(store.failure == full)
        try await vault.delete([last])
        #expect(store.failure == full)
        await #expect(throws: VaultError.self) { try await vault.delete(["tok_sandbox_unknown"]) }
        try await vault.sweepResponses()
        #expect(store.failure == full)
        store.close()
    }
}
