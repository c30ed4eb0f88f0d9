/// The indexes as one connection reads them.
struct IndexReader {
    let shared: SharedIndexes
    private let merged: [MergedIndex]
    /// What is in none of both parts. Only the writer knows.
    private let filters: [IndexFilter]

    init(_ shared: SharedIndexes, _ connection: SQLiteConnection, isWriter: Bool) throws(SQLiteFailure) {
        self.shared = shared
        filters = isWriter ? StoreIndex.allCases.map { _ in IndexFilter() } : []
        var merged: [MergedIndex] = []
        for index in StoreIndex.allCases { merged.append(try MergedIndex(connection, table: index.table)) }
        self.merged = merged
    }

    /// The part in the database.
    func merged(_ index: StoreIndex) -> MergedIndex { merged[index.rawValue] }

    /// What the writer knows not to be in an index.
    func filter(_ index: StoreIndex) -> IndexFilter? { filters.isEmpty ? nil : filters[index.rawValue] }

    /// The first of the places with this hash whose row is the right one. First those in memory, which mostly are asked for again.
    func first<Row>(
        _ index: StoreIndex, _ hash: UInt64, _ row: (Int64) throws(SQLiteFailure) -> Row?
    ) throws(SQLiteFailure) -> Row? {
        if let filter = filter(index), filter.excludes(hash) { return nil }
        // The writer sees its own state, in which what was removed has gone.
        let young = shared.young(index).places(of: hash, withLeaving: filters.isEmpty)
        for place in young { if let found = try row(place) { return found } }
        for place in try merged(index).places(of: hash) { if let found = try row(place) { return found } }
        return nil
    }
}
