/// The indexes as the writer changes them, in step with its transaction: what is added can be found at once and is taken back with the
/// request or the batch; what is removed leaves the database with the transaction, and memory once no reader has a state from before its
/// commit.
final class IndexWriter {
    private struct Change {
        let index: StoreIndex
        let entry: IndexEntry
        /// Whether the entry was removed, not added.
        let isRemoval: Bool
    }

    let reader: IndexReader
    private let recent: RecentRows
    private let connection: SQLiteConnection
    private let updateState: SQLiteStatement
    /// What the transaction has done, in order.
    private var changes: [Change] = []
    private var changesBeforeRequest = 0
    /// Whether memory holds entries for readers that were removed.
    private var hasLeaving = false
    private var state: MergeState
    /// Whether the highest ids must be stored: a row with a high one was deleted.
    private var storesIds = false
    /// After so many new rows all buckets have been merged once: as many are young at the most.
    private let roundRows: Int
    /// Rows added since as many buckets were merged as are due for them.
    private var unmergedRows = 0
    /// Of the tables, however far the transaction got.
    private var last = MergeState.Ids()

    /// Reads what is recent into the young indexes, which must be empty.
    init(_ shared: SharedIndexes, _ connection: SQLiteConnection, roundRows: Int) throws(SQLiteFailure) {
        self.connection = connection
        self.roundRows = max(1, roundRows)
        reader = try IndexReader(shared, connection, isWriter: true)
        recent = try RecentRows(connection)
        updateState = try MergeState.update(connection)
        let state = try MergeState(connection)
        self.state = state
        for kind in RowKind.allCases {
            // Only a row that was changed has an id beyond the limit. It must not become the last id: none could be given out after it.
            let highest = try connection.number("SELECT max(id) FROM \(kind.table) WHERE id < \(Self.idLimit)")
            last[kind] = max(state.last[kind], highest)
        }
        try recent.visit { kind, index, rows in
            let isMerged = state.merged(kind)
            let entries = rows.lazy.filter { !isMerged($0.id, $0.hash) }.map {
                IndexEntry(hash: $0.hash, place: RowPlace(kind, $0.id).number(in: index))
            }
            shared.young(index).add(entries)
        }
    }

    /// The last id that was given out for a row of the table.
    func last(_ kind: RowKind) -> Int64 { last[kind] }

    /// Ids are below this: a place in an index is twice an id, and one.
    private static let idLimit = Int64(IndexEntry.limit) / 2

    /// An id that no row of the table has had; `nil` if there are none left.
    func nextId(_ kind: RowKind) -> Int64? {
        guard last[kind] < Self.idLimit - 1 else { return nil }
        last[kind] += 1
        return last[kind]
    }

    /// Notes an id that was given out by an earlier format.
    func note(_ id: Int64, _ kind: RowKind) {
        if id < Self.idLimit { last[kind] = max(last[kind], id) }
    }

    // MARK: Changes

    func add(_ index: StoreIndex, _ hash: UInt64, _ row: RowPlace) throws(SQLiteFailure) {
        let entry = IndexEntry(hash: hash, place: row.number(in: index))
        reader.filter(index)?.add(hash)
        // An old row with a new hash. A start takes all hashes of such rows for merged: so it must be.
        if state.merged(row.kind)(row.id, hash) { return try reader.merged(index).merge([entry]) }
        reader.shared.young(index).add(entry)
        changes.append(Change(index: index, entry: entry, isRemoval: false))
        try recent.set(hash, index, row, isNew: true)
    }

    func remove(_ index: StoreIndex, _ hash: UInt64, _ row: RowPlace) throws(SQLiteFailure) {
        let entry = IndexEntry(hash: hash, place: row.number(in: index))
        changes.append(Change(index: index, entry: entry, isRemoval: true))
        try reader.merged(index).remove(entry)
        if row.id > state.floors[row.kind] { try recent.set(0, index, row, isNew: false) }
        // Ids above this are known from the rows alone.
        if row.id > state.last[row.kind] { storesIds = true }
    }

    /// Whether the transaction has removed the entry, which can be found until its commit.
    func hasRemoved(_ index: StoreIndex, _ entry: IndexEntry) -> Bool {
        changes.contains { $0.isRemoval && $0.index == index && $0.entry == entry }
    }

    // MARK: The bounds of requests and transactions

    func beginRequest() { changesBeforeRequest = changes.count }

    /// Takes back what the request has added and removed, in memory; its rows come back with the savepoint. The last change first: several
    /// may be of one row, and the oldest tells what there was before.
    func takeBackRequest() throws(SQLiteFailure) {
        for change in changes[changesBeforeRequest...].reversed() {
            let row = RowPlace(change.entry.place, in: change.index)
            if !change.isRemoval {
                reader.shared.young(change.index).remove(change.entry)
                try recent.set(0, change.index, row, isNew: false)
            } else if row.id > state.floors[row.kind] {
                try recent.set(change.entry.hash, change.index, row, isNew: false)
            }
        }
        changes.removeSubrange(changesBeforeRequest...)
    }

