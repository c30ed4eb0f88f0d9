import Foundation
import Glibc
import Sensitive
import Testing
import Vault
import VaultTesting

@testable import VaultSQLite

@Suite("The embedded store")
struct SQLiteAliasStoreTests {
    @Test func keepsEverythingAcrossRestarts() async throws {
        let database = TestDatabase()
        let store = try database.store()
        let vault = try await openVault(store)
        let stored = try await vault.create([
            .new("4539600166594134", .fpeSixTFour, ["pci", "é\u{1F600}", " "]), .new("4539600166594134"), .new("x\0y"),
        ])
        try await vault.delete([vault.alias(.new("gone"))])
        store.close()
        let second = try database.store()
        let next = try await openVault(second)
        let all = try await next.reveal(stored.map(\.aliases[0].alias))
        #expect(all.map(\.stored.value.exposed) == ["4539600166594134", "4539600166594134", "x\0y"])
        #expect(all.map(\.stored.classifiers) == [["pci", "é\u{1F600}", " "], ["pci", "é\u{1F600}", " "], []])
        #expect(all[0].stored.aliases == stored[0].aliases + stored[1].aliases)
        #expect(all.map(\.stored.createdAt) == stored.map(\.createdAt))
        #expect(try await next.create([.new("4539600166594134", .fpeSixTFour)])[0].aliases == stored[0].aliases)
        #expect(
            try await next.create([.reference(alias: stored[2].aliases[0].alias, format: .rawUUID)])[0].aliases.count
                == 2)
        second.close()
    }

    /// A row is known by its new fingerprint, and by the old one no more, from the step on that gives it: to requests of the same batch, too.
    @Test func aNewFingerprintTakesEffectWithinItsTransaction() async throws {
        let database = TestDatabase()
        let store = try database.store()
        let alias = try await openVault(store).alias(.new("x"))
        for other in [Fingerprint(bytes: [UInt8](repeating: 7, count: 32)), nil] {
            let found = try await store.write { (transaction) throws(VaultError) -> [Bool] in
                guard var record = try transaction.entry(alias: alias)?.value, let old = record.fingerprint else {
                    return []
                }
                record.fingerprint = other
                try transaction.update(record)
                let found = try transaction.value(fingerprint: old) != nil
                return try [
                    found,
                    other.map { (other) throws(VaultError) in try transaction.value(fingerprint: other) != nil }
                        ?? true,
                ]
            }
            #expect(found == [false, true])
        }
        store.close()
    }

    /// A row that is put back under a later value's id would pass for that value's.
    @Test func idsOfDeletedValuesAreNotGivenAgain() async throws {
        let database = TestDatabase()
        var given: [Int64] = []
        for round in 0..<4 {
            let store = try database.store()
            let vault = try await openVault(store)
            for number in 0..<2 {
                let alias = try await vault.alias(.new("value \(round) \(number)"))
                given.append(try await store.read { (reading) throws(VaultError) in try reading.lastValueID() })
                try await vault.delete([alias])
            }
            store.close()
        }
        #expect(given == given.sorted() && Set(given).count == 8)
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

    /// However many names the file has, it is one vault.
    @Test func oneProcessAtATimeByEveryName() throws {
        let database = TestDatabase()
        let store = try database.store()
        let (soft, hard) = (database.path + ".soft", database.path + ".hard")
        defer { for name in [soft, hard] { unlink(name) } }
        #expect(symlink(database.path, soft) == 0)
        #expect(throws: SQLiteStoreError.inUse(path: soft)) {
            try SQLiteAliasStore(SQLiteStoreConfiguration(path: soft))
        }
        #expect(link(database.path, hard) == 0)
        #expect(throws: SQLiteStoreError.cannotOpen("\(hard) has another name (a hard link)")) {
            try SQLiteAliasStore(SQLiteStoreConfiguration(path: hard))
        }
        #expect(throws: SQLiteStoreError.cannotOpen("\(hard) has another name (a hard link)")) {
            try SQLiteVaultFile(path: hard).backup(to: database.path + ".copy")
        }
        #expect(access(database.path + ".copy", F_OK) != 0)
        store.close()
        unlink(hard)
        try SQLiteAliasStore(SQLiteStoreConfiguration(path: soft)).close()
        unlink(soft)
        #expect(symlink(database.path + ".nothing", soft) == 0)
        #expect(throws: SQLiteStoreError.cannotOpen("\(soft) is a link that leads nowhere")) {
            try SQLiteAliasStore(SQLiteStoreConfiguration(path: soft))
        }
    }

    /// A row of another shape stops nothing that goes through all of them.
    @Test func anUnreadableRowStopsNothing() async throws {
        let database = TestDatabase()
        let first = try database.store()
        let run = try await UnreadableRowRun(openVault(first))
        first.close()
        try SQLiteConnection(path: database.path).execute(
            "UPDATE value SET binding = x'00' WHERE alias = '\(run.alias)'")
        let second = try database.store()
        #expect(try await run.outcome(in: openVault(second)) == UnreadableRowRun.expected)
        second.close()
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
        chmod(junk.path, 0o644)
        #expect(throws: SQLiteStoreError.damaged("file is not a database")) { try junk.store() }
        // It is not ours to change.
        var status = stat()
        #expect(stat(junk.path, &status) == 0 && status.st_mode & 0o777 == 0o644)

        let newer = TestDatabase()
        try newer.store().close()
        try SQLiteConnection(path: newer.path).execute("PRAGMA user_version = 7")
        #expect(throws: SQLiteStoreError.unsupportedVersion(found: 7, expected: 3)) { try newer.store() }

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

    /// The files as a killed process leaves them: everything acknowledged is in them, and a wrong master key changes
    /// not a byte.
    @Test func recoversFromTheLog() async throws {
        let database = TestDatabase()
        let store = try database.store { $0.eraseWithin = .seconds(86_400) }
        let stored = try await openVault(store).create((0..<50).map { .new("value \($0)") })
        let killed = TestDatabase()
        for suffix in ["", "-wal"] { killed.write(database.bytes(suffix), suffix) }
        store.close()
        let before = killed.bytes("") + killed.bytes("-wal")
        #expect(killed.bytes("-wal").count > 4_096)
        let refused = try killed.store()
        await #expect(throws: VaultError.wrongMasterKey) {
            try await Vault.open(VaultConfiguration(), masterKey: masterKey(2), store: refused)
        }
        refused.close()
        #expect(killed.bytes("") + killed.bytes("-wal") == before)
        let next = try killed.store()
        let vault = try await openVault(next)
        for item in stored { #expect(await vault.value(item.aliases[0].alias) == item.value.exposed) }
        #expect(try await vault.create([.new("value 7")])[0].aliases == stored[7].aliases)
        _ = try await vault.alias(.new("new"))
        next.close()
        #expect(killed.bytes("-wal").isEmpty)
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
        // Reading goes on, and says nothing about writing.
        #expect(await vault.value(kept[0].1) == kept[0].0)
        #expect(store.failure == .unavailable("the disk is full"))
        await store.retryAfterFailure()
        #expect(store.failure == .unavailable("the disk is full"), "there is still no room for more")
        await #expect(throws: VaultError.unavailable("the disk is full")) {
            try await vault.create((0..<8).map { .new("many \($0) " + String(repeating: "y", count: 4_000)) })
        }
        for (value, alias) in kept { #expect(await vault.value(alias) == value) }
        #expect(try await vault.alias(.new(kept[0].0)) == kept[0].1)
        let gone = kept.count / 2
        try await vault.delete(kept.prefix(gone).map(\.1))
        await store.retryAfterFailure()
        #expect(store.failure == nil)
        _ = try await vault.alias(.new("room again"))
        #expect(store.failure == nil)
        store.close()
        let next = try database.store()
        let reopened = try await openVault(next)
        for (value, alias) in kept.dropFirst(gone) { #expect(await reopened.value(alias) == value) }
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
                        return error == .overloaded ? false : nil
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

    @Test func backupWhileWriting() async throws {
        let database = TestDatabase()
        let store = try database.store()
        let vault = try await openVault(store)
        let first = try await vault.create((0..<20).map { .new("early \($0)") })
        let copy = TestDatabase()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for writer in 0..<4 {
                group.addTask { for number in 0..<50 { _ = try await vault.alias(.new("\(writer) \(number)")) } }
            }
            group.addTask { try SQLiteVaultFile(path: database.path).backup(to: copy.path) }
            try await group.waitForAll()
        }
        #expect(copy.mode("") == 0o600)
        let taken = SQLiteStoreError.cannotCopy("\(copy.path): it is there already")
        #expect(throws: taken) { try SQLiteVaultFile(path: database.path).backup(to: copy.path) }
        #expect("\(taken)" == "the copy cannot be written: \(copy.path): it is there already")
        store.close()
        let restored = try copy.store()
        let next = try await openVault(restored)
        for item in first { #expect(await next.value(item.aliases[0].alias) == item.value.exposed) }
        #expect(try await next.alias(.new("early 3")) == first[3].aliases[0].alias)
        restored.close()
    }

    /// A copy that was being made when its process was killed has no name yet, and is in nobody's way.
    @Test func leftoversOfAKilledBackup() async throws {
        let (database, copy) = (TestDatabase(), TestDatabase())
        let store = try database.store()
        _ = try await openVault(store)
        for suffix in [".creating-01234567", ".creating-01234567-journal"] { copy.write([1], suffix) }
        try SQLiteVaultFile(path: database.path).backup(to: copy.path)
        store.close()
        #expect(try FileManager.default.contentsOfDirectory(atPath: copy.directory) == ["vault.db"])
        for target in ["", copy.directory + "/", copy.directory + "/.", copy.directory + "/none/copy.db"] {
            #expect(throws: SQLiteStoreError.self) { try SQLiteVaultFile(path: database.path).backup(to: target) }
        }
    }

    /// A copy is not there until it is named, and one that is not named leaves nothing.
    @Test func aCopyIsThereOnceItIsNamed() async throws {
        let (database, copy) = (TestDatabase(), TestDatabase())
        let store = try database.store()
        _ = try await openVault(store)
        store.close()
        let file = SQLiteVaultFile(path: database.path)
        for isNamed in [false, true] {
            #expect(try FileManager.default.contentsOfDirectory(atPath: copy.directory) == [])
            let made = try file.unnamedCopy(for: copy.path)
            #expect(copy.mode("") == 0)
            // As SQLite leaves it on a full disk.
            let name = try #require(try FileManager.default.contentsOfDirectory(atPath: copy.directory).first)
            copy.write([1], name.dropFirst("vault.db".count) + "-journal")
            if isNamed { try made.name() }
        }
        #expect(copy.mode("") == 0o600)
        #expect(try FileManager.default.contentsOfDirectory(atPath: copy.directory) == ["vault.db"])
        #expect(unlink(copy.path) == 0)
        let late = try file.unnamedCopy(for: copy.path)
        copy.write([1], "")
        do throws(SQLiteStoreError) {
            try late.name()
            Issue.record("what was there is replaced")
        } catch { #expect(error == .cannotCopy("\(copy.path): it is there already")) }
        #expect(copy.bytes("") == [1])
    }

    /// Pages overwritten on disk: what is revealed is right, or it is an error.
    @Test func damagedPagesNeverGiveWrongValues() async throws {
        let database = TestDatabase()
        let store = try database.store()
        let stored = try await openVault(store).create((0..<400).map { .new("value \($0)") })
        store.close()
        let size = database.bytes("").count
        let file = fopen(database.path, "r+")
        for page in stride(from: 40_960, to: size, by: 12_288) {
            fseek(file, page + 1_000, SEEK_SET)
            fputs(String(repeating: "\u{1}junk", count: 500), file)
        }
        fclose(file)
        let next = try database.store()
        let vault = try await openVault(next)
        var failures = 0
        var isDamageFound = false
        for item in stored {
            do throws(VaultError) {
                let revealed = try await vault.reveal([item.aliases[0].alias])
                #expect(revealed[0].stored.value.exposed == item.value.exposed)
                #expect(next.failure == nil)
            } catch {
                failures += 1
                if "\(error)".contains("database file") {
                    isDamageFound = true
                    // It stays the last outcome until something succeeds.
                    await next.retryAfterFailure()
                    #expect(next.failure == error)
                }
                #expect(error.isDamage || error == .unknownAliases([item.aliases[0].alias]), "\(error)")
            }
        }
        #expect(failures > 0 && isDamageFound)
        next.close()
    }

    /// Creating and deleting the same values from many tasks at once: an alias that nobody deletes reveals its value, one that was deleted is
    /// gone, and what is remembered agrees with what is stored.
    @Test func reuseStaysTrueUnderConcurrentDeletion() async throws {
        let database = TestDatabase()
        let store = try database.store()
        let vault = try await openVault(store)
        let deleted = try await withThrowingTaskGroup(of: Set<String>.self) { group in
            for task in 0..<16 {
                group.addTask {
                    var random = SeededGenerator(state: UInt64(task))
                    var deleted: Set<String> = []
                    for _ in 0..<150 {
                        let number = Int.random(in: 0..<8, using: &random)
                        let alias = try await vault.alias(.new("value \(number)"))
                        if number >= 4 {
                            // Of these nothing is deleted.
                            #expect(await vault.value(alias) == "value \(number)")
                        } else if Bool.random(using: &random) {
                            // Another task may have deleted it first.
                            do { _ = try await vault.delete([alias]) } catch VaultError.unknownAliases {}
                            deleted.insert(alias)
                        }
                    }
                    return deleted
                }
            }
            return try await group.reduce(into: Set<String>()) { $0.formUnion($1) }
        }
        #expect(deleted.count > 100)
        for alias in deleted { #expect(await vault.value(alias) == nil) }
        for number in 0..<8 {
            for _ in 0..<2 {
                let alias = try await vault.alias(.new("value \(number)"))
                #expect(!deleted.contains(alias))
                #expect(await vault.value(alias) == "value \(number)")
            }
        }
        #expect(store.metrics.failures == 0)
        store.close()
    }

    /// Persistent and volatile requests at once for the same thousand aliases: none is given to both.
    @Test func storagesNeverShareAnAlias() async throws {
        let database = TestDatabase()
        let store = try database.store()
        let vault = try await openVault(store) { $0.reuse = false }
        let aliases = await withTaskGroup(of: String?.self) { group in
            for number in 0..<1_050 {
                let storage = number % 2 == 0 ? Storage.persistent : .volatile
                group.addTask { try? await vault.alias(.new("777", .numLengthPreserving, [], storage)) }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(Set(aliases.compactMap(\.self)).count == 999)
        #expect(aliases.compactMap(\.self).count == 999)
        store.close()
    }

    /// A thousand aliases for one BIN and last four, by many writers at once: all of them are given, each once, and
    /// then the error.
    @Test func aSpaceFillsToItsLastAlias() async throws {
        let database = TestDatabase()
        let store = try database.store()
        let vault = try await openVault(store) { $0.reuse = false }
        let value = "45396001665941"
        let size = 999
        let aliases = await withTaskGroup(of: String?.self) { group in
            for _ in 0..<(size + 5) { group.addTask { try? await vault.alias(.new(value, .fpeSixTFour)) } }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(Set(aliases.compactMap(\.self)).count == size)
        #expect(aliases.filter { $0 == nil }.count == 5)
        #expect(vault.metrics.fullness[.fpeSixTFour] ?? 0 > 0.99)
        let freed = aliases.compactMap(\.self).prefix(3)
        try await vault.delete(Array(freed))
        var again: Set<String> = []
        for _ in 0..<3 { again.insert(try await vault.alias(.new(value, .fpeSixTFour))) }
        #expect(again == Set(freed))
        store.close()
    }
}

extension VaultError {
    var isDamage: Bool {
        switch self {
        case .corrupt, .damaged: true
        default: false
        }
    }
}
