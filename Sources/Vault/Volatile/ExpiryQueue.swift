/// Ids in the order in which they expire, whatever the order in which they came: values may have ends of their own.
///
/// A binary heap: no entry expires before the one above it, at half of its place. An id that expires after all others, as most do, is
/// added by one comparison; the first is removed by two for each of the heap's levels, which are 17 for 100,000 ids.
struct ExpiryQueue {
    struct Entry {
        let id: Int64
        let expiresAt: Int64
    }

    private var entries: [Entry] = []

    var count: Int { entries.count }
    /// What expires first.
    var first: Entry? { entries.first }

    mutating func add(_ id: Int64, expiringAt end: Int64) {
        entries.append(Entry(id: id, expiresAt: end))
        var place = entries.count - 1
        while place > 0 {
            let above = (place - 1) / 2
            guard entries[place].expiresAt < entries[above].expiresAt else { return }
            entries.swapAt(place, above)
            place = above
        }
    }

    /// Removes what expires first, and returns it.
    mutating func removeFirst() -> Entry? {
        guard let last = entries.popLast() else { return nil }
        guard let first = entries.first else { return last }
        entries[0] = last
        sink(from: 0)
        return first
    }

    /// Removes all ids but those for which this holds.
    mutating func keep(where isKept: (Int64) -> Bool) {
        entries = entries.filter { isKept($0.id) }
        for place in stride(from: entries.count / 2 - 1, through: 0, by: -1) { sink(from: place) }
    }

    /// Moves an entry down until none below it expires earlier.
    private mutating func sink(from start: Int) {
        var place = start
        while true {
            let below = 2 * place + 1
            guard below < entries.count else { return }
            let other = below + 1
            let isOther = other < entries.count && entries[other].expiresAt < entries[below].expiresAt
            let earlier = isOther ? other : below
            guard entries[earlier].expiresAt < entries[place].expiresAt else { return }
            entries.swapAt(place, earlier)
            place = earlier
        }
    }
}
