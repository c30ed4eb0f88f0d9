/// The statements, by the names under which they are prepared.
///
/// Those of a writing transaction lock what they find (`FOR UPDATE`) until its end: what was read is still so when it is changed,
/// and the second of two transactions sees what the first has done. At READ COMMITTED each statement sees what was committed
/// before it.
enum PostgresStatement: String {
    case probeReading, probeWriting
    case selectTime, selectVault, lockVault, selectKeys, lockKeys
    case selectByAlias, lockByAlias, selectByFingerprint, lockByFingerprint
    case selectAliases, selectHeld, selectRange, selectAlike, selectAllAlike, selectStale, lockStale, selectKeySpans,
        selectLastValueID, selectExpiring, lockExpiring
    case selectValueSealedUnder, selectResponseSealedUnder, selectResponse, selectResponseTotals, selectAnchor
    case walkResponses
    case updateVault, insertKey, updateKey, deleteKey, nextIDs, passIDs
    case insertValue, updateValue, deleteValue, insertAlias, deleteAlias
    case replaceResponse, insertResponse, deleteThisResponse, deleteResponses, replaceAnchor
    case selectAccess, lockAccess, selectAllAccess, selectNewAccess, insertAccess, updateAccess, deleteAccess
    case beginWriting, boundLockWaits, boundStatements, syncCommit, beginReading, commit, insertFreeAlias,
        insertFreeResponse
    case selectByAliases, lockByAliases, selectByFingerprints, lockByFingerprints, selectAliasesOfValues, selectAllHeld,
        selectResponses, insertValues, insertFreeAliases, insertFreeResponses
    case selectOldKeys, raiseVersion, deleteOldKeys, lockOldValues, selectOldAliases, convertValue, convertAlias,
        lockOldResponses

    private static let valueColumns =
        "v.id, v.binding, v.fingerprint, v.key, v.sealed, v.classifiers, v.created_at, v.expires_at"
    private static let aliasColumns = "a.alias, a.format, a.value, a.tag"
    private static let keyColumns = "id, purpose, wrapped, pending, created_at, reserved_uses, tag"
    private static let keys = "SELECT \(keyColumns) FROM cloakroom_key WHERE tag IS NOT NULL ORDER BY id"
    private static let byAlias =
        """
        SELECT \(aliasColumns), \(valueColumns) FROM cloakroom_alias a LEFT JOIN cloakroom_value v ON v.id = a.value
        WHERE a.alias = $1
        """
    private static let byFingerprint = "SELECT \(valueColumns) FROM cloakroom_value v WHERE v.fingerprint = $1"
    private static let stale =
        """
        SELECT \(valueColumns) FROM cloakroom_value v WHERE v.id > $1 AND v.id <= $4 AND v.key <> $2
        ORDER BY v.id LIMIT $3
        """
    private static let expiring =
        """
        SELECT \(valueColumns) FROM cloakroom_value v WHERE v.expires_at <= $1 AND (v.expires_at, v.id) > ($2, $3)
        ORDER BY v.expires_at, v.id LIMIT $4
        """

    /// A look-up for each key of an array: its rows, each with the key's number, from 1, behind its columns. The OFFSET keeps the look-ups
    /// apart, so that each takes the index as it would alone: the plan of a join is made once, of a table that may still be empty, and
    /// could be a scan of all of it.
    private static func each(_ type: String, _ lookUp: PostgresStatement) -> String {
        """
        SELECT found.*, asked.number FROM unnest($1::\(type)[]) WITH ORDINALITY AS asked (key, number)
        CROSS JOIN LATERAL (\(lookUp.text.replacing("$1", with: "asked.key")) OFFSET 0) found
        """
    }

    /// Bytes of the values that look-ups by many aliases bring: they are held until all requests of a batch have run on them.
    private static let valuesTogether = 32 << 20

