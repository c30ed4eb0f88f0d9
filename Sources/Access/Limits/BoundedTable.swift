import Synchronization

/// What a ``BoundedTable`` keeps for a key.
protocol TableEntry: Sendable {
    /// How much would be lost if the entry were forgotten now; 0 or less if nothing, because a new entry would be the
    /// same.
    func weight(at now: Int64) -> Int64
}

/// Entries by a 64-bit key in memory that never exceeds a bound, whatever keys are presented.
///
/// The table is set-associative: a key belongs to one set of eight places, next to each other in memory, and is
/// looked for there alone. A full set makes room by forgetting the entry of the least ``TableEntry/weight(at:)``. So
/// memory and time a request are constant, and an entry can only be pushed out by seven others in its set that weigh
/// more: to have its own limit forgotten, a caller would have to use up seven more limits of others that happen to
/// share its set, which it cannot tell, because keys are hashed under a seed of the process. A table starts small and
/// doubles, while it has to push out entries that weigh anything, up to its bound.
///
/// Entries are spread over stripes with a lock each, so that loops seldom wait for each other.
final class BoundedTable<Entry: TableEntry>: Sendable {
    private let stripes: [Stripe]
    private let mask: Int

    /// - Parameters:
    ///   - capacity: the largest number of entries; rounded up to a power of two.
    ///   - vacant: what a key that is not in the table has.
    init(capacity: Int, vacant: Entry) {
        let capacity = max(capacity, 64).nextPowerOfTwo
        let count = min(64, capacity / 64).nextPowerOfTwo
        let sets = capacity / count / Sets<Entry>.ways
        stripes = (0..<count).map { _ in Stripe(Sets(maximumSets: sets, vacant: vacant)) }
        mask = count - 1
    }

    /// Runs `body` on the entry of `key`, which is made if there is none.
    ///
    /// - Parameters:
    ///   - key: from ``hash(_:)``, or otherwise uniform and secret.
    ///   - now: in the unit of the entries.
    func withEntry<Result: Sendable>(
        _ key: UInt64, at now: Int64, _ body: (inout Entry) -> Result
    ) -> Result {
        stripes[Int(truncatingIfNeeded: key >> 58) & mask].sets.withLock { sets in
            sets.withEntry(key == 0 ? 1 : key, at: now, body)
        }
    }

    /// Runs `body` on the entry of `key` if there is one, without making any.
    func withExisting<Result: Sendable>(_ key: UInt64, _ body: (inout Entry) -> Result) -> Result? {
        stripes[Int(truncatingIfNeeded: key >> 58) & mask].sets.withLock { sets in
            sets.withExisting(key == 0 ? 1 : key, body)
        }
    }

    /// Entries that there is memory for now.
    var allocated: Int { stripes.reduce(0) { $0 + $1.sets.withLock { $0.allocated } } }

    /// A key for what entries are kept by. Swift's hasher is SipHash under a seed of the process: no client can
    /// choose keys that meet in one set.
    static func hash(_ parts: some Hashable) -> UInt64 {
        var hasher = Hasher()
        hasher.combine(parts)
        return UInt64(bitPattern: Int64(hasher.finalize()))
    }

    private final class Stripe: Sendable {
        let sets: Mutex<Sets<Entry>>

        init(_ sets: Sets<Entry>) { self.sets = Mutex(sets) }
    }
}

/// The sets of one stripe.
private struct Sets<Entry: TableEntry> {
    static var ways: Int { 8 }

    /// Zero where a place is free.
    private var keys: [UInt64]
    private var entries: [Entry]
    private var setCount = 1
    private let maximumSets: Int
    private let vacant: Entry

    init(maximumSets: Int, vacant: Entry) {
        self.maximumSets = max(maximumSets, 1)
        self.vacant = vacant
        keys = [UInt64](repeating: 0, count: Self.ways)
        entries = [Entry](repeating: vacant, count: Self.ways)
    }

    var allocated: Int { keys.count }

    mutating func withExisting<Result: Sendable>(_ key: UInt64, _ body: (inout Entry) -> Result) -> Result? {
        let start = start(of: key)
        for place in start..<(start + Self.ways) where keys[place] == key { return body(&entries[place]) }
        return nil
    }

    mutating func withEntry<Result: Sendable>(
        _ key: UInt64, at now: Int64, _ body: (inout Entry) -> Result
    ) -> Result {
        let start = start(of: key)
        for place in start..<(start + Self.ways) where keys[place] == key { return body(&entries[place]) }
        let place = makePlace(for: key, at: now)
        keys[place] = key
        entries[place] = vacant
        return body(&entries[place])
    }

    /// A place whose entry may be overwritten.
    private mutating func makePlace(for key: UInt64, at now: Int64) -> Int {
        while true {
            let start = start(of: key)
            var (least, leastWeight) = (start, Int64.max)
            for place in start..<(start + Self.ways) {
                if keys[place] == 0 { return place }
                let weight = entries[place].weight(at: now)
                if weight < leastWeight { (least, leastWeight) = (place, weight) }
            }
            if leastWeight <= 0 || setCount >= maximumSets { return least }
            grow(at: now)
        }
    }

    /// Twice as many sets. Each set is divided into two, so that all its entries have a place.
    private mutating func grow(at now: Int64) {
        let (oldKeys, oldEntries) = (keys, entries)
        setCount *= 2
        keys = [UInt64](repeating: 0, count: setCount * Self.ways)
        entries = [Entry](repeating: vacant, count: setCount * Self.ways)
        for index in oldKeys.indices where oldKeys[index] != 0 && oldEntries[index].weight(at: now) > 0 {
            let start = start(of: oldKeys[index])
            for place in start..<(start + Self.ways) where keys[place] == 0 {
                keys[place] = oldKeys[index]
                entries[place] = oldEntries[index]
                break
            }
        }
    }

    private func start(of key: UInt64) -> Int { (Int(truncatingIfNeeded: key) & (setCount - 1)) * Self.ways }
}

extension Int {
    /// The least power of two that is not smaller.
    fileprivate var nextPowerOfTwo: Int {
        self <= 1 ? 1 : 1 << (Int.bitWidth - (self - 1).leadingZeroBitCount)
    }
}
