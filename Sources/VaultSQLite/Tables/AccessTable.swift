import Vault

/// The table of rows about callers (`AccessRecord`). Unlike values they are few: only of sessions whose requests are counted, of
/// sessions that were ended early, and of guesses; so that an ordinary primary key does.
enum AccessTable {
    static let schema =
        """
        CREATE TABLE IF NOT EXISTS access (
            kind INTEGER NOT NULL, name BLOB NOT NULL, content BLOB NOT NULL, forgotten_at INTEGER NOT NULL,
            recorded_at INTEGER NOT NULL, PRIMARY KEY (kind, name)) WITHOUT ROWID;
        CREATE INDEX IF NOT EXISTS access_expiry ON access (forgotten_at);
        CREATE INDEX IF NOT EXISTS access_time ON access (kind, recorded_at) WHERE kind <> 1;
        """

    /// Unix milliseconds, to the second.
    static let now = "CAST(strftime('%s', 'now') AS INTEGER) * 1000"
}

/// The statements on the table.
struct AccessStatements {
    let select: SQLiteStatement
    let selectAll: SQLiteStatement
    let selectNew: SQLiteStatement
    let now: SQLiteStatement
    let insert: SQLiteStatement
    let update: SQLiteStatement
    let selectOld: SQLiteStatement
    let delete: SQLiteStatement

    init(_ connection: SQLiteConnection) throws(SQLiteFailure) {
        let columns = "kind, name, content, forgotten_at"
        select = try connection.prepare("SELECT \(columns) FROM access WHERE kind = ?1 AND name = ?2")
        selectAll = try connection.prepare("SELECT \(columns) FROM access WHERE kind = ?1")
        selectNew = try connection.prepare("SELECT \(columns) FROM access WHERE kind = ?1 AND recorded_at >= ?2")
        now = try connection.prepare("SELECT \(AccessTable.now)")
        insert = try connection.prepare(
            "INSERT INTO access (\(columns), recorded_at) VALUES (?1, ?2, ?3, ?4, \(AccessTable.now))")
        update = try connection.prepare(
            "UPDATE access SET content = ?3, forgotten_at = ?4 WHERE kind = ?1 AND name = ?2")
        selectOld = try connection.prepare("SELECT kind, name FROM access WHERE forgotten_at <= ?1 LIMIT ?2")
        delete = try connection.prepare("DELETE FROM access WHERE kind = ?1 AND name = ?2")
    }
}
