import Glibc

/// The tables of a shared vault. Everything is BIGINT or BYTEA, which all engines that speak the protocol have.
///
/// Values and answers refer to the key that they are sealed under, so that no process removes a key that another one has just used.
enum PostgresSchema {
    static let version: Int64 = 1

    private static let tables = [
        "CREATE TABLE IF NOT EXISTS cloakroom_vault (version BIGINT PRIMARY KEY, id BYTEA)",
        """
        CREATE TABLE IF NOT EXISTS cloakroom_key (
            id BIGINT PRIMARY KEY, purpose BIGINT NOT NULL, wrapped BYTEA NOT NULL, created_at BIGINT NOT NULL,
            reserved_uses BIGINT NOT NULL)
        """,
        """
        CREATE TABLE IF NOT EXISTS cloakroom_value (
            id BIGINT PRIMARY KEY, fingerprint BYTEA UNIQUE, key BIGINT NOT NULL REFERENCES cloakroom_key (id),
            sealed BYTEA NOT NULL, classifiers BYTEA, created_at BIGINT NOT NULL)
        """,
        """
        CREATE TABLE IF NOT EXISTS cloakroom_alias (
            alias BYTEA PRIMARY KEY, position BIGSERIAL NOT NULL, format BIGINT NOT NULL, value BIGINT NOT NULL)
        """,
        "CREATE INDEX IF NOT EXISTS cloakroom_alias_value ON cloakroom_alias (value)",
        """
        CREATE TABLE IF NOT EXISTS cloakroom_answer (
            name BYTEA PRIMARY KEY, key BIGINT NOT NULL REFERENCES cloakroom_key (id), sealed BYTEA NOT NULL,
            expires_at BIGINT NOT NULL)
        """,
        "CREATE INDEX IF NOT EXISTS cloakroom_answer_expiry ON cloakroom_answer (expires_at)",
        "CREATE SEQUENCE IF NOT EXISTS cloakroom_value_id",
        "INSERT INTO cloakroom_vault (version) SELECT \(version) WHERE NOT EXISTS (SELECT 1 FROM cloakroom_vault)",
    ]

    /// Makes the tables that are missing, or checks that they are those of this version. A role that may not make tables will do
    /// where they are there.
    static func prepare(_ connection: PostgresConnection) throws(PostgresStoreError) {
        let found: Int64?
        do throws(PostgresFailure) {
            if let known = try? version(connection) { found = known } else { found = try make(connection) }
        } catch { throw .cannotPrepare(error.vaultError) }
        guard found == version else { throw .unsupportedVersion(found: Int(found ?? 0), expected: Int(version)) }
    }

    /// Somebody else may be making them at the same time, of which even IF NOT EXISTS can fail.
    private static func make(_ connection: PostgresConnection) throws(PostgresFailure) -> Int64? {
        var attempts = 20
        while true {
            attempts -= 1
            do throws(PostgresFailure) {
                for statement in tables { try connection.execute(statement) }
                return try version(connection)
            } catch {
                if attempts == 0 || error.endsConnection { throw error }
                usleep(.random(in: 1_000...50_000))
            }
        }
    }

    private static func version(_ connection: PostgresConnection) throws(PostgresFailure) -> Int64? {
        // In text, as commands without parameters are answered.
        let rows = try connection.execute("SELECT version FROM cloakroom_vault")
        return rows.count == 1 ? Int64(rows.text(0, 0)) : nil
    }
}