    /// Stores, before the commit, what goes with it.
    func prepareCommit() throws(SQLiteFailure) {
        try recent.write()
        guard storesIds else { return }
        var next = state
        next.last = last
        try next.write(updateState)
    }

    func committed() {
        unmergedRows += changes.lazy.filter { !$0.isRemoval && $0.index != .fingerprint }.count
        removeFromMemory()
        if storesIds { state.last = last }
        end()
    }

    /// Readers find what was removed as long as they may need it.
    private func removeFromMemory() {
        let (removed, gate) = (removedEntries(), reader.shared.gate)
        if !removed.isEmpty {
            let change = gate.changed()
            for (index, entries) in removed { reader.shared.young(index).remove(entries, at: change) }
            hasLeaving = true
        }
        guard hasLeaving else { return }
        hasLeaving = StoreIndex.allCases.map { reader.shared.young($0).dropLeaving(gate) }.contains(true)
    }

    /// What the transaction has removed and not added again behind that.
    private func removedEntries() -> [StoreIndex: Set<IndexEntry>] {
        guard changes.contains(where: \.isRemoval) else { return [:] }
        var removed: [StoreIndex: Set<IndexEntry>] = [:]
        for change in changes {
            if change.isRemoval {
                removed[change.index, default: []].insert(change.entry)
            } else {
                removed[change.index]?.remove(change.entry)
            }
        }
        return removed
    }

    /// Takes back what the transaction has added.
    func rolledBack() {
        for change in changes where !change.isRemoval { reader.shared.young(change.index).remove(change.entry) }
        recent.forget()
        end()
    }

    private func end() {
        changes.removeAll(keepingCapacity: true)
        changesBeforeRequest = 0
        storesIds = false
    }

    // MARK: Merging

    /// Buckets of one transaction.
    private static let sliceLimit = 8

    /// Merges the next buckets if that is due, in a transaction of its own; whether more are due. Without a sync: what a power cut takes
    /// of it is in `RecentRows` still, and the log before it is whole.
    func mergeSlice() throws(SQLiteFailure) -> Bool {
        let due = unmergedRows * YoungIndex.buckets / roundRows
        guard due > 0, reader.shared.gate.isLastMergeSeen else { return false }
        let count = min(due, Self.sliceLimit, YoungIndex.buckets - state.bucket)
        // One at least: else short rounds would never be through.
        let rest = unmergedRows - max(1, count * roundRows / YoungIndex.buckets)
        // If it fails, it is tried again after some more rows.
        unmergedRows = 0
        try merge(state.bucket..<(state.bucket + count))
        unmergedRows = max(0, rest)
        return due > count
    }

    private func merge(_ buckets: Range<Int>) throws(SQLiteFailure) {
        var next = state
        next.last = last
        next.advance(buckets.count)
        do throws(SQLiteFailure) {
            try connection.execute("PRAGMA synchronous = NORMAL; BEGIN IMMEDIATE")
            for index in StoreIndex.allCases {
                try reader.merged(index).merge(reader.shared.young(index).sorted(buckets))
                try makeFilter(index, buckets)
            }
            // More than a bucket's share of the blocks: a round drops all that the one before it has left.
            let limit = Int64(buckets.count) + 3
            for kind in RowKind.allCases { try recent.drop(kind, upTo: next.floors[kind], limit: limit) }
            try next.write(updateState)
            try connection.execute("COMMIT; PRAGMA synchronous = FULL")
        } catch {
            if connection.isInTransaction { try? connection.execute("ROLLBACK") }
            // Without it commits would not be synced: the connection must not be used on.
            do { try connection.execute("PRAGMA synchronous = FULL") } catch { throw error.uncertain }
            throw error
        }
        state = next
        reader.shared.gate.merged()
        for index in StoreIndex.allCases { reader.shared.young(index).retire(buckets) }
    }

    /// Between transactions, so that all entries of these buckets are in the database now. If the merge is taken back, they are young
    /// again, and the bits are still theirs.
    private func makeFilter(_ index: StoreIndex, _ buckets: Range<Int>) throws(SQLiteFailure) {
        guard let filter = reader.filter(index) else { return }
        for bucket in buckets where filter.isDue(bucket) {
            let range = YoungIndex.hashes(of: bucket)
            let hashes = try reader.merged(index).hashes(in: range, limit: IndexFilter.maximumEntries)
            filter.make(bucket, from: hashes)
        }
    }
}
