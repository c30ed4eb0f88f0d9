import Vault

/// Something that the server refused, or that kept it from answering. It knows the SQLSTATE alone: the server's messages may
/// quote what they are about (PostgreSQL, appendix A).
struct PostgresFailure: Error {
    /// Five characters; empty if the server has not said anything.
    let state: String
    /// Whether the connection is of no more use.
    let endsConnection: Bool
    /// Whether the server itself has refused a command. The message of a pooler, or of a server that shuts down, may stand in the place of
    /// results of commands that were carried out, and so may 40003 (completion unknown).
    let isRefusal: Bool
    /// Whether the last command of its exchange was certainly not carried out: it was not sent, or the server refused one before it.
    var precedesLast = false
    /// Whether it came while a transaction was being committed, and the server has not said what became of it.
    var isUncertain = false
    /// Whether the id of a new value was taken.
    var isTakenID = false

    /// The connection broke.
    static let lost = PostgresFailure(state: "", endsConnection: true)

    /// No connection could be made (SQLSTATE 08001).
    static let unreachable = PostgresFailure(state: "08001", endsConnection: true)

    /// The request waited for too long (SQLSTATE 57014, which the server gives a cancelled statement).
    static let late = PostgresFailure(state: "57014", endsConnection: false)

    /// A step of a draft needs the server.
    static let unforeseen = PostgresFailure(state: "", endsConnection: false)

    /// Another transaction has changed the same row meanwhile.
    static let overtaken = PostgresFailure(state: "40001", endsConnection: false)

    init(state: String, endsConnection: Bool) {
        self.state = state
        // Shutting down, starting up, or not the server that writes any more (25006, after a failover): there may be another.
        let isLeaving = state.hasPrefix("08") || state.hasPrefix("57P")
        self.endsConnection = endsConnection || isLeaving || state == "25006"
        isRefusal = !endsConnection && !isLeaving && state != "40003"
    }

    /// Whether the request may succeed if it is run again: another one came first with the same value, alias or key.
    var isConflict: Bool { isTransactionConflict || state == "23505" || state == "23503" }

    /// Whether the whole transaction must be run again: it could not be put in order with others, or waited for one that waited
    /// for it.
    var isTransactionConflict: Bool { state == "40001" || state == "40P01" }

    /// Whether another transaction held a row for too long.
    var isWait: Bool { state == "55P03" }

    /// Whether there was no connection to carry anything out on.
    var isUnreachable: Bool { state == Self.unreachable.state }

    /// Whether it is a table's, or its disk's: a full disk, a missing right or table. Requests that use others, or rows that are there, go well.
    var isLasting: Bool { ["53100", "42501", "42P01"].contains(state) }

    /// As the vault tells it.
    var vaultError: VaultError {
        if isUncertain {
            return .outcomeUnknown("the connection to the database broke during the commit")
        }
        switch state {
        case "": return .unavailable("the connection to the database broke")
        case "08001": return .unavailable("the database cannot be reached, refuses connections, or takes no writes")
        case "53100": return .unavailable("the database's disk is full")
        case "25006": return .unavailable("the database is read-only")
        case "55P03", "57014": return .unavailable("the database took too long")
        case "42P01", "3F000", "3D000": return .unavailable("the vault's tables are not in the database")
        case "42P05", "26000":
            return .unavailable(
                "a pooler gives each transaction another connection: set vault.postgres.pooler to transaction")
        case "42501": return .unavailable("the database refuses access to the vault's tables")
        case _ where isConflict: return .unavailable("the database is busy with the same values")
        case _ where state.hasPrefix("28"): return .unavailable("the database refuses the credentials")
        case _ where state.hasPrefix("XX"): return .corrupt("the database reports damage (SQLSTATE \(state))")
        default: return .unavailable("the database failed (SQLSTATE \(state))")
        }
    }
}
