import Glibc
import Testing
import Vault
import VaultTesting

@testable import VaultSQLite

@Suite("Indexes") struct IndexTests {
    /// From the paper's appendix A, and the first of the reference implementation's vectors.
    @Test(arguments: [(15, 0xa129_ca61_49be_45e5), (0, 0x726f_db47_dd0e_0e31), (8, 0x93f5_f579_9a93_2462)])
    func sipHash(count: Int, expected: UInt64) throws {
        let hash = try #require(SipHash(key: (0..<16).map { UInt8($0) }))
        let message = (0..<count).map { UInt8($0) }
        #expect(message.withUnsafeBytes { hash.hash($0) } == expected)
        #expect(SipHash(key: [1, 2, 3]) == nil)
    }

    @Test func leavesKeepEntriesOfOneHashTogether() {
        let entries = (0..<IndexLeaf.capacity * 3).map { IndexEntry(hash: UInt64($0 / 50 + 1), place: Int64($0)) }
        let parts = IndexLeaf.parts(entries)
        #expect(parts.first?.lowerBound == 0 && parts.last?.upperBound == entries.count && parts.count > 3)
        for (one, next) in zip(parts, parts.dropFirst()) {
            #expect(one.upperBound == next.lowerBound)
            #expect(entries[one.upperBound - 1].hash != entries[next.lowerBound].hash)
            #expect(one.count <= IndexLeaf.capacity)
        }
        let bytes = IndexLeaf.bytes(entries[0..<120])
        #expect(bytes.count == IndexLeaf.size)
        bytes.withUnsafeBytes { bytes in
            #expect(IndexLeaf.entries(bytes) == Array(entries[0..<120]))
            #expect(IndexLeaf.places(of: 2, in: bytes) == (50..<100).map { Int64($0) })
            #expect(IndexLeaf.places(of: 9, in: bytes) == [])
        }
        [1, 2, 3].withUnsafeBytes { #expect(IndexLeaf.entries($0) == nil) }
        #expect(IndexLeaf.merge(Array(entries[0..<40]), entries[20..<60]) == Array(entries[0..<60]))
    }

    /// Entries of one hash stay together. Where they are more than a part should have, there are fewer parts.
    @Test(arguments: [
        [405, 405, 290], [405, 1], [1, 405], [406], [1_100], [2, 600, 2], [300, 300, 300], [1, 1_000],
        [Int](repeating: 1, count: 1_500), [Int](repeating: 100, count: 9),
    ])
    func manyOfOneHash(counts: [Int]) {
        let hashes = counts.enumerated().flatMap { [UInt64](repeating: UInt64($0 + 1), count: $1) }
        let entries = hashes.enumerated().map { IndexEntry(hash: $1, place: Int64($0)) }
        let parts = IndexLeaf.parts(entries)
        #expect(parts.first?.lowerBound == 0 && parts.last?.upperBound == entries.count)
        for part in parts { #expect(!part.isEmpty) }
        for (one, next) in zip(parts, parts.dropFirst()) {
            #expect(one.upperBound == next.lowerBound && hashes[one.upperBound - 1] < hashes[next.lowerBound])
        }
        // No leaf is too large for what could be stored otherwise.
        if (counts.max() ?? 0) <= IndexLeaf.capacity * 2 / 3 {
            #expect(parts.allSatisfy { $0.count <= IndexLeaf.capacity })
        }
    }

    /// Values that were merged long ago get new fingerprints when they are sealed again: they are found by these after a restart too.
    @Test func newFingerprintsOfOldRowsOutliveARestart() async throws {
        let database = TestDatabase()
        var store = try database.store { $0.mergeRound = 512 }
        var vault = try await openVault(store)
        var aliases: [String] = []
        for batch in 0..<100 {
            let items = (0..<20).map { VaultItem.new("value \(batch * 20 + $0)") }
            aliases += try await vault.create(items).map(\.aliases[0].alias)
        }
        try await vault.rotateKey(fingerprints: true)
        var cursor: Int64? = 0
        while let position = cursor { cursor = try await vault.rewrap(after: position) }
        for isRestarted in [false, true] {
            if isRestarted {
                store.close()
                store = try database.store { $0.mergeRound = 512 }
                vault = try await openVault(store)
            }
            var found: [String] = []
            for batch in 0..<100 {
                let items = (0..<20).map { VaultItem.new("value \(batch * 20 + $0)") }
                found += try await vault.create(items).map(\.aliases[0].alias)
            }
            let lost = zip(found, aliases).count { $0 != $1 }
            #expect(lost == 0, "restarted: \(isRestarted)")
        }
        store.close()
    }

    /// Random merges and removals against a set, with hashes that collide.
    @Test(arguments: [1, 2, 3] as [UInt64]) func mergedIndexAgainstASet(seed: UInt64) throws {
        let database = TestDatabase()
        fclose(fopen(database.path, "w"))
        let connection = try SQLiteConnection(path: database.path)
        // Thousands of changes, none of which has to last.
        try connection.execute("PRAGMA synchronous = OFF")
        try connection.execute(MergedIndex.schema(table: "leaf"))
        let index = try MergedIndex(connection, table: "leaf")
        var random = SeededGenerator(state: seed)
        var model: Set<[Int64]> = []
        for round in 0..<60 {
            let new = (0..<200).map { _ in
                // Half of them in a narrow range, so that leaves are split there again and again.
                let range = Bool.random(using: &random) ? 1..<UInt64(1_000) : 1..<IndexEntry.limit
                return IndexEntry(
                    hash: .random(in: range, using: &random), place: .random(in: 0..<1_000, using: &random))
            }
            try index.merge(
                Set(new.map { [Int64($0.hash), $0.place] }).map { IndexEntry(hash: UInt64($0[0]), place: $0[1]) }
                    .sorted())
            for entry in new { model.insert([Int64(entry.hash), entry.place]) }
            let known = Array(model)
            for _ in 0..<60 {
                guard let gone = known.randomElement(using: &random), model.remove(gone) != nil else { continue }
                try index.remove(IndexEntry(hash: UInt64(gone[0]), place: gone[1]))
            }
            guard round % 10 == 9 else { continue }
            let expected = Dictionary(grouping: model, by: { $0[0] }).mapValues { Set($0.map { $0[1] }) }
            // One comparison: thousands of expectations would take longer than the index.
            let found = try expected.keys.reduce(into: [Int64: Set<Int64>]()) { found, hash in
                found[hash] = Set(try index.places(of: UInt64(hash)))
            }
            #expect(found == expected)
        }
        #expect(try connection.number("SELECT count(*) FROM leaf") > 10)
    }

    /// Buckets that were merged can be found until the next ones are.
    @Test func mergedBucketsStayUntilTheNext() {
        let young = YoungIndex()
        let entries = (0..<4).map { IndexEntry(hash: UInt64($0) << 29 | 5, place: Int64($0)) }
        for entry in entries { young.add(entry) }
        #expect(young.sorted(0..<2) == Array(entries[0..<2]))
        young.retire(0..<2)
        #expect(young.count == 2)
        for entry in entries { #expect(young.places(of: entry.hash) == [entry.place]) }
        young.remove(entries[1])
        young.remove(entries[3])
        #expect(young.places(of: entries[1].hash) == [] && young.places(of: entries[3].hash) == [])
        young.retire(2..<4)
        #expect(young.places(of: entries[0].hash) == [] && young.places(of: entries[2].hash) == [2])
        #expect(young.count == 0)
    }

    /// Of each bucket's entries none is excluded, of other hashes most are, whether the bits were made before the entries came or after.
    @Test(arguments: [(10, 0.2), (1_000, 0.2), (IndexFilter.maximumEntries, 0.6)])
    func filtersExcludeWhatIsNotThere(count: Int, mostPassing: Double) {
        let filter = IndexFilter()
        var random = SeededGenerator(state: UInt64(count))
        let bucket = 77
        let hashes = (0..<count).map { _ in UInt64.random(in: YoungIndex.hashes(of: bucket), using: &random) }
        #expect(hashes.allSatisfy { YoungIndex.bucket($0) == bucket && !filter.excludes($0) })
        #expect(filter.isDue(bucket))
        filter.make(bucket, from: Array(hashes[..<(count / 2)]))
        for hash in hashes[(count / 2)...] { filter.add(hash) }
        #expect(!hashes.contains { filter.excludes($0) })
        let others = (0..<10_000).map { _ in UInt64.random(in: YoungIndex.hashes(of: bucket), using: &random) }
        #expect(others.filter { !filter.excludes($0) }.count < Int(10_000 * mostPassing))
        // Nothing is known of the other buckets.
        #expect(!filter.excludes(YoungIndex.hashes(of: bucket - 1).lowerBound) && filter.isDue(bucket + 1))
    }

    /// Bits are made again when there are more entries than they were made for, as long as they can be more; never for very many entries.
    @Test func filtersGrowWithTheirBuckets() {
        let filter = IndexFilter()
        filter.make(5, from: [])
        var added = 0
        while !filter.isDue(5), added < 1_000 {
            filter.add(YoungIndex.hashes(of: 5).lowerBound + UInt64(added))
            added += 1
        }
        #expect((10...100).contains(added))
        filter.make(6, from: Array(YoungIndex.hashes(of: 6).prefix(IndexFilter.maximumEntries + 1)))
        #expect(!filter.isDue(6) && !filter.excludes(YoungIndex.hashes(of: 6).upperBound - 1))
    }

    /// A new database with its tables, and indexes that are empty.
    private func empty(_ database: TestDatabase) throws -> (SQLiteConnection, SharedIndexes) {
        fclose(fopen(database.path, "w"))
        let connection = try SQLiteConnection(path: database.path)
        try connection.execute("PRAGMA journal_mode = WAL")
        #expect(try !Schema.prepare(connection, path: database.path))
        return (connection, SharedIndexes(hash: try .ofIndexes(connection)))
    }

    /// What the writer takes for absent is: through merges, requests and batches taken back, and removals.
    @Test(arguments: [11, 12] as [UInt64]) func filtersNeverHideAnEntry(seed: UInt64) throws {
        let database = TestDatabase()
        let (connection, shared) = try empty(database)
        let writer = try IndexWriter(shared, connection, roundRows: 512)
        var random = SeededGenerator(state: seed)
        var model: [Int64: UInt64] = [:]
        for round in 0..<140 {
            var tried = model
            try connection.execute("BEGIN IMMEDIATE")
            for _ in 0..<4 {
                let before = tried
                try connection.execute("SAVEPOINT request")
                writer.beginRequest()
                for _ in 0..<8 {
                    let id = try #require(writer.nextId(.value))
                    // In few buckets, so that they fill.
                    let bucket = Int.random(in: 0..<40, using: &random) * 51
                    tried[id] = .random(in: YoungIndex.hashes(of: bucket), using: &random)
                    try writer.add(.alias, try #require(tried[id]), RowPlace(.value, id))
                }
                if let (id, hash) = before.first, Bool.random(using: &random) {
                    try writer.remove(.alias, hash, RowPlace(.value, id))
                    tried[id] = nil
                }
                if Int.random(in: 0..<4, using: &random) == 0 {
                    try connection.execute("ROLLBACK TO request")
                    try writer.takeBackRequest()
                    tried = before
                }
                try connection.execute("RELEASE request")
            }
            if round % 7 == 6 {
                try connection.execute("ROLLBACK")
                writer.rolledBack()
            } else {
                try writer.prepareCommit()
                try connection.execute("COMMIT")
                writer.committed()
                model = tried
            }
            while try writer.mergeSlice() {}
            for (id, hash) in model where round % 20 == 19 {
                let place = RowPlace(.value, id).number(in: .alias)
                #expect(try writer.reader.first(.alias, hash) { $0 == place ? true : nil } == true)
            }
        }
        let absent = (0..<1_000).filter { number in
            let hash = UInt64(number % 40) * 51 << 29 | UInt64.random(in: 0..<1 << 29, using: &random)
            return writer.reader.filter(.alias)?.excludes(hash) == true
        }
        #expect(absent.count > 500)
    }

    /// A reader finds all that its state of the database has, whatever is removed, added again and merged meanwhile. The writer finds nothing
    /// that was removed, and nothing is kept for readers that have gone.
    @Test(arguments: [21, 22, 23] as [UInt64]) func readersFindWhatTheirStateHas(seed: UInt64) throws {
        let database = TestDatabase()
        let (connection, shared) = try empty(database)
        let writer = try IndexWriter(shared, connection, roundRows: 64)
        let reading = try SQLiteTransaction(try SQLiteConnection(path: database.path), shared, mergeRound: nil)
        var random = SeededGenerator(state: seed)
        var model: [Int64: UInt64] = [:]
        var seen: [Int64: UInt64]?
        func isFound(_ id: Int64, _ hash: UInt64, by reader: IndexReader) throws -> Bool {
            let place = RowPlace(.value, id).number(in: .alias)
            return try reader.first(.alias, hash) { $0 == place ? true : nil } == true
        }
        for round in 0..<150 {
            if seen == nil, Int.random(in: 0..<3, using: &random) == 0 {
                try reading.begin(writing: false)
                seen = model
            }
            var removed: [(id: Int64, hash: UInt64)] = []
            try connection.execute("BEGIN IMMEDIATE")
            writer.beginRequest()
            for _ in 0..<4 {
                let id = try #require(writer.nextId(.value))
                model[id] = .random(in: 1..<IndexEntry.limit, using: &random)
                try writer.add(.alias, try #require(model[id]), RowPlace(.value, id))
            }
            for id in model.keys.sorted().shuffled(using: &random).prefix(3) {
                let hash = try #require(model[id])
                try writer.remove(.alias, hash, RowPlace(.value, id))
                switch Int.random(in: 0..<3, using: &random) {
                case 0:
                    model[id] = nil
                    removed.append((id, hash))
                case 1:
                    model[id] = .random(in: 1..<IndexEntry.limit, using: &random)
                    try writer.add(.alias, try #require(model[id]), RowPlace(.value, id))
                    removed.append((id, hash))
                default: try writer.add(.alias, hash, RowPlace(.value, id))
                }
            }
            try writer.prepareCommit()
            try connection.execute("COMMIT")
            writer.committed()
            while try writer.mergeSlice() {}
            #expect(try removed.filter { try isFound($0.id, $0.hash, by: writer.reader) }.isEmpty, "round \(round)")
            #expect(try model.filter { try !isFound($0.key, $0.value, by: writer.reader) }.isEmpty, "round \(round)")
            guard let state = seen else { continue }
            #expect(try state.filter { try !isFound($0.key, $0.value, by: reading.indexes) }.isEmpty, "round \(round)")
            if Int.random(in: 0..<3, using: &random) == 0 {
                try reading.commit()
                seen = nil
            }
        }
        if seen != nil { try reading.commit() }
        #expect(!shared.young(.alias).dropLeaving(shared.gate))
        #expect(try model.filter { try !isFound($0.key, $0.value, by: reading.indexes) }.isEmpty)
    }

    /// Entries stay for readers from before their removal, in two parts, and nothing is kept back by what is removed later.
    @Test func removedEntriesStayForReaders() {
        var leaving = LeavingEntries()
        let entries = (1...4).map { IndexEntry(hash: UInt64($0), place: Int64($0)) }
        func left() -> [Int64] { entries.flatMap { leaving.places(of: $0.hash) } }
        leaving.add(entries[0], at: 1)
        leaving.drop { $0 <= 0 }
        leaving.add(entries[1], at: 2)
        leaving.add(entries[2], at: 3)
        #expect(left() == [1, 2, 3])
        leaving.drop { $0 <= 0 }
        #expect(left() == [1, 2, 3])
        leaving.drop { $0 <= 1 }
        #expect(left() == [2, 3])
        leaving.add(entries[3], at: 4)
        leaving.drop { $0 <= 2 }
        #expect(left() == [2, 3, 4])
        leaving.drop { $0 <= 3 }
        #expect(left() == [4] && !leaving.isEmpty)
        leaving.drop { $0 <= 4 }
        #expect(left() == [] && leaving.isEmpty)
    }

    @Test func aMergeWaitsForReaders() {
        let gate = SnapshotGate()
        #expect(gate.isLastMergeSeen)
        gate.enter()
        #expect(gate.isLastMergeSeen)
        gate.merged()
        #expect(!gate.isLastMergeSeen)
        gate.leave()
        #expect(gate.isLastMergeSeen)
    }
}
