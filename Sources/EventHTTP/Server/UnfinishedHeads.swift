/// The heads of one loop that have begun and are not complete, oldest first, and the memory they occupy. A client can send a head
/// slowly on every connection that it may have, so their sum is bounded: beyond the limit the oldest are given up, which are
/// the least likely to be finished. A value without I/O.
struct UnfinishedHeads<Owner: AnyObject> {
    private struct Entry {
        /// Distinguishes this head from an earlier one of the same owner.
        let number: Int
        var bytes: Int
        /// Retained here alone: what has been removed must not stay in memory with what it has received.
        let owner: Owner
    }

    private let limit: Int
    private var entries: [ObjectIdentifier: Entry] = [:]
    /// In the order in which the heads began. May contain heads that have been removed since.
    private var order: [(number: Int, owner: ObjectIdentifier)] = []
    private var first = 0
    private var count = 0
    private(set) var used = 0

    init(limit: Int) { self.limit = limit }

    /// The head of `owner` occupies `bytes`.
    mutating func set(_ bytes: Int, for owner: Owner) {
        let id = ObjectIdentifier(owner)
        if let entry = entries[id] {
            used += bytes - entry.bytes
            entries[id]?.bytes = bytes
        } else {
            compact()
            count &+= 1
            entries[id] = Entry(number: count, bytes: bytes, owner: owner)
            order.append((count, id))
            used += bytes
        }
    }

    /// The head of `owner` is complete, or has been given up.
    mutating func remove(_ owner: Owner) {
        if let entry = entries.removeValue(forKey: ObjectIdentifier(owner)) { used -= entry.bytes }
    }

    /// Removes and returns the owner of the oldest head, if the limit is exceeded.
    mutating func popOldestBeyondLimit() -> Owner? {
        while used > limit, first < order.count {
            let (number, owner) = order[first]
            first += 1
            guard let entry = entries[owner], entry.number == number else { continue }
            remove(entry.owner)
            return entry.owner
        }
        return nil
    }

    /// Drops the heads that have been removed, once they are the larger part.
    private mutating func compact() {
        guard order.count > 2 * entries.count + 64 else { return }
        order = order[first...].filter { entries[$0.owner]?.number == $0.number }
        first = 0
    }
}
