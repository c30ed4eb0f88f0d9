import CSQLite
import Vault

/// A result code of SQLite that is not success. Its message never contains bound values: SQLite's own messages are left
/// out because those of constraint failures and syntax errors may quote text.
struct SQLiteFailure: Error {
    /// The code for a transaction that ended without a reason.
    static let aborted = SQLITE_ABORT
    /// The code for a database whose file was removed or exchanged (`SQLITE_READONLY_DBMOVED`).
    static let moved = SQLITE_READONLY | 4 << 8

    /// The code for a step of writing on a connection that only reads.
    static let readOnly = SQLITE_READONLY
    /// The code for a table that can take no more rows.
    static let full = SQLITE_FULL
    /// The code for a file that the system could not read or write.
    static let inputOutput = SQLITE_IOERR
    /// A lock that is held by others.
    static var busy: SQLiteFailure { SQLiteFailure(code: SQLITE_BUSY) }

    /// A row of the vault that holds what was never written there.
    static var damagedRow: SQLiteFailure { SQLiteFailure(code: SQLITE_CORRUPT, isRow: true) }

    /// Rows of an index that hold what was never written.
    static var malformed: SQLiteFailure { SQLiteFailure(code: SQLITE_CORRUPT) }

    /// A connection that was closed and could not be opened again.
    static var closed: SQLiteFailure { SQLiteFailure(code: SQLITE_CANTOPEN) }

    /// The extended result code.
    let code: Int32
    /// Whether it is the row alone that holds what was never written.
    var isRow = false
    /// Whether it is not known if a restart will find what was to be committed.
    var isUncertain = false

    /// The failure of a commit: part of the log may have been written, or all of it.
    ///
    /// Not so on a full disk. The last page of a transaction is what commits it, it is written after all others, and syncs come
    /// after that: where one of these writes had no room, a restart finds a log that ends before the transaction. (A sync that
    /// fails for want of room is another failure, `SQLITE_IOERR_FSYNC`.)
    var uncertain: SQLiteFailure {
        primary == SQLITE_BUSY || isFull ? self : SQLiteFailure(code: code, isUncertain: true)
    }

    /// What the code means, mostly in SQLite's words.
    var reason: String { lacksRoom ? "the disk is full" : String(cString: sqlite3_errstr(code)) }

    /// The code without its extension.
    var primary: Int32 { code & 0xff }

    /// The failure for those of whom nothing was committed.
    var certain: SQLiteFailure { SQLiteFailure(code: code) }

    /// Whether there was no room, on the disk or in the vault. Nothing was committed then.
    var isFull: Bool { primary == SQLITE_FULL }

    /// The same, or no room for the index of the log (`SQLITE_IOERR_SHMSIZE`). A commit grows that after it has synced the log, so that a
    /// restart may find the transaction: its failure is uncertain, like every other one of input and output.
    private var lacksRoom: Bool { isFull || code == SQLITE_IOERR | 19 << 8 }

    /// Whether others held a lock.
    var isBusy: Bool { primary == SQLITE_BUSY }

    /// Whether the system failed to sync.
    var isSync: Bool { code == SQLITE_IOERR | 4 << 8 || code == SQLITE_IOERR | 5 << 8 }

    /// Whether the system failed to read or write.
    var isInputOutput: Bool { primary == SQLITE_IOERR }

    /// Whether the file's contents are at fault rather than its surroundings.
    var isDamage: Bool { primary == SQLITE_CORRUPT || primary == SQLITE_NOTADB || primary == SQLITE_FORMAT }

    /// As the vault tells it.
    var vaultError: VaultError {
        switch primary {
        case _ where isRow: .damaged(alias: nil)
        case _ where isUncertain: .outcomeUnknown("the database failed while it was committing (\(reason))")
        case _ where lacksRoom: .unavailable("the disk is full")
        case _ where code == Self.moved:
            .unavailable("the database or its lock was removed or exchanged: put it back and restart")
        case SQLITE_READONLY: .unavailable("the database is read-only")
        case SQLITE_BUSY, SQLITE_LOCKED: .unavailable("the database is locked")
        case _ where isDamage: .corrupt("the database file is damaged (\(reason))")
        default: .unavailable("the database failed (\(reason))")
        }
    }
}
