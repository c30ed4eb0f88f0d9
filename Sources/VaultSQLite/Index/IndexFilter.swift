/// What is certainly not in an index, so that the writer need not look for what is new, neither in memory nor in the database: some bits
/// for each bucket, of which each entry has set one. A hash whose bit is not set has no entry; one whose bit is set may have one.
///
/// Nothing is known of a bucket until it is merged for the first time after a start, so that a start reads nothing. The bit of an entry
/// that was removed stays set, which costs a look-up and no more. At three million entries one bit in eleven is set.
///
/// Belongs to the writer, which alone adds entries.
final class IndexFilter {
    /// Bits of a bucket at the most: 2 KiB, 4 MiB for an index.
    static let maximumBits = 1 << 14
    private static let minimumBits = 1 << 10
    /// With more entries than this the bits of a bucket would say little.
    static let maximumEntries = maximumBits / 2
    /// Bits for each entry that is there when they are made.
    private static let bitsPerEntry = 16

    private struct Bucket {
        /// A power of two of bits; empty while nothing is known.
        var words: [UInt64] = []
        /// Entries that may be added before the bits are made again: more of them.
        var room = 0
    }

    private var buckets = [Bucket](repeating: Bucket(), count: YoungIndex.buckets)

    init() {}

    /// Whether there is certainly no entry with this hash.
    func excludes(_ hash: UInt64) -> Bool {
        let words = buckets[YoungIndex.bucket(hash)].words
        return !words.isEmpty && words[Self.word(hash, words.count)] & Self.bit(hash) == 0
    }

    /// To be called for each entry that is added.
    func add(_ hash: UInt64) {
        let bucket = YoungIndex.bucket(hash)
        let count = buckets[bucket].words.count
        guard count > 0 else { return }
        buckets[bucket].words[Self.word(hash, count)] |= Self.bit(hash)
        buckets[bucket].room -= 1
    }

    /// Whether the bits of this bucket are to be made, with `make`, when all of its entries are in the database.
    func isDue(_ bucket: Int) -> Bool { buckets[bucket].room <= 0 }

    /// Makes the bits of a bucket from the hashes of all its entries.
    func make(_ bucket: Int, from hashes: [UInt64]) {
        guard hashes.count <= Self.maximumEntries else {
            buckets[bucket] = Bucket(room: .max)
            return
        }
        var bits = Self.minimumBits
        while bits < Self.maximumBits, bits < hashes.count * Self.bitsPerEntry { bits *= 2 }
        var words = [UInt64](repeating: 0, count: bits / 64)
        for hash in hashes { words[Self.word(hash, words.count)] |= Self.bit(hash) }
        buckets[bucket] = Bucket(words: words, room: bits < Self.maximumBits ? bits / Self.bitsPerEntry : .max)
    }

    private static func word(_ hash: UInt64, _ count: Int) -> Int { Int(hash >> 6) & (count - 1) }
    private static func bit(_ hash: UInt64) -> UInt64 { 1 << (hash & 63) }
}
