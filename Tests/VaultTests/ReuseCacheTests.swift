import Testing

@testable import Vault

@Suite("Cache of reused values") struct ReuseCacheTests {
    /// The first byte chooses nothing but the name; all are of one part of the cache.
    private static func fingerprint(_ number: UInt8) throws -> Fingerprint {
        var bytes = [UInt8](repeating: 0, count: 32)
        bytes[31] = number
        return try #require(Fingerprint(bytes: bytes))
    }

    private static func entry(_ alias: String) -> ReuseCache.Entry {
        ReuseCache.Entry(
            createdAt: 1, expiresAt: nil, classifiers: [], allAliases: [Alias(alias: alias, format: .uuid)])
    }

    private static func alias(_ entry: ReuseCache.Entry?) -> String? { entry?.aliases(.uuid)?.first?.alias }

    /// The order of transactions decides: what was read before a change comes too late, however it was delayed.
    @Test func whatWasReadBeforeAChangeIsNotRemembered() throws {
        let cache = ReuseCache(capacity: 1_600)
        let value = try Self.fingerprint(1)
        let before = cache.epoch(value)
        cache.invalidate(value)
        cache.fill(value, Self.entry("old"), epoch: before)
        #expect(cache.entry(value) == nil)
        cache.fill(value, Self.entry("new"), epoch: cache.epoch(value))
        #expect(Self.alias(cache.entry(value)) == "new")
        let beforeAll = cache.epoch(value)
        cache.removeAll()
        cache.fill(value, Self.entry("old"), epoch: beforeAll)
        #expect(cache.entry(value) == nil)
    }

    /// A value with many classifiers would take the memory of thousands.
    @Test(arguments: [(1, 1_008, true), (1, 1_009, false), (65, 0, false)])
    func largeEntriesAreNotRemembered(count: Int, length: Int, isKnown: Bool) throws {
        let cache = ReuseCache(capacity: 32)
        let value = try Self.fingerprint(1)
        cache.fill(value, Self.entry("a"), epoch: cache.epoch(value))
        let classifiers = [String](repeating: String(repeating: "c", count: length), count: count)
        let entry = ReuseCache.Entry(
            createdAt: 1, expiresAt: nil, classifiers: classifiers, allAliases: [Alias(alias: "b", format: .uuid)])
        cache.fill(value, entry, epoch: cache.epoch(value))
        #expect(Self.alias(cache.entry(value)) == (isKnown ? "b" : nil))
    }

    /// From the older generation, too.
    @Test(arguments: [0, 1, 3] as [UInt8]) func aRemovedValueIsGone(others: UInt8) throws {
        // Two generations of at most two values in each of eight parts.
        let cache = ReuseCache(capacity: 32)
        let value = try Self.fingerprint(1)
        cache.fill(value, Self.entry("a"), epoch: cache.epoch(value))
        for number in 0..<others {
            let other = try Self.fingerprint(number + 2)
            try #require(other.shard % 8 == value.shard % 8)
            cache.fill(other, Self.entry("b"), epoch: cache.epoch(other))
        }
        cache.remove(value)
        #expect(cache.entry(value) == nil)
    }

    /// A value that is asked for stays; others go when two generations of newer ones have come.
    @Test func theCacheIsBounded() throws {
        let cache = ReuseCache(capacity: 32)
        let (asked, forgotten) = (try Self.fingerprint(1), try Self.fingerprint(2))
        for value in [asked, forgotten] { cache.fill(value, Self.entry("a"), epoch: cache.epoch(value)) }
        for number in 3..<30 as Range<UInt8> {
            let other = try Self.fingerprint(number)
            cache.fill(other, Self.entry("b"), epoch: cache.epoch(other))
            #expect(Self.alias(cache.entry(asked)) == "a")
        }
        #expect(cache.entry(forgotten) == nil)
    }
}
