import CSQLite

/// Version of the SQLite library.
public enum SQLiteVersion {
    /// As SQLite writes it.
    public static var text: String { String(cString: sqlite3_libversion()) }
}
