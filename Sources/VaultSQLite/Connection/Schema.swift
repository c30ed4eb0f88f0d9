/// The tables of an embedded vault. All of them are rowid tables: rows are appended, and only the two unique indexes are
/// filled in random order.
enum Schema {
    /// In `application_id`: "clkr" in ASCII. Tells a vault from other SQLite databases.
    static let applicationID: Int64 = 0x636c_6b72
    /// In `user_version`.
    static let version: Int64 = 3

    private static let responses = """
        CREATE TABLE response (
            id INTEGER PRIMARY KEY, name BLOB NOT NULL UNIQUE, key INTEGER NOT NULL, sealed BLOB NOT NULL,
            expires_at INTEGER NOT NULL);
        CREATE INDEX response_expiry ON response (expires_at);
        """

    static let statements = """
        CREATE TABLE vault (id BLOB NOT NULL);
        CREATE TABLE key (
            id INTEGER PRIMARY KEY, purpose INTEGER NOT NULL, wrapped BLOB NOT NULL, pending BLOB,
            created_at INTEGER NOT NULL, allotted_uses INTEGER NOT NULL, tag BLOB NOT NULL);
        CREATE TABLE value (
            id INTEGER PRIMARY KEY AUTOINCREMENT, binding BLOB NOT NULL, fingerprint BLOB UNIQUE, key INTEGER NOT NULL,
            sealed BLOB NOT NULL, classifiers BLOB, created_at INTEGER NOT NULL, expires_at INTEGER);
        CREATE INDEX value_expiry ON value (expires_at, id) WHERE expires_at IS NOT NULL;
        CREATE TABLE alias (
            id INTEGER PRIMARY KEY, alias TEXT NOT NULL UNIQUE, format INTEGER NOT NULL, value INTEGER NOT NULL,
            tag BLOB NOT NULL);
        CREATE INDEX alias_value ON alias (value);
        CREATE TABLE anchor (
            id INTEGER PRIMARY KEY CHECK (id = 1), sequence INTEGER NOT NULL, code BLOB NOT NULL, tag BLOB NOT NULL);
        \(responses)
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