    /// As `each` of `selectByAlias`; what is behind ``valuesTogether`` comes without its value and classifiers, and is read alone.
    private static var byAliases: String {
        let room = """
            sum(octet_length(found.sealed) + coalesce(octet_length(found.classifiers), 0)) OVER (ORDER BY asked.number)
            <= \(valuesTogether)
            """
        let columns = """
            found.alias, found.format, found.value, found.tag, found.id, found.binding, found.fingerprint, found.key,
            CASE WHEN \(room) THEN found.sealed END AS sealed,
            CASE WHEN \(room) THEN found.classifiers END AS classifiers, found.created_at,
            found.expires_at
            """
        return each("bytea", .selectByAlias).replacing("found.*", with: columns)
    }

    /// Tables that requests use.
    private static let tables = ["cloakroom_value", "cloakroom_alias", "cloakroom_answer", "cloakroom_access"]

    /// Changes no row, and fails as a change would where a table is gone or a right to it was taken.
    private static var changesOfNothing: String {
        let changes = tables.flatMap { table in
            ["INSERT INTO \(table) SELECT * FROM \(table) WHERE false", "DELETE FROM \(table) WHERE false"]
        }
        return "WITH " + changes.enumerated().map { "c\($0) AS (\($1))" }.joined(separator: ", ") + " SELECT 1"
    }

