/// The part of an index that is in the database: a table of leaves. Each holds, in order, the entries whose hashes lie between its id
/// and the id of the next one; the tree over them is SQLite's. The first leaf has id 0, so that every hash has a leaf.
///
/// Belongs to one connection and its thread.
struct MergedIndex {
    private let selectLeaf: SQLiteStatement
    private let selectLeaves: SQLiteStatement
    private let selectNext: SQLiteStatement
    private let writeLeaf: SQLiteStatement

    init(_ connection: SQLiteConnection, table: String) throws(SQLiteFailure) {
        selectLeaf = try connection.prepare(
            "SELECT id, entries FROM \(table) WHERE id <= ?1 ORDER BY id DESC LIMIT 1")
        selectLeaves = try connection.prepare(
            """
            SELECT entries FROM \(table) WHERE id >= (SELECT max(id) FROM \(table) WHERE id <= ?1) AND id < ?2
            """)
        selectNext = try connection.prepare("SELECT id FROM \(table) WHERE id > ?1 ORDER BY id LIMIT 1")
        writeLeaf = try connection.prepare("INSERT OR REPLACE INTO \(table) (id, entries) VALUES (?1, ?2)")
    }

    /// The SQL for such a table, with its first leaf.
    static func schema(table: String) -> String {
        """
        CREATE TABLE \(table) (id INTEGER PRIMARY KEY, entries BLOB NOT NULL);
        INSERT INTO \(table) (id, entries) VALUES (0, zeroblob(\(IndexLeaf.size)));
        """
    }

    /// The places of entries with this hash.
    func places(of hash: UInt64) throws(SQLiteFailure) -> [Int64] {
        selectLeaf.bind(Int64(hash), at: 1)
        defer { selectLeaf.reset() }
        guard try selectLeaf.step() else { throw .malformed }
        guard let places = selectLeaf.withBytes(1, { IndexLeaf.places(of: hash, in: $0) }) else { throw .malformed }
        return places
    }

    /// The hashes in a range that have an entry: all of them, unless there are more than `limit`.
    func hashes(in range: Range<UInt64>, limit: Int) throws(SQLiteFailure) -> [UInt64] {
        selectLeaves.bind(Int64(range.lowerBound), at: 1)
        selectLeaves.bind(Int64(range.upperBound), at: 2)
        defer { selectLeaves.reset() }
        var hashes: [UInt64] = []
        while hashes.count <= limit, try selectLeaves.step() {
            guard let entries = selectLeaves.withBytes(0, IndexLeaf.entries) else { throw .malformed }
            for entry in entries where range.contains(entry.hash) { hashes.append(entry.hash) }
        }
        return hashes
    }

    /// Adds entries, which are in order. Those that are there already stay as they are.
    func merge(_ entries: [IndexEntry]) throws(SQLiteFailure) {
        var rest = entries[...]
        while let first = rest.first {
            let (id, old) = try leaf(first.hash)
            let end = try nextLeaf(after: id)
            let mine = rest.prefix { $0.hash < end }
            // A leaf out of order: this would go on for ever.
            guard !mine.isEmpty else { throw .malformed }
            rest = rest[mine.endIndex...]
            let merged = IndexLeaf.merge(old, mine)
            if merged.count == old.count { continue }
            for part in IndexLeaf.parts(merged) {
                guard part.count <= IndexLeaf.capacity else { throw .malformed }
                try write(part.lowerBound == 0 ? id : Int64(merged[part.lowerBound].hash), merged[part])
            }
        }
    }

    /// Removes an entry, if it is there.
    func remove(_ entry: IndexEntry) throws(SQLiteFailure) {
        let (id, entries) = try leaf(entry.hash)
        guard let index = entries.firstIndex(of: entry) else { return }
        var rest = entries
        rest.remove(at: index)
        try write(id, rest[...])
    }

    private func leaf(_ hash: UInt64) throws(SQLiteFailure) -> (id: Int64, entries: [IndexEntry]) {
        selectLeaf.bind(Int64(hash), at: 1)
        defer { selectLeaf.reset() }
        guard try selectLeaf.step(), let entries = selectLeaf.withBytes(1, IndexLeaf.entries) else { throw .malformed }
        return (selectLeaf.integer(0), entries)
    }

    private func nextLeaf(after id: Int64) throws(SQLiteFailure) -> UInt64 {
        selectNext.bind(id, at: 1)
        defer { selectNext.reset() }
        return try selectNext.step() ? UInt64(bitPattern: selectNext.integer(0)) : IndexEntry.limit
    }

    private func write(_ id: Int64, _ entries: ArraySlice<IndexEntry>) throws(SQLiteFailure) {
        writeLeaf.bind(id, at: 1)
        writeLeaf.bind(IndexLeaf.bytes(entries), at: 2)
        try writeLeaf.run()
    }
}
