/// All statements of a connection, prepared once.
struct SQLiteStatements {
    let begin: SQLiteStatement
    let beginImmediate: SQLiteStatement
    let commit: SQLiteStatement
    let rollback: SQLiteStatement
    let savepoint: SQLiteStatement
    let release: SQLiteStatement
    let rollbackToSavepoint: SQLiteStatement

    let selectVault: SQLiteStatement
    let selectKeys: SQLiteStatement
    let selectByAlias: SQLiteStatement
    let selectByFingerprint: SQLiteStatement
    let selectAliases: SQLiteStatement
    let selectHeld: SQLiteStatement
    let selectRange: SQLiteStatement
    let selectStale: SQLiteStatement
    let selectExpiring: SQLiteStatement
    let selectAnchor: SQLiteStatement
    let replaceAnchor: SQLiteStatement
    let selectSealedBy: SQLiteStatement
    let selectResponse: SQLiteStatement
    let selectResponseTotals: SQLiteStatement
    let selectOldResponses: SQLiteStatement

    let insertVault: SQLiteStatement
    let insertKey: SQLiteStatement
    let updateKey: SQLiteStatement
    let deleteKey: SQLiteStatement
    let insertValue: SQLiteStatement
    let updateValue: SQLiteStatement
    let deleteValue: SQLiteStatement
    let insertAlias: SQLiteStatement
    let deleteAlias: SQLiteStatement
    let replaceResponse: SQLiteStatement
    let insertResponse: SQLiteStatement
    let deleteResponse: SQLiteStatement
    let deleteThisResponse: SQLiteStatement

    init(_ connection: SQLiteConnection) throws(SQLiteFailure) {
        begin = try connection.prepare("BEGIN")
        beginImmediate = try connection.prepare("BEGIN IMMEDIATE")
        commit = try connection.prepare("COMMIT")
        rollback = try connection.prepare("ROLLBACK")
        savepoint = try connection.prepare("SAVEPOINT request")
        release = try connection.prepare("RELEASE request")
        rollbackToSavepoint = try connection.prepare("ROLLBACK TO request")

        let columns = RowReading.valueColumns
        selectVault = try connection.prepare("SELECT id FROM vault LIMIT 1")
        selectKeys = try connection.prepare(
            "SELECT \(RowReading.keyColumns) FROM key ORDER BY id")
        selectByAlias = try connection.prepare(
            """
            SELECT \(RowReading.aliasColumns), \(columns) FROM alias a LEFT JOIN value v ON v.id = a.value
            WHERE a.alias = ?1
            """)
        selectByFingerprint = try connection.prepare("SELECT \(columns) FROM value v WHERE v.fingerprint = ?1")
        selectAliases = try connection.prepare(
            "SELECT \(RowReading.aliasColumns) FROM alias a WHERE a.value = ?1 ORDER BY a.id")
        selectHeld = try connection.prepare("SELECT 1 FROM alias WHERE alias = ?1")
        selectRange = try connection.prepare("SELECT alias FROM alias WHERE alias >= ?1 AND alias < ?2")
        selectStale = try connection.prepare(
            "SELECT \(columns) FROM value v WHERE v.id > ?1 AND v.key <> ?2 ORDER BY v.id LIMIT ?3")
        selectExpiring = try connection.prepare(
            """
            SELECT \(columns) FROM value v WHERE v.expires_at <= ?1 AND (v.expires_at, v.id) > (?2, ?3)
            ORDER BY v.expires_at, v.id LIMIT ?4
            """)
        selectAnchor = try connection.prepare("SELECT sequence, code, tag FROM anchor WHERE id = 1")
        replaceAnchor = try connection.prepare(
            "INSERT OR REPLACE INTO anchor (id, sequence, code, tag) VALUES (1, ?1, ?2, ?3)")
        selectSealedBy = try connection.prepare(
            "SELECT 1 FROM value WHERE key = ?1 UNION ALL SELECT 1 FROM response WHERE key = ?1 LIMIT 1")
        selectResponse = try connection.prepare("SELECT name, key, sealed, expires_at FROM response WHERE name = ?1")
        selectResponseTotals = try connection.prepare("SELECT count(*), ifnull(sum(length(sealed)), 0) FROM response")
        selectOldResponses = try connection.prepare(
            "SELECT id, length(sealed) FROM response WHERE expires_at <= ?1 ORDER BY expires_at LIMIT ?2")

        insertVault = try connection.prepare("INSERT INTO vault (id) VALUES (?1)")
        insertKey = try connection.prepare(
            "INSERT INTO key (\(RowReading.keyColumns)) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)")
        updateKey = try connection.prepare(
            "UPDATE key SET wrapped = ?2, pending = ?3, allotted_uses = ?4, tag = ?5 WHERE id = ?1")
        deleteKey = try connection.prepare("DELETE FROM key WHERE id = ?1")
        insertValue = try connection.prepare(
            """
            INSERT INTO value (id, binding, fingerprint, key, sealed, classifiers, created_at, expires_at)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
            """)
        updateValue = try connection.prepare(
            """
            UPDATE value SET fingerprint = ?2, key = ?3, sealed = ?4, classifiers = ?5, expires_at = ?6 WHERE id = ?1
            """)
        deleteValue = try connection.prepare("DELETE FROM value WHERE id = ?1")
        // A taken alias is a result here, not a failure: only that conflict is let pass.
        insertAlias = try connection.prepare(
            "INSERT INTO alias (alias, format, value, tag) VALUES (?1, ?2, ?3, ?4) ON CONFLICT (alias) DO NOTHING")
        replaceResponse = try connection.prepare(
            "INSERT OR REPLACE INTO response (name, key, sealed, expires_at) VALUES (?1, ?2, ?3, ?4)")
        insertResponse = try connection.prepare(
            """
            INSERT INTO response (name, key, sealed, expires_at) VALUES (?1, ?2, ?3, ?4) ON CONFLICT (name) DO NOTHING
            """)
        deleteThisResponse = try connection.prepare("DELETE FROM response WHERE name = ?1 AND sealed = ?2")
        deleteResponse = try connection.prepare("DELETE FROM response WHERE id = ?1")
        deleteAlias = try connection.prepare("DELETE FROM alias WHERE alias = ?1")
    }
}
