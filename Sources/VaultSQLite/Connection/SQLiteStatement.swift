import CSQLite

/// A prepared statement. Parameters count from 1, columns from 0, as in SQLite.
final class SQLiteStatement {
    private let statement: OpaquePointer
    /// Keeps the connection open for as long as its statements.
    private let connection: SQLiteConnection
    /// Why a parameter could not be set since the last step, most of all for lack of memory: the statement must not run with the one
    /// before.
    private var bindFailure = SQLITE_OK

    init(_ statement: OpaquePointer, of connection: SQLiteConnection) {
        self.statement = statement
        self.connection = connection
    }

    deinit {
        sqlite3_finalize(statement)
    }

    // MARK: Parameters

    func bind(_ number: Int64, at index: Int32) {
        note(sqlite3_bind_int64(statement, index, number))
    }

    func bindNull(at index: Int32) {
        note(sqlite3_bind_null(statement, index))
    }

    /// SQLite takes a copy: the text may be gone when the statement runs.
    func bind(_ text: String, at index: Int32) {
        var text = text
        text.withUTF8 { bytes in
            bytes.withMemoryRebound(to: CChar.self) { bytes in
                note(
                    sqlite3_bind_text(
                        statement, index, bytes.baseAddress, Int32(clamping: bytes.count), cloakroom_sqlite_transient())
                )
            }
        }
    }

    /// As with texts.
    func bind(_ bytes: [UInt8], at index: Int32) {
        note(sqlite3_bind_blob64(statement, index, bytes, UInt64(bytes.count), cloakroom_sqlite_transient()))
    }

    /// What a column of another statement's current row holds, with its type. SQLite takes a copy.
    func bind(column: Int32, of row: SQLiteStatement, at index: Int32) {
        note(sqlite3_bind_value(statement, index, sqlite3_column_value(row.statement, column)))
    }

    func bind(optional number: Int64?, at index: Int32) {
        if let number { bind(number, at: index) } else { bindNull(at: index) }
    }

    func bind(optional bytes: [UInt8]?, at index: Int32) {
        if let bytes { bind(bytes, at: index) } else { bindNull(at: index) }
    }

    private func note(_ code: CInt) {
        if bindFailure == SQLITE_OK { bindFailure = code }
    }

    // MARK: Running

    /// Goes to the next row; `false` if there is none. Throws what kept a parameter from being set.
    func step() throws(SQLiteFailure) -> Bool {
        guard bindFailure == SQLITE_OK else {
            defer { bindFailure = SQLITE_OK }
            throw SQLiteFailure(code: bindFailure)
        }
        switch sqlite3_step(statement) {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        case let code:
            sqlite3_reset(statement)
            throw SQLiteFailure(code: code)
        }
    }

    /// Runs to the end and makes the statement ready for its next use.
    func run() throws(SQLiteFailure) {
        while try step() {}
        reset()
    }

    /// Ends the use of the statement, so that it holds no lock. Parameters stay until they are bound again.
    func reset() {
        sqlite3_reset(statement)
    }

    // MARK: Columns of the current row

    func integer(_ column: Int32) -> Int64 {
        sqlite3_column_int64(statement, column)
    }

    func isNull(_ column: Int32) -> Bool {
        sqlite3_column_type(statement, column) == SQLITE_NULL
    }

    func text(_ column: Int32) -> String {
        guard let bytes = sqlite3_column_text(statement, column) else { return "" }
        let count = Int(sqlite3_column_bytes(statement, column))
        // The bytes are valid until the next step; the string is made before that.
        return String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
    }

    /// Looks at a blob, or the UTF-8 of a text, in its place. The bytes are valid until the next step.
    func withBytes<Result>(_ column: Int32, _ look: (UnsafeRawBufferPointer) -> Result) -> Result {
        // A blob is asked for: of a text without conversion it gives the same bytes.
        let bytes = sqlite3_column_blob(statement, column)
        return look(UnsafeRawBufferPointer(start: bytes, count: Int(sqlite3_column_bytes(statement, column))))
    }

    /// Whether the text of this column has the same bytes.
    func isText(_ column: Int32, _ text: String) -> Bool {
        guard !isNull(column) else { return false }
        var text = text
        return withBytes(column) { bytes in text.withUTF8 { $0.elementsEqual(bytes) } }
    }

    func bytes(_ column: Int32) -> [UInt8] {
        guard let bytes = sqlite3_column_blob(statement, column) else { return [] }
        let count = Int(sqlite3_column_bytes(statement, column))
        return Array(UnsafeRawBufferPointer(start: bytes, count: count))
    }
}
