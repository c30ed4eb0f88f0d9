import Glibc
import Synchronization
import Testing
import Vault
import VaultTesting

@testable import VaultSQLite

/// Several requests in one commit.
@Suite struct BatchTests {
    private final class Outcomes: Sendable {
        private let content = Mutex<[String: VaultError?]>([:])

        func record(_ name: String, _ failure: VaultError?) { content.withLock { $0[name] = .some(failure) } }

        var all: [String: VaultError?] { content.withLock { $0 } }
    }

    /// Runs jobs as one batch on the writer's connection; how each ended.
    private func run(
        _ store: SQLiteAliasStore, _ jobs: [(name: String, work: @Sendable (SQLiteTransaction) -> Bool)]
    ) -> [String: VaultError?] {
        let outcomes = Outcomes()
        let batch = jobs.map { job in
            Job<SQLiteTransaction>(run: job.work, finish: { outcomes.record(job.name, $0) })
        }
        store.connections.writer.use { transaction in
            guard let transaction else { return }
            _ = BatchRun(transaction: transaction, isWriting: true, figures: StoreFigures()).run(batch)
        }
        return outcomes.all
    }

    private func names(_ store: SQLiteAliasStore, _ all: [String]) async throws -> [String] {
        try await store.read { (reading) throws(VaultError) in
            var found: [String] = []
            for name in all where try reading.response(Array(name.utf8)) != nil { found.append(name) }
            return found
        }
    }

