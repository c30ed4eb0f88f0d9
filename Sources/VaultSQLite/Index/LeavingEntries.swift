/// Entries of an index that commits have removed from memory, as long as a reader may have a state of the database from before: in that
/// their rows are there, and must be found.
///
/// Kept in two parts, so that what goes on being removed keeps nothing back: the older one is dropped once all readers see its last
/// change, and then the newer one takes its place. So there is no more than was removed during two transactions of a reader: less than
/// 100 bytes for each entry, and each removal has made the log grow by pages that stay as long for the same reader.
struct LeavingEntries {
    private struct Part {
        var lastChange = 0
        var places: [UInt64: [Int64]] = [:]
    }

    private var older = Part()
    private var newer = Part()

    var isEmpty: Bool { older.places.isEmpty && newer.places.isEmpty }

    /// The places of entries with this hash.
    func places(of hash: UInt64) -> [Int64] {
        isEmpty ? [] : (older.places[hash] ?? []) + (newer.places[hash] ?? [])
    }

    /// - Parameter change: by which it was removed (`SnapshotGate`).
    mutating func add(_ entry: IndexEntry, at change: Int) {
        newer.places[entry.hash, default: []].append(entry.place)
        newer.lastChange = change
    }

    /// Drops what no reader needs any more.
    mutating func drop(_ isSeen: (_ change: Int) -> Bool) {
        guard isSeen(older.lastChange) else { return }
        older = isSeen(newer.lastChange) ? Part() : newer
        newer = Part()
    }
}
