/// The tables of an embedded vault. All of them are rowid tables: rows are appended, and only the two unique indexes are
/// filled in random order.
enum Schema {
    /// In `application_id`: "clkr" in ASCII. Tells a vault from other SQLite databases.
    static let applicationID: Int64 = 0x636c_6b72
    /// In `user_version`.
    static let version: Int64 = 2

    /// What version 2 has more than version 1.
    private static let answers = """
        CREATE TABLE answer (
            id INTEGER PRIMARY KEY, name BLOB NOT NULL UNIQUE, key INTEGER NOT NULL, sealed BLOB NOT NULL,
            expires_at INTEGER NOT NULL);
        CREATE INDEX answer_expiry ON answer (expires_at);
        """

    static let statements = """
        CREATE TABLE vault (id BLOB NOT NULL);
        CREATE TABLE key (
            id INTEGER PRIMARY KEY, purpose INTEGER NOT NULL, wrapped BLOB NOT NULL,
            created_at INTEGER NOT NULL, reserved_uses INTEGER NOT NULL);
        CREATE TABLE value (
            id INTEGER PRIMARY KEY, fingerprint BLOB UNIQUE, key INTEGER NOT NULL, sealed BLOB NOT NULL,
            classifiers BLOB, created_at INTEGER NOT NULL);
        CREATE TABLE alias (
            id INTEGER PRIMARY KEY, alias TEXT NOT NULL UNIQUE, format INTEGER NOT NULL, value INTEGER NOT NULL);
        CREATE INDEX alias_value ON alias (value);
        \(answers)
        PRAGMA application_id = \(applicationID);
        PRAGMA user_version = \(version);
        """

    /// Makes the tables in an empty database, or checks that they are there in the right version.
    static func prepare(_ connection: SQLiteConnection, path: String) throws(SQLiteStoreError) {
        do {
            let application = try connection.number("PRAGMA application_id")
            let found = try connection.number("PRAGMA user_version")
            let tables = try connection.number("SELECT count(*) FROM sqlite_schema")
            if application == 0, found == 0, tables == 0 {
                try connection.execute("BEGIN IMMEDIATE;" + statements + "COMMIT;")
            } else if application != applicationID {
                throw SQLiteStoreError.notAVault(path: path)
            } else if found == 1 {
                try connection.execute("BEGIN IMMEDIATE; \(answers) PRAGMA user_version = \(version); COMMIT;")
            } else if found != version {
                throw SQLiteStoreError.unsupportedVersion(found: Int(found), expected: Int(version))
            }
        } catch let failure as SQLiteFailure {
            throw SQLiteStoreError(failure)
        } catch let error as SQLiteStoreError {
            throw error
        } catch {
            throw .cannotOpen("unexpected failure")
        }
    }
}

extension SQLiteStoreError {
    /// As it is told at start.
    init(_ failure: SQLiteFailure) {
        self = failure.isDamage ? .damaged(failure.reason) : .cannotOpen(failure.reason)
    }
}
