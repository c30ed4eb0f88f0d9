/// How long data keys that were removed must stay in memory: as long as a call is under way that began before. It may have read a row
/// under such a key, from a state of the store before the removal, and not opened it yet.
///
/// Calls are counted by how many keys had been removed when they began. One that begins later reads no row under a removed key. So a
/// key is held for as long as the calls that were under way at its removal take, and no longer.
struct KeyUses: Sendable {
    private struct Removal {
        let key: Int64
        /// Calls under way that began before it, and behind the removal before it.
        var calls: Int
    }

    /// Those whose keys are still needed, oldest first, and how many there were before them.
    private var removals: [Removal] = []
    private var passed = 0
    /// Calls under way that began behind the last removal.
    private var calls = 0

    /// Counts a call. Returns what `end` is to be told.
    mutating func begin() -> Int {
        calls += 1
        return passed + removals.count
    }

    /// Ends a call. Returns the removed keys that none needs any more.
    mutating func end(_ beginning: Int) -> [Int64] {
        let index = beginning - passed
        guard removals.indices.contains(index) else {
            calls -= 1
            return []
        }
        removals[index].calls -= 1
        return unneeded()
    }

    /// Notes that a key was removed from the store. Returns the removed keys that no call needs.
    mutating func remove(_ key: Int64) -> [Int64] {
        removals.append(Removal(key: key, calls: calls))
        calls = 0
        return unneeded()
    }

    private mutating func unneeded() -> [Int64] {
        let ended = removals.prefix { $0.calls == 0 }
        passed += ended.count
        defer { removals.removeFirst(ended.count) }
        return ended.map(\.key)
    }
}
