import CSQLite

/// One connection. Not for two threads at a time: it is opened without SQLite's own locks and belongs to the thread
/// that works with it.
final class SQLiteConnection {
    /// Done once, by the first connection of the process; too late, and without effect, if somebody else came first.
    private static let isConfigured = cloakroom_sqlite_without_statistics() == SQLITE_OK

    private let database: OpaquePointer
    private var files: DatabaseFiles

    /// Opens an existing file; the vault creates its file itself, with the mode that it wants.
    init(path: String) throws(SQLiteFailure) {
        _ = Self.isConfigured
        var database: OpaquePointer?
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
        let result = sqlite3_open_v2(path, &database, flags, nil)
        guard result == SQLITE_OK, let database else {
            sqlite3_close_v2(database)
            throw SQLiteFailure(code: result == SQLITE_OK ? SQLITE_NOMEM : result)
        }
        self.database = database
        files = DatabaseFiles(path: path)
        sqlite3_busy_timeout(database, 2_000)
        _ = cloakroom_sqlite_keep_log(database, 1)
    }

    deinit {
        sqlite3_close_v2(database)
    }

    /// Throws if the database or its log is not where it was any more.
    func demandFilesInPlace() throws(SQLiteFailure) {
        guard files.areInPlace() else { throw SQLiteFailure(code: SQLiteFailure.moved) }
    }

    /// Whether a transaction is open.
    var isInTransaction: Bool { sqlite3_get_autocommit(database) == 0 }

    /// Rows changed by the last statement.
    var changes: Int { Int(sqlite3_changes(database)) }

    /// Runs statements without parameters.
    func execute(_ sql: String) throws(SQLiteFailure) {
        let result = sqlite3_exec(database, sql, nil, nil, nil)
        guard result == SQLITE_OK else { throw SQLiteFailure(code: result) }
    }

    /// A statement that is kept for as long as the connection.
    func prepare(_ sql: String) throws(SQLiteFailure) -> SQLiteStatement {
        var statement: OpaquePointer?
        let result = sqlite3_prepare_v3(database, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil)
        guard result == SQLITE_OK, let statement else { throw SQLiteFailure(code: result) }
        return SQLiteStatement(statement, of: self)
    }

    /// The first column of the first row, as a number; 0 if there is no row.
    func number(_ sql: String) throws(SQLiteFailure) -> Int64 {
        let statement = try prepare(sql)
        defer { statement.reset() }
        return try statement.step() ? statement.integer(0) : 0
    }

    /// Lets closing move the log into the database. Not so from the start: a vault that is refused, for a wrong master
    /// key say, is to be left exactly as it was found.
    func moveLogOnClose() {
        _ = cloakroom_sqlite_keep_log(database, 0)
    }
}
