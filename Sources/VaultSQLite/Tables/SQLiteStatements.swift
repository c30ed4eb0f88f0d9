/// All statements of a connection on rows, prepared once.
struct SQLiteStatements {
    let begin: SQLiteStatement
    let beginImmediate: SQLiteStatement
    let commit: SQLiteStatement
    let rollback: SQLiteStatement
    let savepoint: SQLiteStatement
    let release: SQLiteStatement
    let rollbackToSavepoint: SQLiteStatement

    let selectVault: SQLiteStatement
    let insertVault: SQLiteStatement
    let selectKeys: SQLiteStatement
    let insertKey: SQLiteStatement
    let updateKey: SQLiteStatement
    let deleteKey: SQLiteStatement

    let selectValue: SQLiteStatement
    let selectStale: SQLiteStatement
    let selectSealedBy: SQLiteStatement
    let insertValue: SQLiteStatement
    let updateValue: SQLiteStatement
    let updateFurther: SQLiteStatement
    let removeFirstAlias: SQLiteStatement
    let deleteValue: SQLiteStatement

    let selectAlias: SQLiteStatement
    let selectPrefix: SQLiteStatement
    let insertAlias: SQLiteStatement
    let updateNext: SQLiteStatement
    let deleteAlias: SQLiteStatement

    let selectAnswer: SQLiteStatement
    let selectAnswerTotals: SQLiteStatement
    let selectOldAnswers: SQLiteStatement
    let insertAnswer: SQLiteStatement
    let deleteAnswer: SQLiteStatement

    init(_ connection: SQLiteConnection) throws(SQLiteFailure) {
        begin = try connection.prepare("BEGIN")
        beginImmediate = try connection.prepare("BEGIN IMMEDIATE")
        commit = try connection.prepare("COMMIT")
        rollback = try connection.prepare("ROLLBACK")
        savepoint = try connection.prepare("SAVEPOINT request")
        release = try connection.prepare("RELEASE request")
        rollbackToSavepoint = try connection.prepare("ROLLBACK TO request")

        selectVault = try connection.prepare("SELECT id FROM vault LIMIT 1")
        insertVault = try connection.prepare("INSERT INTO vault (id) VALUES (?1)")
        selectKeys = try connection.prepare("SELECT \(RowReading.keyColumns) FROM key ORDER BY id")
        insertKey = try connection.prepare(
            "INSERT INTO key (\(RowReading.keyColumns)) VALUES (?1, ?2, ?3, ?4, ?5)")
        updateKey = try connection.prepare("UPDATE key SET wrapped = ?2, reserved_uses = ?3 WHERE id = ?1")
        deleteKey = try connection.prepare("DELETE FROM key WHERE id = ?1")

        let columns = RowReading.valueColumns
        selectValue = try connection.prepare("SELECT \(columns) FROM value WHERE id = ?1")
        selectStale = try connection.prepare(
            "SELECT \(columns) FROM value WHERE id > ?1 AND key <> ?2 ORDER BY id LIMIT ?3")
        selectSealedBy = try connection.prepare(
            "SELECT 1 FROM value WHERE key = ?1 UNION ALL SELECT 1 FROM answer WHERE key = ?1 LIMIT 1")
        insertValue = try connection.prepare(
            "INSERT INTO value (\(columns)) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)")
        updateValue = try connection.prepare("UPDATE value SET key = ?2, sealed = ?3, classifiers = ?4 WHERE id = ?1")
        updateFurther = try connection.prepare("UPDATE value SET further = ?2 WHERE id = ?1")
        removeFirstAlias = try connection.prepare("UPDATE value SET alias = NULL, format = NULL WHERE id = ?1")
        deleteValue = try connection.prepare("DELETE FROM value WHERE id = ?1")

        selectAlias = try connection.prepare("SELECT alias, format, value, further FROM alias WHERE id = ?1")
        selectPrefix = try connection.prepare(
            """
            SELECT alias FROM value WHERE alias >= ?1 AND alias < ?2
            UNION ALL SELECT alias FROM alias WHERE alias >= ?1 AND alias < ?2
            """)
        insertAlias = try connection.prepare(
            "INSERT INTO alias (id, alias, format, value, further) VALUES (?1, ?2, ?3, ?4, ?5)")
        updateNext = try connection.prepare("UPDATE alias SET further = ?2 WHERE id = ?1")
        deleteAlias = try connection.prepare("DELETE FROM alias WHERE id = ?1")

        selectAnswer = try connection.prepare("SELECT id, name, key, sealed, expires_at FROM answer WHERE id = ?1")
        selectAnswerTotals = try connection.prepare("SELECT count(*), ifnull(sum(length(sealed)), 0) FROM answer")
        selectOldAnswers = try connection.prepare(
            "SELECT id, name, length(sealed) FROM answer WHERE expires_at <= ?1 ORDER BY expires_at LIMIT ?2")
        insertAnswer = try connection.prepare(
            "INSERT INTO answer (id, name, key, sealed, expires_at) VALUES (?1, ?2, ?3, ?4, ?5)")
        deleteAnswer = try connection.prepare("DELETE FROM answer WHERE id = ?1")
    }
}
