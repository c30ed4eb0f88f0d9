import Vault

/// The table of rows about callers (`AccessRecord`), and the statements on it. Times are those of the database server: the clocks of
/// the processes may differ.
enum AccessTable {
    static let statements = [
        """
        CREATE TABLE IF NOT EXISTS cloakroom_access (
            kind BIGINT NOT NULL, name BYTEA NOT NULL, content BYTEA NOT NULL, forgotten_at BIGINT NOT NULL,
            recorded_at BIGINT NOT NULL, PRIMARY KEY (kind, name))
        """,
        "CREATE INDEX IF NOT EXISTS cloakroom_access_expiry ON cloakroom_access (forgotten_at)",
        "CREATE INDEX IF NOT EXISTS cloakroom_access_time ON cloakroom_access (kind, recorded_at)",
    ]

    /// Fails where the table is not there. Vaults of format 3 from before there was the table have none.
    static let probe = "SELECT 1 FROM cloakroom_access LIMIT 0"

    static let now = "CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT)"

    static let select = "SELECT kind, name, content, forgotten_at FROM cloakroom_access WHERE kind = $1 AND name = $2"
    /// One row at least, for the clock.
    static let selectAll =
        """
        WITH clock AS (SELECT \(now) AS now)
        SELECT c.now, a.kind, a.name, a.content, a.forgotten_at FROM clock c LEFT JOIN cloakroom_access a ON a.kind = $1
        """
    /// The clock may have been set back since the last reading.
    static let selectNew = "\(selectAll) AND a.recorded_at >= LEAST($2, c.now) - \(AccessReading.overlap)"
    static let insert =
        """
        INSERT INTO cloakroom_access (kind, name, content, forgotten_at, recorded_at) VALUES ($1, $2, $3, $4, \(now))
        ON CONFLICT (kind, name) DO NOTHING
        """
    static let update = "UPDATE cloakroom_access SET content = $3, forgotten_at = $4 WHERE kind = $1 AND name = $2"
    /// Rows that another process is erasing are left to it.
    static let delete =
        """
        DELETE FROM cloakroom_access WHERE (kind, name) IN (
            SELECT kind, name FROM cloakroom_access WHERE forgotten_at <= $1 LIMIT $2 FOR UPDATE SKIP LOCKED)
        """
}