    /// Of three requests in one commit the refused one leaves nothing, whatever it had written.
    @Test func aRefusedRequestLeavesNothing() async throws {
        let database = TestDatabase()
        let store = try database.store()
        _ = try await openVault(store)
        let rows = ["first", "refused", "last"].map { name in
            ResponseRecord(
                name: Array(name.utf8), keyID: 2, sealed: Array("sealed \(name)".utf8), expiresAt: 9_000_000_000)
        }
        let outcomes = run(
            store,
            [
                ("first", { (try? $0.insert(rows[0])) == true }),
                (
                    "refused",
                    { transaction in
                        _ = try? transaction.insert(rows[1])
                        return false
                    }
                ), ("last", { (try? $0.insert(rows[2])) == true }),
            ])
        #expect(outcomes.count == 3 && outcomes.values.allSatisfy { $0 == nil })
        #expect(try await names(store, ["first", "refused", "last"]) == ["first", "last"])
        // Not in the table either, where only a scan would find it.
        let totals = try await store.read { (reading) throws(VaultError) in try reading.responseTotals() }
        #expect(totals.count == 2)
        // What the refused one had written is free for others.
        #expect(
            try await store.write { (transaction) throws(VaultError) in try transaction.insert(rows[1]) })
        #expect(try await names(store, ["refused"]) == ["refused"])
        store.close()
        let next = try database.store()
        #expect(try await names(next, ["first", "refused", "last"]) == ["first", "refused", "last"])
        next.close()
    }

    /// A disk that fills up ends a transaction: what it had deleted is there again, also after the next commit.
    @Test func aTransactionThatEndedHasDeletedNothing() async throws {
        let database = TestDatabase()
        let store = try database.store { $0.maximumPages = 80 }
        _ = try await openVault(store)
        let rows = (0..<100).map { number in
            ResponseRecord(
                name: Array("row \(number)".utf8), keyID: 2, sealed: [UInt8](repeating: 1, count: 8_000),
                expiresAt: 9_000_000_000)
        }
        #expect(run(store, [("first", { (try? $0.insert(rows[0])) == true })])["first"] == .some(nil))
        let outcomes = run(
            store,
            [
                ("delete", { (try? $0.delete(response: rows[0].name, sealed: rows[0].sealed)) == true }),
                ("fill", { transaction in rows.dropFirst(2).allSatisfy { (try? transaction.insert($0)) == true } }),
            ])
        #expect(outcomes == ["delete": .unavailable("the disk is full"), "fill": .unavailable("the disk is full")])
        #expect(try await names(store, ["row 0", "row 2"]) == ["row 0"])
        #expect(run(store, [("next", { (try? $0.insert(rows[1])) == true })])["next"] == .some(nil))
        #expect(try await names(store, ["row 0", "row 1", "row 2"]) == ["row 0", "row 1"])
        store.close()
    }

    /// What leads to a row goes with it: the index would grow for ever, and keep a trace of what was deleted.
    @Test func theIndexForgetsWhatIsDeleted() async throws {
        let database = TestDatabase()
        let store = try database.store()
        let vault = try await openVault(store)
        func entries() -> [Int?] {
            [StoreIndex.alias, .fingerprint].map { index in
                store.connections.writer.use { $0?.indexes.shared.young(index).count }
            }
        }
        let before = entries()
        let aliases = try await vault.create((0..<20).map { .new("value \($0)") }).map { $0.aliases[0].alias }
        #expect(entries() == before.map { $0.map { $0 + 20 } })
        // A second alias alone, then everything.
        let more = try await vault.create([.reference(alias: aliases[0], format: .rawUUID)])[0].aliases[1].alias
        #expect(entries() == [before[0].map { $0 + 21 }, before[1].map { $0 + 20 }])
        try await vault.delete([more])
        #expect(entries() == before.map { $0.map { $0 + 20 } })
        try await vault.delete(aliases)
        #expect(entries() == before)
        store.close()
    }

    /// What a refused request had changed in the rows of others is undone in memory, in the indexes of a start too: each step behind the next.
    @Test(arguments: [false, true]) func aRefusedRequestChangesNoIndex(isMerged: Bool) async throws {
        let database = TestDatabase()
        let configure: (inout SQLiteStoreConfiguration) -> Void = { if isMerged { $0.mergeRound = 1 } }
        var store = try database.store(configure)
        let vault = try await openVault(store)
        let aliases = try await vault.create((0..<4).map { .new("value \($0)") }).map { $0.aliases[0].alias }
        let further = try await vault.create([.reference(alias: aliases[3], format: .rawUUID)])[0].aliases[1].alias
        let response = ResponseRecord(name: [1], keyID: 2, sealed: [2], expiresAt: 9_000_000_000)
        _ = try await store.write { (transaction) throws(VaultError) in try transaction.insert(response) }
        let codes = (0..<2).compactMap { Fingerprint(bytes: [UInt8](repeating: UInt8($0), count: 32)) }
        let records = try await store.read { (reading) throws(VaultError) in
            try reading.values(after: 0, notSealedUnder: 0, limit: 10).records
        }
        let known = records.compactMap(\.fingerprint)
        #expect(known.count == 4)
        let outcomes = run(
            store,
            [
                ("before", { (try? Self.change(records[0], to: codes[0], $0)) != nil }),
                (
                    "refused",
                    { transaction in
                        do {
                            // To another, on to the one of the value before, and back; to another.
                            try Self.change(records[1], to: codes[1], transaction)
                            try Self.change(records[1], to: known[0], transaction)
                            try Self.change(records[1], to: known[1], transaction)
                            try Self.change(records[2], to: codes[1], transaction)
                            _ = try transaction.erase(value: records[2].id)
                            // An alias that comes and goes, one that goes and comes with another value, and one that goes.
                            let alias = try AliasRecord(
                                alias: "new", format: 1, value: records[1].id, tag: [UInt8](repeating: 1, count: 16))
                            _ = try transaction.insert(alias)
                            try transaction.erase(alias: "new")
                            try transaction.erase(alias: aliases[1])
                            let moved = try AliasRecord(
                                alias: aliases[1], format: 1, value: records[3].id,
                                tag: [UInt8](repeating: 1, count: 16))
                            _ = try transaction.insert(moved)
                            try transaction.erase(alias: further)
                            _ = try transaction.delete(response: response.name, sealed: response.sealed)
                            _ = try transaction.insert(response)
                            try transaction.replace(response)
                        } catch { Issue.record(error) }
                        return false
                    }
                ), ("behind", { (try? Self.change(records[3], to: nil, $0)) != nil }),
            ])
        #expect(outcomes.count == 3 && outcomes.values.allSatisfy { $0 == nil })
        let expected = [known[1], known[2], codes[0]]
        for isRestarted in [false, true] {
            if isRestarted {
                store.close()
                store = try database.store(configure)
            }
            let found = try await store.write { (transaction) throws(VaultError) in
                var found: [Int64?] = []
                for code in expected + [known[0], known[3], codes[1]] {
                    found.append(try transaction.value(fingerprint: code)?.id)
                }
                for alias in aliases + [further, "new"] {
                    found.append(try transaction.entry(alias: alias)?.value?.id)
                }
                return found + [try transaction.response([1])?.keyID]
            }
            let ids = records.map { Int64?.some($0.id) }
            #expect(
                found == [ids[1], ids[2], ids[0], nil, nil, nil] + ids + [ids[3], nil, 2], "restarted: \(isRestarted)")
        }
        store.close()
    }

    private static func change(
        _ record: ValueRecord, to fingerprint: Fingerprint?, _ transaction: SQLiteTransaction
    ) throws(VaultError) {
        var record = record
        record.fingerprint = fingerprint
        try transaction.update(record)
    }

    /// A key is claimed once, and given back by who has claimed it.
    @Test func aResponseIsOfOneRequest() async throws {
        let database = TestDatabase()
        let store = try database.store()
        _ = try await openVault(store)
        let row = ResponseRecord(name: [1], keyID: 2, sealed: [2], expiresAt: 9_000_000_000)
        let outcome = try await store.write { (transaction) throws(VaultError) in
            [
                try transaction.insert(row), try transaction.insert(row),
                try transaction.delete(response: [1], sealed: [3]), try transaction.delete(response: [1], sealed: [2]),
                try transaction.delete(response: [1], sealed: [2]),
            ]
        }
        #expect(outcome == [true, false, false, true, false])
        store.close()
    }

    /// The same by way of the vault: one of many that write at once names an alias that does not exist.
    @Test func refusedRequestsAmongOthers() async throws {
        let database = TestDatabase()
        let store = try database.store()
        let vault = try await openVault(store)
        let made = try await withThrowingTaskGroup(of: (Int, String?).self) { group in
            for number in 0..<60 {
                group.addTask {
                    var items = [VaultItem.new("value \(number)")]
                    if number % 3 == 0 { items.append(.reference(alias: "unknown \(number)", format: .uuid)) }
                    return (number, try? await vault.create(items)[0].aliases[0].alias)
                }
            }
            return try await group.reduce(into: [Int: String]()) { $0[$1.0] = $1.1 }
        }
        #expect(made.count == 40 && made.keys.allSatisfy { $0 % 3 != 0 })
        for (number, alias) in made { #expect(await vault.value(alias) == "value \(number)") }
        let values = try await store.read { (reading) throws(VaultError) in
            try reading.values(after: 0, notSealedUnder: 0, limit: 1_000).count
        }
        #expect(values == 40)
        store.close()
    }

    /// Requests that take 10 ms each, five times as many at once as can be carried out within their limit: the rest is refused and
    /// leaves nothing. What has no limit is carried out, first of all.
    @Test func whatWouldWaitTooLongIsRefused() async throws {
        let database = TestDatabase()
        let store = try database.store()
        _ = try await openVault(store)
        let outcomes = Outcomes()
        let order = Mutex<[Int]>([])
        @Sendable func row(_ number: Int) -> ResponseRecord {
            ResponseRecord(name: [UInt8(number)], keyID: 2, sealed: [1], expiresAt: 9_000_000_000)
        }
        // The writer is busy until all others have been put.
        let isPut = Atomic(false)
        let busy = Job<SQLiteTransaction>(
            run: { _ in
                while !isPut.load(ordering: .acquiring) { usleep(1_000) }
                return true
            }, finish: { outcomes.record("busy", $0) })
        #expect(store.writer.mailbox.put(busy) == .accepted)
        while store.writer.mailbox.count > 0 { try await Task.sleep(for: .milliseconds(1)) }
        let limit = WaitLimit(since: .now, maximum: .milliseconds(400))
        for number in 0..<200 {
            let isBegun = number % 20 == 0
            let job = Job<SQLiteTransaction>(
                within: isBegun ? nil : limit,
                run: { transaction in
                    order.withLock { $0.append(number) }
                    usleep(10_000)
                    return (try? transaction.insert(row(number))) == true
                }, finish: { outcomes.record("\(number)", $0) })
            #expect(store.writer.mailbox.put(job, first: isBegun) == .accepted)
        }
        isPut.store(true, ordering: .releasing)
        while outcomes.all.count < 201 { try await Task.sleep(for: .milliseconds(5)) }
        let done = order.withLock { $0 }
        #expect(done.prefix(10).allSatisfy { $0 % 20 == 0 })
        // Each takes 10 ms at least, and none begins after 400.
        #expect(done.count >= 10 && done.count <= 40, "\(done.count)")
        #expect(done == done.prefix(10).sorted() + done.dropFirst(10).sorted())
        for number in 0..<200 {
            #expect(outcomes.all["\(number)"] == .some(done.contains(number) ? nil : .overloaded))
        }
        #expect(store.metrics.late == 200 - done.count)
        // A store that refuses is not one that fails.
        #expect(store.failure == nil && store.metrics.failures == 0)
        let stored = try await store.read { (reading) throws(VaultError) in
            var stored: [Int] = []
            for number in 0..<200 where try reading.response([UInt8(number)]) != nil { stored.append(number) }
            return stored
        }
        #expect(stored == done.sorted())
        store.close()
    }

    /// A batch that ended early, for a request with a limit, and then could not be committed: what it had left is refused with it, and
    /// not carried out in the next one.
    @Test func whatIsRefusedWithItsBatchHasNoSecondTurn() throws {
        let database = TestDatabase()
        let store = try database.store()
        let outcomes = Mutex<[String]>([])
        let limit = WaitLimit(since: .now, maximum: .seconds(60))
        func job(_ name: String, _ work: @escaping @Sendable (SQLiteTransaction) -> Bool) -> Job<SQLiteTransaction> {
            Job(
                within: limit, run: work,
                finish: { failure in outcomes.withLock { $0.append(failure == nil ? "" : name) } })
        }
        let left = store.connections.writer.use { transaction -> Int? in
            guard let transaction else { return nil }
            // A deferred constraint fails with COMMIT alone.
            for sql in [
                "PRAGMA foreign_keys = ON", "CREATE TABLE parent (id INTEGER PRIMARY KEY)",
                "CREATE TABLE child (id INTEGER REFERENCES parent (id) DEFERRABLE INITIALLY DEFERRED)",
            ] { try? transaction.connection.execute(sql) }
            let first = job("first") { transaction in
                usleep(150_000)
                return (try? transaction.connection.execute("INSERT INTO child VALUES (7)")) != nil
            }
            return BatchRun(transaction: transaction, isWriting: true, figures: StoreFigures())
                .run([first, job("second") { _ in true }]).left.count
        }
        #expect(left == 0 && outcomes.withLock { $0 } == ["first", "second"])
        store.close()
    }
}
