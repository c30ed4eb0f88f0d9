public import Sensitive

/// How a shared vault is reached.
public struct PostgresStoreConfiguration: Sendable {
    /// `postgresql://user:password@host:port/database?…` (PostgreSQL, section 34.1.1.2). Several hosts may stand in it: the one
    /// that takes writes is used.
    public var url: SensitiveText
    /// Connections of this process, at least two: half of them write, the others read.
    public var connections = 4
    /// Whether a pooler stands between that hands out sessions by the transaction: then nothing is prepared or set for a session.
    public var sharesSessions = false
    /// How long to wait for one result of the server. Somewhat longer than the server's own limit for a statement: this is for a
    /// server that does not respond at all, stopped or cut off.
    public var responseTimeout = Duration.seconds(25)
    /// Requests that may wait for a writer, and for a reader; beyond that they are refused as `overloaded`.
    public var queueLimit = 8_192
    /// Requests that share one commit at most. Those that write hold their rows until then.
    public var batchLimit = 128

    /// Risks that the operator has accepted by name; nil where nothing is at stake and all are.
    public var acceptedRisks: Set<PostgresRisk>?

    /// Is told why no connection can be made any more, in libpq's words, which name hosts and users: once an outage. Called on a thread of
    /// the store, which waits for it.
    public var reportRefusal: @Sendable (String) -> Void = { _ in }

    /// The defaults, for a vault in the database that `url` names.
    public init(url: SensitiveText) {
        self.url = url
    }
}
