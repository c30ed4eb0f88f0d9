import Vault

/// The steps of reading and writing on one connection. Belongs to the thread of that connection.
final class SQLiteTransaction {
    let connection: SQLiteConnection
    /// Whether the request being carried out has written, and so opened a savepoint.
    private var hasSavepoint = false
    private var lastValueID: Int64
    let statements: SQLiteStatements
    /// The last failure of a step since the transaction began.
    private(set) var lastFailure: SQLiteFailure?
    private var hasWritten = false
    /// Whether the transaction has written rows that need room of their own.
    var hasInserted = false

    init(_ connection: SQLiteConnection) throws(SQLiteFailure) {
        self.connection = connection
        statements = try SQLiteStatements(connection)
        lastValueID = try connection.number("SELECT max(seq) FROM sqlite_sequence WHERE name = 'value'")
    }

    // MARK: The bounds of transactions and requests

    /// Begins a transaction for a batch of requests.
    func begin(writing: Bool) throws(SQLiteFailure) {
        hasSavepoint = false
        hasWritten = false
        hasInserted = false
        lastFailure = nil
        try (writing ? statements.beginImmediate : statements.begin).run()
    }

    /// Why SQLite gave the transaction up on its own, if it has.
    var failureThatEndedTransaction: SQLiteFailure? {
        connection.isInTransaction ? nil : lastFailure ?? SQLiteFailure(code: SQLiteFailure.aborted)
    }

    /// Makes everything durable, `synchronous` being `FULL`.
    func commit() throws(SQLiteFailure) {
        try statements.commit.run()
        guard hasWritten else { return }
        try connection.demandFilesInPlace()
        connection.moveLogOnClose()
    }

    /// Gives everything up. Many failures have already done so.
    func rollback() {
        if connection.isInTransaction { try? statements.rollback.run() }
    }

    /// Ends one request of the batch, keeping what it wrote or taking it back.
    func endRequest(keeping: Bool) throws(SQLiteFailure) {
        guard hasSavepoint else { return }
        hasSavepoint = false
        if !keeping { try statements.rollbackToSavepoint.run() }
        try statements.release.run()
    }

    /// A request that only reads, or is refused before it has written, needs no savepoint: most do not.
    private func willWrite() throws(SQLiteFailure) {
        guard !hasSavepoint else { return }
        try statements.savepoint.run()
        hasSavepoint = true
        hasWritten = true
    }

    func reading<Result>(_ step: () throws(SQLiteFailure) -> Result) throws(VaultError) -> Result {
        do {
            return try step()
        } catch {
            lastFailure = error
            throw error.vaultError
        }
    }

    func writing<Result>(_ step: () throws(SQLiteFailure) -> Result) throws(VaultError) -> Result {
        do {
            try willWrite()
            return try step()
        } catch {
            lastFailure = error
            throw error.vaultError
        }
    }

    // MARK: Ids

    /// Ids count up; SQLite remembers the highest that was ever in the table (`AUTOINCREMENT`).
    func nextValueID() throws(VaultError) -> Int64 {
        guard lastValueID < .max else { throw .unavailable("there are no value ids left") }
        lastValueID += 1
        return lastValueID
    }
}
