import Sensitive
import Testing
import Vault
import VaultTesting

@testable import VaultSQLite

/// What is deleted leaves all files of the vault: rows, free pages, the pages that rows were moved from, and the log.
@Suite("Erasure") struct ErasureTests {
    /// What is stored while an erasure by classifier is under way.
    @Test func storedMeanwhile() async throws {
        let database = TestDatabase()
        let store = try database.store()
        let vault = try await openVault(store)
        #expect(try await OpenErasureRun(vault).faults() == [])
        #expect(try await OpenErasureRun(vault).refusesWhatWaits())
        #expect(try await OpenErasureRun(vault).lostInMixedRequests() == [])
        store.close()
    }

    /// In waves, so that pages are emptied, joined and used again, with rows whose size changes in between.
    @Test(arguments: [1, 2, 3] as [UInt64]) func deletedValuesLeaveAllFiles(seed: UInt64) async throws {
        let database = TestDatabase()
        let store = try database.store { $0.eraseWithin = .milliseconds(200) }
        let vault = try await openVault(store)
        var random = SeededGenerator(state: seed)
        var kept: [(alias: String, value: String)] = []
        var gone: Set<UInt64> = []
        for wave in 0..<4 {
            for number in 0..<40 {
                let items = (0..<20).map { item in
                    let padding = String(repeating: "x", count: .random(in: 0...300, using: &random))
                    let text = "value \(wave) \(number) \(item) " + padding
                    return VaultItem.new(text, .uuid, ["\(wave)-\(number)-\(item)-classifier"])
                }
                kept += try await vault.create(items).map { ($0.aliases[0].alias, $0.value.exposed) }
            }
            for (alias, _) in kept.shuffled(using: &random).prefix(200) {
                gone.formUnion(try await traces(of: alias, in: store).classifiers)
                try await vault.replaceClassifiers(
                    of: alias, with: ["\(wave)" + String(alias.reversed()), String(repeating: "y", count: 100)])
            }
            kept.shuffle(using: &random)
            let deleted = Array(kept.prefix(kept.count * 6 / 10))
            kept.removeFirst(deleted.count)
            for start in stride(from: 0, to: deleted.count, by: 7) {
                let some = deleted[start..<min(start + 7, deleted.count)].map(\.alias)
                for alias in some { gone.formUnion(try await traces(of: alias, in: store).all) }
                try await vault.delete(some)
            }
            #expect(try await isErased(gone, database), "wave \(wave): \(found(gone, database).count) of \(gone.count)")
        }
        for (alias, value) in kept { #expect(await vault.value(alias) == value) }
        store.close()
        #expect(found(gone, database).isEmpty)
    }

    /// A process that is killed right after a deletion has not moved its log: the next one does, though nothing is written.
    @Test func whatAKilledProcessHadDeletedLeavesTheFiles() async throws {
        let database = TestDatabase()
        let store = try database.store { $0.eraseWithin = .seconds(3_600) }
        let vault = try await openVault(store)
        let alias = try await vault.alias(.new("deleted"))
        let gone = try await traces(of: alias, in: store).all
        try await vault.delete([alias])
        let killed = TestDatabase()
        for suffix in ["", "-wal"] { killed.write(database.bytes(suffix), suffix) }
        store.close()
        #expect(!found(gone, killed).isEmpty)
        let next = try killed.store { $0.eraseWithin = .milliseconds(200) }
        _ = try await openVault(next)
        #expect(try await isErased(gone, killed))
        next.close()
    }

    /// The same where the next process is stopped before its time.
    @Test func whatAKilledProcessHadDeletedLeavesTheFilesAtTheEnd() async throws {
        let database = TestDatabase()
        let store = try database.store { $0.eraseWithin = .seconds(3_600) }
        let vault = try await openVault(store)
        let alias = try await vault.alias(.new("deleted"))
        let gone = try await traces(of: alias, in: store).all
        try await vault.delete([alias])
        let killed = TestDatabase()
        for suffix in ["", "-wal"] { killed.write(database.bytes(suffix), suffix) }
        store.close()
        #expect(!found(gone, killed).isEmpty)
        let next = try killed.store()
        _ = try await openVault(next)
        next.close()
        #expect(found(gone, killed).isEmpty)
    }

    /// The first eight bytes of what the rows of an alias hold, from where they are its own.
    private struct Traces {
        var own: Set<UInt64> = []
        var classifiers: Set<UInt64> = []
        var all: Set<UInt64> { own.union(classifiers) }
    }

    private func traces(of alias: String, in store: SQLiteAliasStore) async throws -> Traces {
        let record = try await store.read { (reading) throws(VaultError) in try reading.entry(alias: alias)?.value }
        var traces = Traces()
        guard let record else { return traces }
        traces.own = [
            window(Array(alias.utf8.dropFirst(14))), window(record.sealed),
            window(record.fingerprint?.bytes ?? record.sealed),
        ]
        traces.classifiers = Set(record.classifiers.prefix(1).map { window(Array($0.utf8)) })
        return traces
    }

    private func window(_ bytes: [UInt8]) -> UInt64 {
        bytes.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
    }

    private func found(_ traces: Set<UInt64>, _ database: TestDatabase) -> Set<UInt64> {
        // Most places are ruled out by their last two bytes: the files are searched often, in a debug build.
        var endings = [Bool](repeating: false, count: 1 << 16)
        for trace in traces { endings[Int(trace & 0xFFFF)] = true }
        var found: Set<UInt64> = []
        for suffix in SQLiteStoreConfiguration.suffixes {
            var window: UInt64 = 0
            database.bytes(suffix).withUnsafeBufferPointer { bytes in
                endings.withUnsafeBufferPointer { endings in
                    var place = 0
                    while place < bytes.count {
                        window = window << 8 | UInt64(bytes[place])
                        if endings[Int(window & 0xFFFF)], traces.contains(window) { found.insert(window) }
                        place += 1
                    }
                }
            }
        }
        return found
    }

    /// Within the time, and some more for a machine that has much to do.
    private func isErased(_ traces: Set<UInt64>, _ database: TestDatabase) async throws -> Bool {
        for _ in 0..<600 {
            if found(traces, database).isEmpty { return true }
            try await Task.sleep(for: .milliseconds(100))
        }
        return false
    }
}
