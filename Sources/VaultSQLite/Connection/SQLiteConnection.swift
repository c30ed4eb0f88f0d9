import CDatabaseFile
import CSQLite
import Synchronization

/// One connection. Not for two threads at a time: it is opened without SQLite's own locks and belongs to the thread
/// that works with it.
final class SQLiteConnection {
    /// Done once, by the first connection of the process; too late, and without effect, if somebody else came first.
    private static let isConfigured = cloakroom_sqlite_without_statistics() == SQLITE_OK

    /// How long a statement waits for a lock, in milliseconds.
    static let busyTimeout: Int32 = 2_000

    private let database: OpaquePointer
    private var files: DatabaseFiles
    private var logSize: LogSize?

    /// As many pages as a database may have so that all that is deleted can be wiped.
    static let maximumPages = Int(CLOAKROOM_MAXIMUM_PAGES)

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
        _ = cloakroom_sqlite_keep_memory(database)
        let wipes = cloakroom_wipe_pages(database)
        guard wipes == SQLITE_OK else {
            sqlite3_close_v2(database)
            throw SQLiteFailure(code: wipes)
        }
        files = DatabaseFiles(path: path)
        sqlite3_busy_timeout(database, Self.busyTimeout)
        _ = cloakroom_sqlite_keep_log(database, 1)
    }

    deinit {
        sqlite3_close_v2(database)
    }

    /// Throws if the database or its log is not where it was any more.
    func requireFilesInPlace() throws(SQLiteFailure) {
        guard files.areInPlace() else { throw SQLiteFailure(code: SQLiteFailure.moved) }
    }

    /// Whether a transaction is open.
    var isInTransaction: Bool { sqlite3_get_autocommit(database) == 0 }

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

    /// How a checkpoint is made.
    enum Checkpoint {
        /// Moves what it can while others write and read.
        case passive
        /// Moves everything, so that the next commit begins the log from its start.
        case restart
        /// Moves everything and cuts the log to nothing.
        case truncate

        fileprivate var mode: Int32 {
            switch self {
            case .passive: SQLITE_CHECKPOINT_PASSIVE
            case .restart: SQLITE_CHECKPOINT_RESTART
            case .truncate: SQLITE_CHECKPOINT_TRUNCATE
            }
        }
    }

    /// Moves pages of the log into the database, synced. Returns how many are left.
    func checkpoint(_ checkpoint: Checkpoint) throws(SQLiteFailure) -> Int {
        var pages: Int32 = 0
        var moved: Int32 = 0
        let result = sqlite3_wal_checkpoint_v2(database, nil, checkpoint.mode, &pages, &moved)
        guard result == SQLITE_OK else { throw SQLiteFailure(code: result) }
        return max(0, Int(pages) - Int(moved))
    }

    /// How long a statement waits for a lock, in milliseconds.
    func setBusyTimeout(_ milliseconds: Int32) { sqlite3_busy_timeout(database, milliseconds) }

    /// Calls `note` after each commit with the pages that are in the log. In place of SQLite's own checkpoints.
    func noteLogPages(_ size: LogSize) {
        logSize = size
        // Sound: the connection keeps `size` for as long as it is open.
        sqlite3_wal_hook(
            database,
            { context, _, _, pages in
                if let context { Unmanaged<LogSize>.fromOpaque(context).takeUnretainedValue().note(Int(pages)) }
                return SQLITE_OK
            }, Unmanaged.passUnretained(size).toOpaque())
    }

    /// Runs statements, and calls `watch` again and again while they run.
    func watch(
        _ watch: () -> Void, during work: () throws(SQLiteFailure) -> Void
    ) throws(SQLiteFailure) {
        try withoutActuallyEscaping(watch) { (watch) throws(SQLiteFailure) in
            let watcher = Watcher(watch)
            // Sound: `watcher` is retained until the handler is taken away again. 100,000 steps are some milliseconds.
            sqlite3_progress_handler(
                database, 100_000,
                { context in
                    if let context { Unmanaged<Watcher>.fromOpaque(context).takeUnretainedValue().watch() }
                    return 0
                }, Unmanaged.passUnretained(watcher).toOpaque())
            defer {
                sqlite3_progress_handler(database, 0, nil, nil)
                withExtendedLifetime(watcher) {}
            }
            try work()
        }
    }

    private final class Watcher {
        let watch: () -> Void
        init(_ watch: @escaping () -> Void) { self.watch = watch }
    }

    /// Lets closing move the log into the database. Not so from the start: a vault that is refused, for a wrong master
    /// key say, is to be left exactly as it was found.
    func moveLogOnClose() {
        _ = cloakroom_sqlite_keep_log(database, 0)
    }

    /// Lets closing leave the log as it is.
    func leaveLogOnClose() {
        _ = cloakroom_sqlite_keep_log(database, 1)
    }
}

/// How many pages the log has.
final class LogSize: Sendable {
    private let current = Atomic(0)

    init() {}

    var pages: Int { current.load(ordering: .relaxed) }

    func note(_ pages: Int) { current.store(pages, ordering: .relaxed) }
}
