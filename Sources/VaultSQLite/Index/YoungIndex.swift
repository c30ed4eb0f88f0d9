import Synchronization

/// The part of an index that is not yet in the database: entries in buckets by the upper bits of their hashes. The writer adds and
/// removes, the reader looks things up.
///
/// An entry of a transaction that is not committed, or was taken back, does no harm: its row is not found. One whose row is there must
/// be found, in memory or in the database. So a bucket that was merged stays here until no reader has a state of the database from
/// before the merge (`SnapshotGate`), and an entry that was removed stays for the reader as long.
final class YoungIndex: Sendable {
    /// A slice of a merge is up to eight buckets; at three million entries each is five leaves.
    static let bits: UInt64 = 11
    static let buckets = 1 << Int(bits)

    private struct Contents {
        var buckets = [[IndexEntry]](repeating: [], count: YoungIndex.buckets)
        var count = 0
        /// Entries that were merged last, and the buckets that they come from.
        var retired: [IndexEntry] = []
        var retiredBuckets = 0..<0
        /// Entries that were removed.
        var leaving = LeavingEntries()
    }

    private let contents = Mutex(Contents())

    init() {}

    /// Entries that are not merged.
    var count: Int { contents.withLock { $0.count } }

    /// The bucket of a hash.
    static func bucket(_ hash: UInt64) -> Int { Int(hash >> (40 - bits)) & (buckets - 1) }

    /// The hashes of a bucket.
    static func hashes(of bucket: Int) -> Range<UInt64> {
        UInt64(bucket) << (40 - bits)..<UInt64(bucket + 1) << (40 - bits)
    }

    /// The places of entries with this hash.
    ///
    /// - Parameter withLeaving: whether of those, too, that were removed: for a reader, whose state may be from before.
    func places(of hash: UInt64, withLeaving: Bool = false) -> [Int64] {
        let bucket = Self.bucket(hash)
        return contents.withLock { contents in
            var places = withLeaving ? contents.leaving.places(of: hash) : []
            for entry in contents.buckets[bucket] where entry.hash == hash { places.append(entry.place) }
            guard contents.retiredBuckets.contains(bucket) else { return places }
            for entry in contents.retired where entry.hash == hash { places.append(entry.place) }
            return places
        }
    }

    func add(_ entry: IndexEntry) {
        contents.withLock { contents in
            contents.buckets[Self.bucket(entry.hash)].append(entry)
            contents.count += 1
        }
    }

    /// Adds many at once, each bucket in one piece of memory of its size.
    func add(_ entries: [IndexEntry]) {
        var counts = [Int](repeating: 0, count: Self.buckets)
        for entry in entries { counts[Self.bucket(entry.hash)] += 1 }
        contents.withLock { contents in
            for (bucket, count) in counts.enumerated() where count > 0 {
                contents.buckets[bucket].reserveCapacity(contents.buckets[bucket].count + count)
            }
            for entry in entries { contents.buckets[Self.bucket(entry.hash)].append(entry) }
            contents.count += entries.count
        }
    }

    /// Takes back an entry of a transaction that was not committed.
    func remove(_ entry: IndexEntry) {
        let bucket = Self.bucket(entry.hash)
        contents.withLock { contents in
            if let index = contents.buckets[bucket].lastIndex(of: entry) {
                contents.buckets[bucket].swapAt(index, contents.buckets[bucket].count - 1)
                contents.buckets[bucket].removeLast()
                contents.count -= 1
            }
            if contents.retiredBuckets.contains(bucket) { contents.retired.removeAll { $0 == entry } }
        }
    }

    /// Removes entries whose removal is committed. What was here is found by readers as long as they may have a state from before.
    ///
    /// - Parameter change: the number of the commit.
    func remove(_ entries: Set<IndexEntry>, at change: Int) {
        contents.withLock { contents in
            for entry in entries {
                let bucket = Self.bucket(entry.hash)
                let before = contents.buckets[bucket].count
                contents.buckets[bucket].removeAll { $0 == entry }
                let removed = before - contents.buckets[bucket].count
                contents.count -= removed
                let isRetired = contents.retiredBuckets.contains(bucket) && contents.retired.contains(entry)
                if isRetired { contents.retired.removeAll { $0 == entry } }
                if removed > 0 || isRetired { contents.leaving.add(entry, at: change) }
            }
        }
    }

    /// Drops removed entries that no reader needs any more; whether others are left.
    func dropLeaving(_ gate: SnapshotGate) -> Bool {
        contents.withLock { contents in
            contents.leaving.drop(gate.isSeen)
            return !contents.leaving.isEmpty
        }
    }

    /// The entries of these buckets, in order.
    func sorted(_ buckets: Range<Int>) -> [IndexEntry] {
        contents.withLock { contents in
            var entries: [IndexEntry] = []
            for bucket in buckets { entries += contents.buckets[bucket].sorted() }
            return entries
        }
    }

    /// Says that these buckets have been merged: their entries stay only until the next call.
    func retire(_ buckets: Range<Int>) {
        contents.withLock { contents in
            contents.retired.removeAll(keepingCapacity: true)
            contents.retiredBuckets = buckets
            for bucket in buckets {
                contents.retired += contents.buckets[bucket]
                contents.count -= contents.buckets[bucket].count
                contents.buckets[bucket].removeAll(keepingCapacity: true)
            }
        }
    }
}