    var text: String {
        switch self {
        case .probeReading: "SELECT 1 FROM \(Self.tables.joined(separator: ", ")) LIMIT 0"
        case .probeWriting: Self.changesOfNothing
        case .selectTime: "SELECT \(AccessTable.now)"
        case .selectVault: "SELECT id FROM cloakroom_vault WHERE id IS NOT NULL"
        case .lockVault: "SELECT 1 FROM cloakroom_vault FOR UPDATE"
        case .selectKeys: Self.keys
        // Values and responses refer to keys, which must not stop them.
        case .lockKeys: Self.keys + " FOR NO KEY UPDATE"
        case .selectByAlias: Self.byAlias
        // The value is locked by its own statement: the optional side of a join cannot be.
        case .lockByAlias:
            """
            WITH locked AS (SELECT * FROM cloakroom_alias WHERE alias = $1 FOR UPDATE),
                value AS (SELECT * FROM cloakroom_value WHERE id IN (SELECT value FROM locked) FOR UPDATE)
            SELECT \(Self.aliasColumns), \(Self.valueColumns) FROM locked a LEFT JOIN value v ON v.id = a.value
            """
        case .selectByFingerprint: Self.byFingerprint
        case .lockByFingerprint: Self.byFingerprint + " FOR UPDATE"
        case .selectAliases: "SELECT \(Self.aliasColumns) FROM cloakroom_alias a WHERE a.value = $1 ORDER BY a.position"
        case .selectHeld: "SELECT 1 FROM cloakroom_alias WHERE alias = $1"
        case .selectRange:
            "SELECT alias FROM cloakroom_alias WHERE alias > $1 AND alias < $2 ORDER BY alias LIMIT 10000"
        // By the index alone: as many entries as aliases begin so.
        case .selectAlike:
            """
            SELECT alias FROM cloakroom_alias WHERE alias > $1 AND alias < $2
            AND length(alias) = $3::bigint AND substring(alias FROM ($3::bigint - 3)::int) = $4
            """
        // The aliases of each beginning once, row by row, for the reason that `each` gives. What is shown of the numbers is looked for in a
        // table that is made once: `IS TRUE` keeps that from becoming a join, which would go through all of them for each alias.
        case .selectAllAlike:
            """
            SELECT found.alias FROM unnest($1::bytea[], $2::bytea[], $3::bigint[]) AS asked (low, high, length)
            CROSS JOIN LATERAL (
                SELECT alias FROM cloakroom_alias WHERE alias > asked.low AND alias < asked.high AND length(alias) = asked.length
                AND (asked.low || substring(alias FROM (asked.length - 3)::int) IN (SELECT unnest($4::bytea[]))) IS TRUE
                OFFSET 0) found
            """
        case .selectStale: Self.stale
        case .selectKeySpans:
            """
            SELECT key, min(id), max(id), count(*)::bigint
            FROM (SELECT id, key FROM cloakroom_value WHERE id > $1 ORDER BY id LIMIT $2) AS step GROUP BY key
            """
        case .selectLastValueID: "SELECT coalesce(max(id), 0) FROM cloakroom_value"
        case .lockStale: Self.stale + " FOR UPDATE"
        case .selectExpiring: Self.expiring
        case .lockExpiring: Self.expiring + " FOR UPDATE"
        case .selectValueSealedUnder: "SELECT 1 FROM cloakroom_value WHERE id > $2 AND key = $1 LIMIT 1"
        case .selectResponseSealedUnder: "SELECT 1 FROM cloakroom_answer WHERE name > $2 AND key = $1 LIMIT 1"
        case .selectResponse: "SELECT name, key, sealed, expires_at FROM cloakroom_answer WHERE name = $1"
        case .walkResponses:
            """
            SELECT name, key, CASE WHEN key <> $2 THEN sealed END, expires_at FROM cloakroom_answer
            WHERE name > $1 ORDER BY name LIMIT $3
            """
        case .selectResponseTotals:
            "SELECT count(*)::bigint, coalesce(sum(length(sealed)), 0)::bigint FROM cloakroom_answer"
        case .selectAnchor: "SELECT sequence, code, tag FROM cloakroom_anchor WHERE id = $1"
        case .updateVault: "UPDATE cloakroom_vault SET id = $1 WHERE id IS NULL"
        case .insertKey: "INSERT INTO cloakroom_key (\(Self.keyColumns)) VALUES ($1, $2, $3, $4, $5, $6, $7)"
        case .updateKey:
            "UPDATE cloakroom_key SET wrapped = $2, pending = $3, reserved_uses = $4, tag = $5 WHERE id = $1"
        case .deleteKey: "DELETE FROM cloakroom_key WHERE id = $1"
        // The highest id is of what was committed before the statement began: a sound sequence gives higher ones.
        case .nextIDs:
            """
            SELECT nextval('cloakroom_value_id'), (SELECT coalesce(max(id), 0) FROM cloakroom_value)
            FROM generate_series(1, $1::bigint)
            """
        case .passIDs: "SELECT count(nextval('cloakroom_value_id')) FROM generate_series(1, $1::bigint)"
        case .insertValue:
            """
            INSERT INTO cloakroom_value (id, binding, fingerprint, key, sealed, classifiers, created_at, expires_at)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
            """
        case .updateValue:
            """
            UPDATE cloakroom_value SET fingerprint = $2, key = $3, sealed = $4, classifiers = $5, expires_at = $6
            WHERE id = $1
            """
        case .deleteValue: "DELETE FROM cloakroom_value WHERE id = $1"
        // A taken alias is a result here, not a failure.
        case .insertAlias: PostgresStatement.insertFreeAlias.text + " ON CONFLICT (alias) DO NOTHING"
        case .insertFreeAlias: "INSERT INTO cloakroom_alias (alias, format, value, tag) VALUES ($1, $2, $3, $4)"
        case .deleteAlias: "DELETE FROM cloakroom_alias WHERE alias = $1"
        case .replaceResponse:
            """
            INSERT INTO cloakroom_answer (name, key, sealed, expires_at) VALUES ($1, $2, $3, $4)
            ON CONFLICT (name) DO UPDATE
            SET key = excluded.key, sealed = excluded.sealed, expires_at = excluded.expires_at
            """
        case .insertResponse: PostgresStatement.insertFreeResponse.text + " ON CONFLICT (name) DO NOTHING"
        case .insertFreeResponse:
            "INSERT INTO cloakroom_answer (name, key, sealed, expires_at) VALUES ($1, $2, $3, $4)"
        case .deleteThisResponse: "DELETE FROM cloakroom_answer WHERE name = $1 AND sealed = $2"
        case .deleteResponses:
            """
            DELETE FROM cloakroom_answer WHERE name IN (
                SELECT name FROM cloakroom_answer WHERE expires_at <= $1 ORDER BY expires_at LIMIT $2)
                AND expires_at <= $1
            RETURNING length(sealed)::bigint
            """
        case .replaceAnchor:
            """
            INSERT INTO cloakroom_anchor (id, sequence, code, tag) VALUES ($1, $2, $3, $4)
            ON CONFLICT (id) DO UPDATE SET sequence = excluded.sequence, code = excluded.code, tag = excluded.tag
            """
        case .selectAccess: AccessTable.select
        case .lockAccess: AccessTable.select + " FOR UPDATE"
        case .selectAllAccess: AccessTable.selectAll
        case .selectNewAccess: AccessTable.selectNew
        case .insertAccess: AccessTable.insert
        case .updateAccess: AccessTable.update
        case .deleteAccess: AccessTable.delete
        // A reader sees one state. A writer sees what is committed when it looks, and locks what it finds.
        case .beginReading: "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
        case .beginWriting: "BEGIN ISOLATION LEVEL READ COMMITTED"
        // Batches lock the rows of many requests, in any order, so that two may come to wait for each other. The server would
        // notice after a second; a statement that waits for a tenth of it fails, and is repeated.
        case .boundLockWaits: "SET LOCAL lock_timeout = '100ms'"
        case .boundStatements: "SET LOCAL statement_timeout = '20s'"
        case .syncCommit:
            "SELECT set_config('synchronous_commit', 'on', true) WHERE current_setting('synchronous_commit') = 'off'"
        case .commit: "COMMIT"
        case .selectByAliases: Self.byAliases
        case .lockByAliases: Self.each("bytea", PostgresStatement.lockByAlias)
        case .selectByFingerprints: Self.each("bytea", PostgresStatement.selectByFingerprint)
        case .lockByFingerprints: Self.each("bytea", PostgresStatement.lockByFingerprint)
        case .selectAliasesOfValues: Self.each("bigint", PostgresStatement.selectAliases)
        case .selectAllHeld: Self.each("bytea", PostgresStatement.selectHeld)
        case .selectResponses: Self.each("bytea", PostgresStatement.selectResponse)
        case .insertValues:
            """
            INSERT INTO cloakroom_value (id, binding, fingerprint, key, sealed, classifiers, created_at, expires_at)
            SELECT * FROM unnest(
                $1::bigint[], $2::bytea[], $3::bytea[], $4::bigint[], $5::bytea[], $6::bytea[], $7::bigint[], $8::bigint[])
            """
        case .insertFreeAliases:
            """
            INSERT INTO cloakroom_alias (alias, format, value, tag)
            SELECT * FROM unnest($1::bytea[], $2::bigint[], $3::bigint[], $4::bytea[])
            """
        case .insertFreeResponses:
            """
            INSERT INTO cloakroom_answer (name, key, sealed, expires_at)
            SELECT * FROM unnest($1::bytea[], $2::bigint[], $3::bytea[], $4::bigint[])
            """
        case .selectOldKeys: "SELECT id, purpose, wrapped FROM cloakroom_key WHERE tag IS NULL ORDER BY id"
        case .raiseVersion: "UPDATE cloakroom_vault SET version = \(PostgresSchema.version) WHERE version = 1"
        case .deleteOldKeys: "DELETE FROM cloakroom_key WHERE tag IS NULL"
        case .lockOldValues:
            """
            SELECT id, fingerprint, key, sealed, classifiers, created_at FROM cloakroom_value
            WHERE id > $1 AND binding IS NULL ORDER BY id LIMIT $2 FOR UPDATE
            """
        case .selectOldAliases: "SELECT alias, format FROM cloakroom_alias WHERE value = $1 ORDER BY position"
        case .convertValue:
            "UPDATE cloakroom_value SET binding = $2, fingerprint = $3, key = $4, sealed = $5 WHERE id = $1"
        case .convertAlias: "UPDATE cloakroom_alias SET tag = $2 WHERE alias = $1"
        case .lockOldResponses:
            """
            SELECT name, key, sealed, expires_at FROM cloakroom_answer
            WHERE key IN (SELECT id FROM cloakroom_key WHERE tag IS NULL) LIMIT $1 FOR UPDATE
            """
        }
    }
}
