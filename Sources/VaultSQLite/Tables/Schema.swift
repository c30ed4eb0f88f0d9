/// The tables of an embedded vault, in format 3. All of them are rowid tables to which rows are appended. The unique indexes that would be
/// filled in random order are our own (`StoreIndex`): SQLite keeps their leaves.
enum Schema {
    /// In `application_id`: "clkr" in ASCII. Tells a vault from other SQLite databases.
    static let applicationID: Int64 = 0x636c_6b72
    /// In `user_version`.
    static let version: Int64 = 3

    /// A value's row has its first alias, so that most values need one row. Further aliases are a list that begins in the value's row:
    /// each row names the one before it, the newest comes first.
    static var statements: String {
        """
        CREATE TABLE key (
            id INTEGER PRIMARY KEY, purpose INTEGER NOT NULL, wrapped BLOB NOT NULL, pending BLOB,
            created_at INTEGER NOT NULL, allotted_uses INTEGER NOT NULL, tag BLOB NOT NULL);
        CREATE TABLE value (
            id INTEGER PRIMARY KEY, binding BLOB NOT NULL, fingerprint BLOB, key INTEGER NOT NULL,
            sealed BLOB NOT NULL, classifiers BLOB, created_at INTEGER NOT NULL, expires_at INTEGER, alias TEXT,
            format INTEGER, tag BLOB, further INTEGER NOT NULL);
        CREATE INDEX value_expiry ON value (expires_at, id) WHERE expires_at IS NOT NULL;
        CREATE TABLE alias (
            id INTEGER PRIMARY KEY, alias TEXT NOT NULL, format INTEGER NOT NULL, tag BLOB NOT NULL,
            value INTEGER NOT NULL, further INTEGER NOT NULL);
        CREATE TABLE response (
            id INTEGER PRIMARY KEY, name BLOB NOT NULL, key INTEGER NOT NULL, sealed BLOB NOT NULL,
            expires_at INTEGER NOT NULL);
        CREATE INDEX response_expiry ON response (expires_at);
        CREATE TABLE anchor (
            id INTEGER PRIMARY KEY, sequence INTEGER NOT NULL, code BLOB NOT NULL, tag BLOB NOT NULL);
        \(AccessTable.schema)
        \(StoreIndex.allCases.map { MergedIndex.schema(table: $0.table) }.joined(separator: "\n"))
        \(RecentRows.schema)
        \(MergeState.schema)
        PRAGMA application_id = \(applicationID);
        PRAGMA user_version = \(version);
        """
    }

    /// Makes the tables in an empty database, or looks which there are. Returns whether they are of an older format.
    static func prepare(_ connection: SQLiteConnection, path: String) throws(SQLiteStoreError) -> Bool {
        do throws(SQLiteFailure) {
            if try isEmpty(connection) {
                // The mode must be chosen before the first page is written.
                try connection.execute("PRAGMA auto_vacuum = INCREMENTAL; PRAGMA secure_delete = ON")
                try connection.execute(
                    "BEGIN IMMEDIATE; CREATE TABLE vault (id BLOB NOT NULL);" + statements + "COMMIT;")
                return false
            }
        } catch { throw SQLiteStoreError(error) }
        let found = try version(connection, path: path)
        guard found == version || oldVersions.contains(found) else {
            throw .unsupportedVersion(found: Int(found), expected: Int(version))
        }
        // Vaults of this format from before there was the table.
        if found == version {
            do throws(SQLiteFailure) { try connection.execute(AccessTable.schema) } catch {
                throw SQLiteStoreError(error)
            }
        }
        return found != version
    }

    /// Formats that are brought into this one (`StoreUpgrade`).
    static let oldVersions = 1...Int64(2)

    /// The version of the vault's format. Throws `notAVault` if it is none.
    static func version(_ connection: SQLiteConnection, path: String) throws(SQLiteStoreError) -> Int64 {
        let (application, version): (Int64, Int64)
        do throws(SQLiteFailure) {
            application = try connection.number("PRAGMA application_id")
            version = try connection.number("PRAGMA user_version")
        } catch { throw SQLiteStoreError(error) }
        guard application == applicationID else { throw .notAVault(path: path) }
        return version
    }

    private static func isEmpty(_ connection: SQLiteConnection) throws(SQLiteFailure) -> Bool {
        let application = try connection.number("PRAGMA application_id")
        let version = try connection.number("PRAGMA user_version")
        let tables = try connection.number("SELECT count(*) FROM sqlite_schema")
        return application == 0 && version == 0 && tables == 0
    }
}

extension SipHash {
    /// With the key of this vault's indexes. It lies beside them: it only keeps collisions from being made on purpose.
    static func ofIndexes(_ connection: SQLiteConnection) throws(SQLiteFailure) -> SipHash {
        let select = try connection.prepare("SELECT hash_key FROM merge_state")
        defer { select.reset() }
        guard try select.step(), let hash = SipHash(key: select.bytes(0)) else { throw .malformed }
        return hash
    }
}
