import Testing

@testable import Access

@Suite("Bounded tables")
struct BoundedTableTests {
    private struct Weighed: TableEntry {
        var heaviness: Int64 = 0
        func weight(at now: Int64) -> Int64 { heaviness }
    }

    /// A generator with a seed, so that a failure can be repeated.
    private struct Seeded: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state &+= 0x9E37_79B9_7F4A_7C15
            var mixed = state
            mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
            mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
            return mixed ^ (mixed >> 31)
        }
    }

    @Test func neverExceedsItsBound() {
        let table = BoundedTable(capacity: 1 << 12, vacant: Weighed())
        var random = Seeded(state: 1)
        for _ in 0..<100_000 { table.withEntry(random.next(), at: 0) { $0.heaviness = 1 } }
        #expect(table.allocated == 1 << 12)
    }

    @Test func startsSmall() {
        let table = BoundedTable(capacity: 1 << 20, vacant: Weighed())
        #expect(table.allocated == 512)
        // Entries that weigh nothing never make it grow.
        var random = Seeded(state: 2)
        for _ in 0..<10_000 { table.withEntry(random.next(), at: 0) { _ in } }
        #expect(table.allocated == 512)
    }

    @Test func keepsWhatFits() {
        let table = BoundedTable(capacity: 1 << 16, vacant: Weighed())
        var random = Seeded(state: 3)
        let keys = (0..<10_000).map { _ in random.next() }
        for (index, key) in keys.enumerated() { table.withEntry(key, at: 0) { $0.heaviness = Int64(index + 1) } }
        for (index, key) in keys.enumerated() {
            #expect(table.withExisting(key) { $0.heaviness } == Int64(index + 1))
        }
        #expect(table.withExisting(0) { $0.heaviness } == nil)
    }

    /// The heaviest entry stays, whatever comes.
    @Test func heavyEntriesStay() {
        let table = BoundedTable(capacity: 64, vacant: Weighed())
        var random = Seeded(state: 4)
        let heavy = random.next()
        table.withEntry(heavy, at: 0) { $0.heaviness = 1_000 }
        for _ in 0..<100_000 { table.withEntry(random.next(), at: 0) { $0.heaviness = 999 } }
        #expect(table.withExisting(heavy) { $0.heaviness } == 1_000)
    }
}
