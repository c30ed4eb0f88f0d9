import Glibc
import Vault

/// The tables of a shared vault. Everything is BIGINT or BYTEA, which all engines that speak the protocol have.
///
/// Values and responses refer to the key that they are sealed under, so that no process removes a key that another one has just
/// used.
///
/// Version 2 is the vault's format 3. Tables of version 1 get the columns that they lack when they are opened, which programs of that
/// version do not mind; rows without a binding, and keys without a tag, are then still of format 2, until `PostgresUpgrade` has gone
/// through them. It raises the version once the keys have been unwrapped.
enum PostgresSchema {
    static let version: Int64 = 2

    private static let tables = [
        "CREATE TABLE IF NOT EXISTS cloakroom_vault (version BIGINT PRIMARY KEY, id BYTEA)",
        """
        CREATE TABLE IF NOT EXISTS cloakroom_key (
            id BIGINT PRIMARY KEY, purpose BIGINT NOT NULL, wrapped BYTEA NOT NULL, pending BYTEA,
            created_at BIGINT NOT NULL, reserved_uses BIGINT NOT NULL, tag BYTEA)
        """,
        """
        CREATE TABLE IF NOT EXISTS cloakroom_value (
            id BIGINT PRIMARY KEY, binding BYTEA, fingerprint BYTEA UNIQUE,
            key BIGINT NOT NULL REFERENCES cloakroom_key (id), sealed BYTEA NOT NULL, classifiers BYTEA,
            created_at BIGINT NOT NULL, expires_at BIGINT)
        """,
        """
        CREATE TABLE IF NOT EXISTS cloakroom_alias (
            alias BYTEA PRIMARY KEY, position BIGSERIAL NOT NULL, format BIGINT NOT NULL, value BIGINT NOT NULL,
            tag BYTEA)
        """,
        "CREATE INDEX IF NOT EXISTS cloakroom_alias_value ON cloakroom_alias (value)",
        """
        CREATE TABLE IF NOT EXISTS cloakroom_answer (
            name BYTEA PRIMARY KEY, key BIGINT NOT NULL REFERENCES cloakroom_key (id), sealed BYTEA NOT NULL,
            expires_at BIGINT NOT NULL)
        """,
        "CREATE INDEX IF NOT EXISTS cloakroom_answer_expiry ON cloakroom_answer (expires_at)",
        "CREATE SEQUENCE IF NOT EXISTS cloakroom_value_id",
    ]

    /// What tables of version 1 lack, and what has no counterpart there.
    private static let additions = [
        "ALTER TABLE cloakroom_key ADD COLUMN IF NOT EXISTS pending BYTEA",
        "ALTER TABLE cloakroom_key ADD COLUMN IF NOT EXISTS tag BYTEA",
        "ALTER TABLE cloakroom_value ADD COLUMN IF NOT EXISTS binding BYTEA",
        "ALTER TABLE cloakroom_value ADD COLUMN IF NOT EXISTS expires_at BIGINT",
        "ALTER TABLE cloakroom_alias ADD COLUMN IF NOT EXISTS tag BYTEA",
        "CREATE INDEX IF NOT EXISTS cloakroom_value_expiry ON cloakroom_value (expires_at, id)",
        """
        CREATE TABLE IF NOT EXISTS cloakroom_anchor (
            id BIGINT PRIMARY KEY, sequence BIGINT NOT NULL, code BYTEA NOT NULL, tag BYTEA NOT NULL)
        """,
        "INSERT INTO cloakroom_vault (version) SELECT \(version) WHERE NOT EXISTS (SELECT 1 FROM cloakroom_vault)",
        """
        UPDATE cloakroom_vault SET version = \(version)
        WHERE version = 1 AND NOT EXISTS (SELECT 1 FROM cloakroom_key WHERE tag IS NULL)
        """,
    ]

    /// Makes the tables that are missing, brings those of version 1 up to date, or checks that they are those of this version. A role
    /// that may not make tables will do where they are there.
    static func prepare(_ connection: PostgresConnection) throws(PostgresStoreError) {
        let found: Int64?
        do throws(PostgresFailure) {
            switch try? version(connection) {
            case 1: found = try run(additions, connection)
            case let known?: found = known
            case nil: found = try run(tables + additions, connection)
            }
            if (try? connection.execute(AccessTable.probe)) == nil { _ = try run(AccessTable.statements, connection) }
        } catch { throw .cannotPrepare(error.vaultError) }
        guard let found else {
            throw .cannotPrepare(.corrupt("cloakroom_vault must have one row, which names the vault and its version"))
        }
        guard found == version || found == 1 else {
            throw .unsupportedVersion(found: Int(found), expected: Int(version))
        }
    }

    /// Another process may be making them at the same time; even IF NOT EXISTS can fail then.
    private static func run(
        _ statements: [String], _ connection: PostgresConnection
    ) throws(PostgresFailure) -> Int64? {
        var attempts = 20
        while true {
            attempts -= 1
            do throws(PostgresFailure) {
                for statement in statements { try connection.execute(statement) }
                return try version(connection)
            } catch {
                if attempts == 0 || error.endsConnection { throw error }
                usleep(.random(in: 1_000...50_000))
            }
        }
    }

    /// The version of the tables; nil if none or several are named.
    static func version(_ connection: PostgresConnection) throws(PostgresFailure) -> Int64? {
        // In text, as the results of commands without parameters are.
        let rows = try connection.execute("SELECT version FROM cloakroom_vault")
        return rows.count == 1 ? Int64(rows.text(0, 0)) : nil
    }
}
