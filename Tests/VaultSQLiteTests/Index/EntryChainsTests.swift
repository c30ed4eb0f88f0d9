import Testing
import VaultTesting

@testable import VaultSQLite

@Suite("Entries in memory") struct EntryChainsTests {
    /// Against a list: entries are added, some twice, and removed, one by one and by ranges of hashes, over several blocks of memory.
    @Test(arguments: [21, 22, 23] as [UInt64]) func chainsHoldWhatAListHolds(seed: UInt64) throws {
        var random = SeededGenerator(state: seed)
        var chains = EntryChains()
        var model: [IndexEntry] = []
        // Few hashes in each chain, so that many entries share one.
        let hashes = [0, IndexEntry.limit - 1] + (0..<600).map { UInt64($0 % 160) << 24 | UInt64($0 / 160) }
        for _ in 0..<12 {
            for _ in 0..<3_000 {
                let entry = IndexEntry(
                    hash: try #require(hashes.randomElement(using: &random)),
                    place: .random(in: 0..<40, using: &random) << 34)
                chains.add(entry)
                model.append(entry)
            }
            for _ in 0..<500 {
                let entry = IndexEntry(
                    hash: try #require(hashes.randomElement(using: &random)),
                    place: .random(in: 0..<44, using: &random) << 34)
                let index = model.firstIndex(of: entry)
                let isRemoved = chains.remove(entry)
                #expect(isRemoved == (index != nil))
                if let index { model.remove(at: index) }
            }
            let range = YoungIndex.hashes(of: .random(in: 0..<5, using: &random))
            let inRange = model.filter { range.contains($0.hash) }
            #expect(chains.entries(in: range).sorted() == inRange.sorted())
            chains.removeAll(in: range)
            model.removeAll { range.contains($0.hash) }
            #expect(chains.entries(in: range).isEmpty && chains.count == model.count)
            let places = Dictionary(grouping: model, by: \.hash).mapValues { $0.map(\.place).sorted() }
            #expect(hashes.allSatisfy { chains.places(of: $0).sorted() == places[$0] ?? [] })
        }
        #expect(chains.entries(in: 0..<IndexEntry.limit).sorted() == model.sorted())
        #expect(model.count > 5_000)
    }

    /// Slots of removed entries are used again: memory is that of the most entries at once.
    @Test func removedEntriesMakeRoom() {
        var chains = EntryChains()
        let entries = (0..<1_000).map { IndexEntry(hash: UInt64($0) << 22, place: Int64($0)) }
        for entry in entries { chains.add(entry) }
        let allocated = chains.allocated
        for _ in 0..<20 {
            let removed = entries.map { chains.remove($0) }
            #expect(!removed.contains(false))
            for entry in entries { chains.add(entry) }
            chains.removeAll(in: 0..<IndexEntry.limit)
            for entry in entries.reversed() { chains.add(entry) }
        }
        #expect(chains.count == 1_000 && chains.allocated == allocated)
    }
}
