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
    let selectSealedBy: SQLiteStatement
    let selectAnswer: SQLiteStatement
    let selectAnswerTotals: SQLiteStatement
    let selectOldAnswers: SQLiteStatement

    let insertVault: SQLiteStatement
    let insertKey: SQLiteStatement
    let updateKey: SQLiteStatement
    let deleteKey: SQLiteStatement
    let insertValue: SQLiteStatement
    let updateValue: SQLiteStatement
    let deleteValue: SQLiteStatement
    let insertAlias: SQLiteStatement
    let deleteAlias: SQLiteStatement
    let replaceAnswer: SQLiteStatement
    let insertAnswer: SQLiteStatement
    let deleteAnswer: SQLiteStatement
    let deleteThisAnswer: SQLiteStatement

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
            "SELECT id, purpose, wrapped, created_at, reserved_uses FROM key ORDER BY id")
        selectByAlias = try connection.prepare(
            "SELECT \(columns) FROM alias a JOIN value v ON v.id = a.value WHERE a.alias = ?1")
        selectByFingerprint = try connection.prepare("SELECT \(columns) FROM value v WHERE v.fingerprint = ?1")
        selectAliases = try connection.prepare("SELECT alias, format FROM alias WHERE value = ?1 ORDER BY id")
        selectHeld = try connection.prepare("SELECT 1 FROM alias WHERE alias = ?1")
        selectRange = try connection.prepare("SELECT alias FROM alias WHERE alias >= ?1 AND alias < ?2")
        selectStale = try connection.prepare(
            "SELECT \(columns) FROM value v WHERE v.id > ?1 AND v.key <> ?2 ORDER BY v.id LIMIT ?3")
        selectSealedBy = try connection.prepare(
            "SELECT 1 FROM value WHERE key = ?1 UNION ALL SELECT 1 FROM answer WHERE key = ?1 LIMIT 1")
        selectAnswer = try connection.prepare("SELECT name, key, sealed, expires_at FROM answer WHERE name = ?1")
        selectAnswerTotals = try connection.prepare("SELECT count(*), ifnull(sum(length(sealed)), 0) FROM answer")
        selectOldAnswers = try connection.prepare(
            "SELECT id, length(sealed) FROM answer WHERE expires_at <= ?1 ORDER BY expires_at LIMIT ?2")

        insertVault = try connection.prepare("INSERT INTO vault (id) VALUES (?1)")
        insertKey = try connection.prepare(
            "INSERT INTO key (id, purpose, wrapped, created_at, reserved_uses) VALUES (?1, ?2, ?3, ?4, ?5)")
        updateKey = try connection.prepare("UPDATE key SET wrapped = ?2, reserved_uses = ?3 WHERE id = ?1")
        deleteKey = try connection.prepare("DELETE FROM key WHERE id = ?1")
        insertValue = try connection.prepare(
            """
            INSERT INTO value (id, fingerprint, key, sealed, classifiers, created_at)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6)
            """)
        updateValue = try connection.prepare("UPDATE value SET key = ?2, sealed = ?3, classifiers = ?4 WHERE id = ?1")
        deleteValue = try connection.prepare("DELETE FROM value WHERE id = ?1")
        // A taken alias is an answer here, not a failure: only that conflict is let pass.
        insertAlias = try connection.prepare(
            "INSERT INTO alias (alias, format, value) VALUES (?1, ?2, ?3) ON CONFLICT (alias) DO NOTHING")
        replaceAnswer = try connection.prepare(
            "INSERT OR REPLACE INTO answer (name, key, sealed, expires_at) VALUES (?1, ?2, ?3, ?4)")
        insertAnswer = try connection.prepare(
            """
            INSERT INTO answer (name, key, sealed, expires_at) VALUES (?1, ?2, ?3, ?4) ON CONFLICT (name) DO NOTHING
            """)
        deleteThisAnswer = try connection.prepare("DELETE FROM answer WHERE name = ?1 AND sealed = ?2")
        deleteAnswer = try connection.prepare("DELETE FROM answer WHERE id = ?1")
        deleteAlias = try connection.prepare("DELETE FROM alias WHERE alias = ?1")
    }
}
