/// How far the merging of the indexes has come, and the highest ids that were given out: the one row of its table.
///
/// Merging goes round the buckets. At the beginning of a round the last ids are noted as marks; at its end all rows up to the marks are
/// merged, which makes them the floors: what `RecentRows` has of them is not needed any more.
struct MergeState: Sendable, Equatable {
    /// Ids by `RowKind`.
    struct Ids: Sendable, Equatable {
        private var ids: [Int64] = [0, 0, 0]

        subscript(kind: RowKind) -> Int64 {
            get { ids[kind.rawValue] }
            set { ids[kind.rawValue] = newValue }
        }
    }

    /// The next bucket to be merged.
    var bucket = 0
    /// Rows up to these ids are merged.
    var floors = Ids()
    /// The last ids when the round began.
    var marks = Ids()
    /// Ids that were given out; the ids of rows may be higher. They are never given out again, whatever was deleted.
    var last = Ids()

    static let schema = """
        CREATE TABLE merge_state (
            id INTEGER PRIMARY KEY CHECK (id = 1), hash_key BLOB NOT NULL, bucket INTEGER NOT NULL,
            value_floor INTEGER NOT NULL, alias_floor INTEGER NOT NULL, response_floor INTEGER NOT NULL,
            value_mark INTEGER NOT NULL, alias_mark INTEGER NOT NULL, response_mark INTEGER NOT NULL,
            value_last INTEGER NOT NULL, alias_last INTEGER NOT NULL, response_last INTEGER NOT NULL);
        INSERT INTO merge_state VALUES (1, randomblob(16), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
        """

    init() {}

    /// Reads the row.
    init(_ connection: SQLiteConnection) throws(SQLiteFailure) {
        let columns = RowKind.allCases.map { "\($0.table)_floor, \($0.table)_mark, \($0.table)_last" }
        let select = try connection.prepare("SELECT bucket, \(columns.joined(separator: ", ")) FROM merge_state")
        defer { select.reset() }
        guard try select.step() else { throw .malformed }
        bucket = Int(select.integer(0))
        guard bucket >= 0, bucket < YoungIndex.buckets else { throw .malformed }
        for kind in RowKind.allCases {
            floors[kind] = select.integer(Int32(kind.rawValue * 3 + 1))
            marks[kind] = select.integer(Int32(kind.rawValue * 3 + 2))
            last[kind] = select.integer(Int32(kind.rawValue * 3 + 3))
            for ids in [floors, marks, last] where !(0..<Int64(IndexEntry.limit)).contains(ids[kind]) {
                throw .malformed
            }
        }
    }

    /// The statement for `write`.
    static func update(_ connection: SQLiteConnection) throws(SQLiteFailure) -> SQLiteStatement {
        let columns = RowKind.allCases.enumerated().map { number, kind in
            "\(kind.table)_floor = ?\(number * 3 + 2), \(kind.table)_mark = ?\(number * 3 + 3), "
                + "\(kind.table)_last = ?\(number * 3 + 4)"
        }
        return try connection.prepare("UPDATE merge_state SET bucket = ?1, \(columns.joined(separator: ", "))")
    }

    /// Writes the row.
    func write(_ update: SQLiteStatement) throws(SQLiteFailure) {
        update.bind(Int64(bucket), at: 1)
        for kind in RowKind.allCases {
            update.bind(floors[kind], at: Int32(kind.rawValue * 3 + 2))
            update.bind(marks[kind], at: Int32(kind.rawValue * 3 + 3))
            update.bind(last[kind], at: Int32(kind.rawValue * 3 + 4))
        }
        try update.run()
    }

    /// Goes on by so many buckets, and into the next round after the last one.
    mutating func advance(_ count: Int) {
        bucket += count
        guard bucket >= YoungIndex.buckets else { return }
        bucket = 0
        floors = marks
        marks = last
    }

    /// Whether the entry of a row of this kind, by its id and hash, is merged.
    func merged(_ kind: RowKind) -> (_ id: Int64, _ hash: UInt64) -> Bool {
        let (floor, mark, bucket) = (floors[kind], marks[kind], bucket)
        return { id, hash in id <= floor || id <= mark && YoungIndex.bucket(hash) < bucket }
    }
}
