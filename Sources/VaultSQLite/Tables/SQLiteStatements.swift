/// All statements of a connection on rows, prepared once.
struct SQLiteStatements {
    let begin: SQLiteStatement
    let beginImmediate: SQLiteStatement
    /// Reads nothing, but for that the state of the database is chosen that the transaction sees.
    let takeSnapshot: SQLiteStatement
    let commit: SQLiteStatement
    let rollback: SQLiteStatement
    let savepoint: SQLiteStatement
    let release: SQLiteStatement
    let rollbackToSavepoint: SQLiteStatement

    let selectAnchor: SQLiteStatement
    let selectResponses: SQLiteStatement
    let replaceAnchor: SQLiteStatement
    let selectVault: SQLiteStatement
    let insertVault: SQLiteStatement
    let selectKeys: SQLiteStatement
    let insertKey: SQLiteStatement
    let updateKey: SQLiteStatement
    let deleteKey: SQLiteStatement

    let selectValue: SQLiteStatement
    let selectStaleValues: SQLiteStatement
    let selectKeySpans: SQLiteStatement
    let selectExpiringValues: SQLiteStatement
    let selectSealedBy: SQLiteStatement
    let insertValue: SQLiteStatement
    let updateValue: SQLiteStatement
    let updateValueFurther: SQLiteStatement
    let removeFirstAlias: SQLiteStatement
    let deleteValue: SQLiteStatement

    let selectAlias: SQLiteStatement
    let selectPrefix: SQLiteStatement
    let insertAlias: SQLiteStatement
    let updateAliasFurther: SQLiteStatement
    let deleteAlias: SQLiteStatement

    let selectResponse: SQLiteStatement
    let selectResponseTotals: SQLiteStatement
    let selectExpiredResponses: SQLiteStatement
    let insertResponse: SQLiteStatement
    let deleteResponse: SQLiteStatement

    let access: AccessStatements

    init(_ connection: SQLiteConnection) throws(SQLiteFailure) {
        begin = try connection.prepare("BEGIN")
        beginImmediate = try connection.prepare("BEGIN IMMEDIATE")
        takeSnapshot = try connection.prepare("SELECT 1 FROM vault LIMIT 0")
        commit = try connection.prepare("COMMIT")
        rollback = try connection.prepare("ROLLBACK")
        savepoint = try connection.prepare("SAVEPOINT request")
        release = try connection.prepare("RELEASE request")
        rollbackToSavepoint = try connection.prepare("ROLLBACK TO request")

        selectAnchor = try connection.prepare(RowReading.selectAnchor)
        replaceAnchor = try connection.prepare(
            "INSERT OR REPLACE INTO anchor (id, sequence, code, tag) VALUES (?1, ?2, ?3, ?4)")
        selectVault = try connection.prepare("SELECT id FROM vault LIMIT 1")
        insertVault = try connection.prepare("INSERT INTO vault (id) VALUES (?1)")
        selectKeys = try connection.prepare("SELECT \(RowReading.keyColumns) FROM key ORDER BY id")
        insertKey = try connection.prepare(
            "INSERT INTO key (\(RowReading.keyColumns)) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)")
        updateKey = try connection.prepare(
            "UPDATE key SET wrapped = ?2, pending = ?3, allotted_uses = ?4, tag = ?5 WHERE id = ?1")
        deleteKey = try connection.prepare("DELETE FROM key WHERE id = ?1")

        let columns = RowReading.valueColumns
        let allColumns = columns + ", " + RowReading.firstAliasColumns
        selectValue = try connection.prepare("SELECT \(allColumns) FROM value WHERE id = ?1")
        selectStaleValues = try connection.prepare(
            "SELECT \(columns) FROM value WHERE id > ?1 AND id <= ?4 AND key <> ?2 ORDER BY id LIMIT ?3")
        selectKeySpans = try connection.prepare(
            """
            SELECT key, min(id), max(id), count(*) FROM (SELECT id, key FROM value WHERE id > ?1 ORDER BY id LIMIT ?2)
            GROUP BY key
            """)
        selectExpiringValues = try connection.prepare(
            """
            SELECT \(columns) FROM value WHERE expires_at <= ?1 AND (expires_at, id) > (?2, ?3)
            ORDER BY expires_at, id LIMIT ?4
            """)
        selectSealedBy = try connection.prepare(
            """
            SELECT 1 FROM value WHERE id > ?2 AND key = ?1
            UNION ALL SELECT 1 FROM response WHERE id > ?3 AND key = ?1 LIMIT 1
            """)
        insertValue = try connection.prepare(
            "INSERT INTO value (\(allColumns)) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)")
        updateValue = try connection.prepare(
            """
            UPDATE value SET fingerprint = ?2, key = ?3, sealed = ?4, classifiers = ?5, expires_at = ?6 WHERE id = ?1
            """)
        updateValueFurther = try connection.prepare("UPDATE value SET further = ?2 WHERE id = ?1")
        removeFirstAlias = try connection.prepare(
            "UPDATE value SET alias = NULL, format = NULL, tag = NULL WHERE id = ?1")
        deleteValue = try connection.prepare("DELETE FROM value WHERE id = ?1")

        selectAlias = try connection.prepare("SELECT alias, format, tag, value, further FROM alias WHERE id = ?1")
        selectPrefix = try connection.prepare(
            """
            SELECT alias FROM value WHERE alias >= ?1 AND alias < ?2
            UNION ALL SELECT alias FROM alias WHERE alias >= ?1 AND alias < ?2
            """)
        insertAlias = try connection.prepare(
            "INSERT INTO alias (id, alias, format, tag, value, further) VALUES (?1, ?2, ?3, ?4, ?5, ?6)")
        updateAliasFurther = try connection.prepare("UPDATE alias SET further = ?2 WHERE id = ?1")
        deleteAlias = try connection.prepare("DELETE FROM alias WHERE id = ?1")

        selectResponse = try connection.prepare("SELECT id, name, key, sealed, expires_at FROM response WHERE id = ?1")
        selectResponses = try connection.prepare(
            "SELECT id, name, key, sealed, expires_at FROM response WHERE id > ?1 ORDER BY id LIMIT ?2")
        selectResponseTotals = try connection.prepare("SELECT count(*), ifnull(sum(length(sealed)), 0) FROM response")
        selectExpiredResponses = try connection.prepare(
            "SELECT id, name, length(sealed) FROM response WHERE expires_at <= ?1 ORDER BY expires_at LIMIT ?2")
        insertResponse = try connection.prepare(
            "INSERT INTO response (id, name, key, sealed, expires_at) VALUES (?1, ?2, ?3, ?4, ?5)")
        deleteResponse = try connection.prepare("DELETE FROM response WHERE id = ?1")
        access = try AccessStatements(connection)
    }
}
