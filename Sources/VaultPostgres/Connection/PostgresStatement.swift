/// The statements, by the names under which they are prepared.
///
/// Those of a writing transaction lock what they find (`FOR UPDATE`) until its end: what was read is still so when it is changed,
/// and who comes second sees what the first has done. At READ COMMITTED each statement sees what was committed before it.
enum PostgresStatement: String {
    case selectVault, lockVault, selectKeys, lockKeys
    case selectByAlias, lockByAlias, selectByFingerprint, lockByFingerprint
    case selectAliases, selectHeld, selectRange, selectStale, lockStale
    case selectValueSealedBy, selectAnswerSealedBy, selectAnswer, selectAnswerTotals
    case updateVault, insertKey, updateKey, deleteKey, nextIDs
    case insertValue, updateValue, deleteValue, insertAlias, deleteAlias
    case replaceAnswer, insertAnswer, deleteThisAnswer, deleteAnswers

    private static let columns = "v.id, v.fingerprint, v.key, v.sealed, v.classifiers, v.created_at"
    private static let keys = "SELECT id, purpose, wrapped, created_at, reserved_uses FROM cloakroom_key ORDER BY id"
    private static let byAlias =
        "SELECT \(columns) FROM cloakroom_alias a JOIN cloakroom_value v ON v.id = a.value WHERE a.alias = $1"
    private static let byFingerprint = "SELECT \(columns) FROM cloakroom_value v WHERE v.fingerprint = $1"
    private static let stale =
        "SELECT \(columns) FROM cloakroom_value v WHERE v.id > $1 AND v.key <> $2 ORDER BY v.id LIMIT $3"

    var text: String {
        switch self {
        case .selectVault: "SELECT id FROM cloakroom_vault WHERE id IS NOT NULL"
        case .lockVault: "SELECT 1 FROM cloakroom_vault FOR UPDATE"
        case .selectKeys: Self.keys
        // Values and answers refer to keys, which may go on meanwhile.
        case .lockKeys: Self.keys + " FOR NO KEY UPDATE"
        case .selectByAlias: Self.byAlias
        case .lockByAlias: Self.byAlias + " FOR UPDATE OF v, a"
        case .selectByFingerprint: Self.byFingerprint
        case .lockByFingerprint: Self.byFingerprint + " FOR UPDATE"
        case .selectAliases: "SELECT alias, format FROM cloakroom_alias WHERE value = $1 ORDER BY position"
        case .selectHeld: "SELECT 1 FROM cloakroom_alias WHERE alias = $1"
        case .selectRange:
            "SELECT alias FROM cloakroom_alias WHERE alias > $1 AND alias < $2 ORDER BY alias LIMIT 10000"
        case .selectStale: Self.stale
        case .lockStale: Self.stale + " FOR UPDATE"
        case .selectValueSealedBy: "SELECT 1 FROM cloakroom_value WHERE key = $1 LIMIT 1"
        case .selectAnswerSealedBy: "SELECT 1 FROM cloakroom_answer WHERE key = $1 LIMIT 1"
        case .selectAnswer: "SELECT name, key, sealed, expires_at FROM cloakroom_answer WHERE name = $1"
        case .selectAnswerTotals:
            "SELECT count(*)::bigint, coalesce(sum(length(sealed)), 0)::bigint FROM cloakroom_answer"
        case .updateVault: "UPDATE cloakroom_vault SET id = $1 WHERE id IS NULL"
        case .insertKey:
            """
            INSERT INTO cloakroom_key (id, purpose, wrapped, created_at, reserved_uses) VALUES ($1, $2, $3, $4, $5)
            """
        case .updateKey: "UPDATE cloakroom_key SET wrapped = $2, reserved_uses = $3 WHERE id = $1"
        case .deleteKey: "DELETE FROM cloakroom_key WHERE id = $1"
        case .nextIDs: "SELECT nextval('cloakroom_value_id') FROM generate_series(1, $1::bigint)"
        case .insertValue:
            """
            INSERT INTO cloakroom_value (id, fingerprint, key, sealed, classifiers, created_at)
            VALUES ($1, $2, $3, $4, $5, $6)
            """
        case .updateValue: "UPDATE cloakroom_value SET key = $2, sealed = $3, classifiers = $4 WHERE id = $1"
        case .deleteValue: "DELETE FROM cloakroom_value WHERE id = $1"
        // A taken alias is an answer here, not a failure.
        case .insertAlias:
            """
            INSERT INTO cloakroom_alias (alias, format, value) VALUES ($1, $2, $3) ON CONFLICT (alias) DO NOTHING
            """
        case .deleteAlias: "DELETE FROM cloakroom_alias WHERE alias = $1"
        case .replaceAnswer:
            """
            INSERT INTO cloakroom_answer (name, key, sealed, expires_at) VALUES ($1, $2, $3, $4)
            ON CONFLICT (name) DO UPDATE
            SET key = excluded.key, sealed = excluded.sealed, expires_at = excluded.expires_at
            """
        case .insertAnswer:
            """
            INSERT INTO cloakroom_answer (name, key, sealed, expires_at) VALUES ($1, $2, $3, $4)
            ON CONFLICT (name) DO NOTHING
            """
        case .deleteThisAnswer: "DELETE FROM cloakroom_answer WHERE name = $1 AND sealed = $2"
        case .deleteAnswers:
            """
            DELETE FROM cloakroom_answer WHERE name IN (
                SELECT name FROM cloakroom_answer WHERE expires_at <= $1 ORDER BY expires_at LIMIT $2)
            RETURNING length(sealed)::bigint
            """
        }
    }
}
