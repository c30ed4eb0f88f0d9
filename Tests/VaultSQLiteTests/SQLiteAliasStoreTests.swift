import Glibc
import Sensitive
import Testing
import Vault

@testable import VaultSQLite

@Suite("The embedded store")
struct SQLiteAliasStoreTests {
    @Test func keepsEverythingAcrossRestarts() async throws {
        let database = TestDatabase()
        let store = try database.store()
        let vault = try await openVault(store)
        let stored = try await vault.create([
            .new("4539600166594134", .fpeSixTFour, ["pci", "é\u{1F600}", ""]), .new("4539600166594134"), .new("x\0y"),
        ])
        try await vault.delete([vault.alias(.new("gone"))])
        store.close()
        let second = try database.store()
        let next = try await openVault(second)
        let all = try await next.reveal(stored.map(\.aliases[0].alias))
        #expect(all.map(\.stored.value.exposed) == ["4539600166594134", "4539600166594134", "x\0y"])
        #expect(all.map(\.stored.classifiers) == [["pci", "é\u{1F600}", ""], ["pci", "é\u{1F600}", ""], []])
        #expect(all[0].stored.aliases == stored[0].aliases + stored[1].aliases)
        #expect(all.map(\.stored.createdAt) == stored.map(\.createdAt))
        #expect(try await next.create([.new("4539600166594134", .fpeSixTFour)])[0].aliases == stored[0].aliases)
        #expect(
            try await next.create([.reference(alias: stored[2].aliases[0].alias, format: .rawUUID)])[0].aliases.count
                == 2)
        second.close()
    }

    @Test func filesAreForTheirOwnerAlone() async throws {
        let database = TestDatabase()
        let store = try database.store()
        _ = try await openVault(store).alias(.new("x"))
        for suffix in ["", "-wal", "-shm", ".lock"] { #expect(database.mode(suffix) == 0o600, "\(suffix)") }
        store.close()
        chmod(database.path, 0o644)
        try database.store().close()
        #expect(database.mode("") == 0o600)
    }

    @Test func noValueInTheClear() async throws {
        let database = TestDatabase()
        let store = try database.store()
        let vault = try await openVault(store)
        let planted = "4539601234594134"
        let alias = try await vault.alias(.new(planted, .uuid))
        _ = try await vault.create([.new("Planted Holder 7301", .genericTFour), .new("907", .uuid, [], .volatile)])
        try await vault.delete([alias])
        let files = database.bytes("") + database.bytes("-wal")
        #expect(files.count > 8_192)
        for text in [planted, "Planted Holder"] {
            let pattern = Array(text.utf8)
            let found = files.indices.dropLast(pattern.count).contains {
                files[$0] == pattern[0] && files[$0..<($0 + pattern.count)].elementsEqual(pattern)
            }
            #expect(!found)
        }
        store.close()
    }

    @Test func oneProcessAtATime() throws {
        let database = TestDatabase()
        let store = try database.store()
        #expect(throws: SQLiteStoreError.inUse(path: database.path)) { try database.store() }
        store.close()
    }

    @Test func refusesWhatIsNoVault() async throws {
        let other = TestDatabase()
        do {
            fclose(fopen(other.path, "w"))
            let connection = try SQLiteConnection(path: other.path)
            try connection.execute("CREATE TABLE theirs (x)")
        }
        let before = other.bytes("")
        #expect(throws: SQLiteStoreError.notAVault(path: other.path)) { try other.store() }
        #expect(other.bytes("") == before)

        let junk = TestDatabase()
        let file = fopen(junk.path, "w")
        fputs(String(repeating: "this is no database ", count: 500), file)
        fclose(file)
        #expect(throws: SQLiteStoreError.damaged("file is not a database")) { try junk.store() }

        let newer = TestDatabase()
        try newer.store().close()
        try SQLiteConnection(path: newer.path).execute("PRAGMA user_version = 7")
        #expect(throws: SQLiteStoreError.unsupportedVersion(found: 7, expected: 1)) { try newer.store() }

        #expect(throws: SQLiteStoreError.self) {
            try SQLiteAliasStore(SQLiteStoreConfiguration(path: "/proc/nowhere/vault.db"))
        }
    }

    @Test func wrongMasterKeyChangesNothing() async throws {
        let database = TestDatabase()
        let store = try database.store()
        _ = try await openVault(store).alias(.new("x"))
        store.close()
        let before = database.bytes("")
        let again = try database.store()
        await #expect(throws: VaultError.wrongMasterKey) {
            try await Vault.open(VaultConfiguration(), masterKey: masterKey(2), store: again)
        }
        again.close()
        #expect(database.bytes("") == before)
    }

    @Test func fullDiskIsToldAndRecoveredFrom() async throws {
        let database = TestDatabase()
        let store = try database.store { $0.maximumPages = 40 }
        let vault = try await openVault(store)
        var kept: [(String, String)] = []
        var failure: VaultError?
        for number in 0..<400 where failure == nil {
            let value = "value \(number) " + String(repeating: "x", count: 400)
            do { kept.append((value, try await vault.alias(.new(value)))) } catch let error as VaultError {
                failure = error
            }
        }
        #expect(failure == .unavailable("the disk is full"))
        #expect(kept.count > 20)
        await #expect(throws: VaultError.unavailable("the disk is full")) {
            try await vault.create((0..<8).map { .new("many \($0) " + String(repeating: "y", count: 4_000)) })
        }
        for (value, alias) in kept { #expect(await vault.value(alias) == value) }
        #expect(try await vault.alias(.new(kept[0].0)) == kept[0].1)
        try await vault.delete(kept.prefix(20).map(\.1))
        _ = try await vault.alias(.new("room again"))
        store.close()
        let next = try database.store()
        let reopened = try await openVault(next)
        for (value, alias) in kept.dropFirst(20) { #expect(await reopened.value(alias) == value) }
        #expect(try await reopened.alias(.new("many 0 " + String(repeating: "y", count: 4_000))).hasPrefix("tok_"))
        next.close()
    }

    @Test func refusesWhenTooManyWait() async throws {
        let database = TestDatabase()
        let store = try database.store { $0.queueLimit = 4 }
        let vault = try await openVault(store)
        let results = await withTaskGroup(of: Bool?.self) { group in
            for number in 0..<200 {
                group.addTask {
                    do throws(VaultError) {
                        _ = try await vault.create([.new("v \(number)")])
                        return true
                    } catch {
                        return error == .unavailable("too many requests are waiting for the store") ? false : nil
                    }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(!results.contains(nil))
        #expect(results.contains(true))
        store.close()
        await #expect(throws: VaultError.self) { try await vault.create([.new("after the end")]) }
    }

    /// Many writers at once share commits, and one that is refused takes nothing of the others with it.
    @Test func writersShareCommits() async throws {
        let database = TestDatabase()
        let store = try database.store()
        let vault = try await openVault(store)
        await withTaskGroup(of: Void.self) { group in
            for writer in 0..<64 {
                group.addTask {
                    for number in 0..<10 {
                        let good = try? await vault.create([
                            .new("same"), .new("\(writer) \(number)"), .new("4539600166594134", .fpeSixTFour),
                        ])
                        #expect(good?.count == 3)
                        let bad: [StoredValue]? = try? await vault.create([
                            .new("bad \(writer) \(number)"), .reference(alias: "nope", format: .uuid),
                        ])
                        #expect(bad == nil)
                    }
                }
            }
        }
        let metrics = store.metrics
        #expect(metrics.failures == 0 && metrics.largestBatch > 1 && metrics.commits < metrics.requests)
        let rows = try await store.read { (reading) throws(VaultError) in
            var rows = 0
            try reading.visitAliases(prefix: "") { _ in rows += 1 }
            return rows
        }
        #expect(rows == 642)
        store.close()
    }
}
