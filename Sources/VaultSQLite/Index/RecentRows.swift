/// The index hashes of the rows that may not be merged yet, stored by the rows' ids: from them the young indexes are made again at
/// start, without a look at the rows. They are written in the transaction of the rows themselves: a block, of a page, for each few
/// hundred rows.
///
/// Belongs to the writer.
final class RecentRows {
    /// Rows of a block.
    static let rows: Int64 = 384
    private static let hashSize = 5
    private static let maximumBlock: Int64 = 1 << 40

    private let selectBlock: SQLiteStatement
    private let writeBlock: SQLiteStatement
    private let deleteBlocks: SQLiteStatement
    private let selectAll: SQLiteStatement
    /// The block that was changed last, which mostly is changed next. Its id is no key of `blocks`; -1 for none.
    private var openID: Int64 = -1
    private var open: [UInt8] = []
    /// Other blocks by their ids: those that the transaction has changed, and the newest ones.
    private var blocks: [Int64: [UInt8]] = [:]
    /// Blocks that the transaction has changed.
    private var changed: Set<Int64> = []

    static let schema = "CREATE TABLE recent (id INTEGER PRIMARY KEY, hashes BLOB NOT NULL);"

    init(_ connection: SQLiteConnection) throws(SQLiteFailure) {
        selectBlock = try connection.prepare("SELECT hashes FROM recent WHERE id = ?1")
        writeBlock = try connection.prepare("INSERT OR REPLACE INTO recent (id, hashes) VALUES (?1, ?2)")
        deleteBlocks = try connection.prepare(
            "DELETE FROM recent WHERE id IN (SELECT id FROM recent WHERE id >= ?1 AND id < ?2 ORDER BY id LIMIT ?3)")
        selectAll = try connection.prepare("SELECT id, hashes FROM recent WHERE id >= ?1 AND id < ?2 ORDER BY id")
    }

    /// Stores the hash of a row for one of its indexes; 0 if the row no longer has one. Into a block that is not there only if it is for
    /// a new row.
    func set(_ hash: UInt64, _ index: StoreIndex, _ row: RowPlace, isNew: Bool) throws(SQLiteFailure) {
        let id = Self.block(row)
        guard let position = row.kind.indexes.firstIndex(of: index) else { return }
        if id != openID {
            guard let block = try take(id, row.kind, isNew: isNew) else { return }
            closeBlock()
            (openID, open) = (id, block)
            changed.insert(id)
        }
        FiveBytes.write(hash, to: &open, at: Self.offset(row, position))
    }

    private func closeBlock() {
        if openID >= 0 { blocks[openID] = open }
        (openID, open) = (-1, [])
    }

    /// Writes what was changed, before the commit.
    func write() throws(SQLiteFailure) {
        guard !changed.isEmpty else { return }
        closeBlock()
        for id in changed {
            guard let block = blocks[id] else { continue }
            writeBlock.bind(id, at: 1)
            writeBlock.bind(block, at: 2)
            try writeBlock.run()
        }
        changed.removeAll(keepingCapacity: true)
        // The newest of each kind are the next to be changed.
        if blocks.count > RowKind.allCases.count {
            let newest = Set(RowKind.allCases.compactMap { kind in blocks.keys.filter { Self.kind($0) == kind }.max() })
            blocks = blocks.filter { newest.contains($0.key) }
        }
    }

    /// Forgets what was not committed.
    func forget() {
        (openID, open) = (-1, [])
        blocks.removeAll()
        changed.removeAll()
    }

    /// Removes up to `limit` blocks all of whose rows have ids up to `floor`.
    func drop(_ kind: RowKind, upTo floor: Int64, limit: Int64) throws(SQLiteFailure) {
        let first = Self.first(kind)
        deleteBlocks.bind(first, at: 1)
        deleteBlocks.bind(first + (floor + 1) / Self.rows, at: 2)
        deleteBlocks.bind(limit, at: 3)
        try deleteBlocks.run()
    }

    /// Calls `visit` with the rows of a block that have a hash in an index, block after block: in their order, at most `rows` at once.
    func visit(_ visit: (RowKind, StoreIndex, [(id: Int64, hash: UInt64)]) -> Void) throws(SQLiteFailure) {
        for kind in RowKind.allCases {
            selectAll.bind(Self.first(kind), at: 1)
            selectAll.bind(Self.first(kind) + Self.maximumBlock, at: 2)
            defer { selectAll.reset() }
            let indexes = kind.indexes
            while try selectAll.step() {
                let start = (selectAll.integer(0) - Self.first(kind)) * Self.rows
                let isWhole = selectAll.withBytes(1) { bytes in
                    guard bytes.count == Self.size(kind) else { return false }
                    for (position, index) in indexes.enumerated() {
                        visit(kind, index, Self.hashes(bytes, from: start, position, of: indexes.count))
                    }
                    return true
                }
                guard isWhole else { throw .malformed }
            }
        }
    }

    private static func hashes(
        _ bytes: UnsafeRawBufferPointer, from start: Int64, _ position: Int, of indexes: Int
    ) -> [(id: Int64, hash: UInt64)] {
        var found: [(id: Int64, hash: UInt64)] = []
        found.reserveCapacity(Int(rows))
        for number in 0..<Int(rows) {
            let hash = FiveBytes.read(bytes, at: (number * indexes + position) * hashSize)
            if hash != 0 { found.append((start + Int64(number), hash)) }
        }
        return found
    }

    private func take(_ id: Int64, _ kind: RowKind, isNew: Bool) throws(SQLiteFailure) -> [UInt8]? {
        // Taken out of the dictionary, so that it is changed in its place.
        if let block = blocks.removeValue(forKey: id) { return block }
        selectBlock.bind(id, at: 1)
        defer { selectBlock.reset() }
        if try selectBlock.step() {
            let block = selectBlock.bytes(0)
            guard block.count == Self.size(kind) else { throw .malformed }
            return block
        }
        return isNew ? [UInt8](repeating: 0, count: Self.size(kind)) : nil
    }

    private static func size(_ kind: RowKind) -> Int { Int(rows) * hashSize * kind.indexes.count }
    private static func first(_ kind: RowKind) -> Int64 { Int64(kind.rawValue) * maximumBlock }
    private static func kind(_ block: Int64) -> RowKind? { RowKind(rawValue: Int(block / maximumBlock)) }
    private static func block(_ row: RowPlace) -> Int64 { first(row.kind) + row.id / rows }
    private static func offset(_ row: RowPlace, _ position: Int) -> Int {
        (Int(row.id % rows) * row.kind.indexes.count + position) * hashSize
    }
}
