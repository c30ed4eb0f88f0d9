import Vault

/// The steps of reading and writing on one connection. Belongs to the thread of that connection.
final class SQLiteTransaction {
    let connection: SQLiteConnection
    let statements: SQLiteStatements
    let indexes: IndexReader
    /// `nil` where the connection only reads.
    private let indexWriter: IndexWriter?
    /// Whether the request being carried out has opened a savepoint.
    private var hasSavepoint = false
    /// What the request adds.
    var pending = PendingRows()
    /// Values with higher ids are not in the database.
    var lastStoredValue: Int64 = 0
    /// The last failure of a step since the transaction began.
    private(set) var lastFailure: SQLiteFailure?
    private var hasWritten = false
    /// Whether the transaction has written rows that need room of their own.
    var hasInserted = false
    /// Whether the transaction has removed what must leave the files.
    var hasErased = false

    /// - Parameter mergeRound: where the connection writes, the rows of a round of merges; `nil` where it only reads.
    init(_ connection: SQLiteConnection, _ shared: SharedIndexes, mergeRound: Int?) throws(SQLiteFailure) {
        self.connection = connection
        statements = try SQLiteStatements(connection)
        if let mergeRound {
            let writer = try IndexWriter(shared, connection, roundRows: mergeRound)
            indexWriter = writer
            indexes = writer.reader
        } else {
            indexWriter = nil
            indexes = try IndexReader(shared, connection, isWriter: false)
        }
    }

    /// The hash that the indexes know an alias, or other bytes, by.
    var hash: SipHash { indexes.shared.hash }

    // MARK: The bounds of transactions and requests

    /// Begins a transaction for a batch of requests.
    func begin(writing: Bool) throws(SQLiteFailure) {
        hasSavepoint = false
        hasWritten = false
        hasInserted = false
        hasErased = false
        lastFailure = nil
        pending.removeAll()
        if writing { return try statements.beginImmediate.run() }
        indexes.shared.gate.enter()
        try statements.begin.run()
        // Before a look at the young indexes: what is replaced between that and the state that is seen would be in neither.
        try statements.takeSnapshot.run()
    }

    /// Why SQLite gave the transaction up on its own, if it has.
    var failureThatEndedTransaction: SQLiteFailure? {
        connection.isInTransaction ? nil : lastFailure ?? SQLiteFailure(code: SQLiteFailure.aborted)
    }

    /// Begins one request of the batch.
    func beginRequest() {
        lastStoredValue = indexWriter?.last(.value) ?? .max
        indexWriter?.beginRequest()
    }

    /// Ends one request of the batch, keeping what it wrote or taking it back.
    func endRequest(keeping: Bool) throws(SQLiteFailure) {
        if keeping {
            try writePending()
            // An alias without a value is a mistake of the caller's.
            guard pending.isEmpty else { throw .malformed }
        } else if let indexWriter {
            pending.removeAll()
            if hasSavepoint { try statements.rollbackToSavepoint.run() }
            try indexWriter.takeBackRequest()
        }
        if hasSavepoint {
            hasSavepoint = false
            try statements.release.run()
        }
    }

    /// Makes everything durable, `synchronous` being `FULL`. A failure is marked uncertain if a restart may still find the transaction.
    func commit() throws(SQLiteFailure) {
        try indexWriter?.prepareCommit()
        do throws(SQLiteFailure) {
            try statements.commit.run()
        } catch {
            throw hasWritten ? error.uncertain : error
        }
        indexWriter?.committed()
        leaveSnapshot()
        guard hasWritten else { return }
        // It is committed, and found again if the files are put back.
        do { try connection.requireFilesInPlace() } catch { throw error.uncertain }
        connection.moveLogOnClose()
    }

    /// Gives everything up. Many failures have already done so.
    func rollback() {
        if connection.isInTransaction { try? statements.rollback.run() }
        pending.removeAll()
        indexWriter?.rolledBack()
        leaveSnapshot()
    }

    private func leaveSnapshot() {
        if indexWriter == nil { indexes.shared.gate.leave() }
    }

    /// Merges a slice of the indexes if that is due; whether more is. Outside a transaction.
    func mergeSlice() throws(SQLiteFailure) -> Bool { try indexWriter?.mergeSlice() ?? false }

    // MARK: Steps

    func reading<Result>(_ step: () throws(SQLiteFailure) -> Result) throws(VaultError) -> Result {
        do {
            return try step()
        } catch {
            note(error)
            throw error.vaultError
        }
    }

    /// Of a damaged row only those who ask for it are told; the database may be well.
    private func note(_ failure: SQLiteFailure) {
        if !failure.isRow { lastFailure = failure }
    }

    /// A step that adds rows at the end of the request.
    func adding<Result>(_ step: (IndexWriter) throws(SQLiteFailure) -> Result) throws(VaultError) -> Result {
        do {
            hasWritten = true
            return try step(writer())
        } catch {
            note(error)
            throw error.vaultError
        }
    }

    /// A step that changes rows at once: in a savepoint, so that it can be taken back with its request.
    func writing<Result>(_ step: (IndexWriter) throws(SQLiteFailure) -> Result) throws(VaultError) -> Result {
        try adding { (writer) throws(SQLiteFailure) in
            try requireSavepoint()
            try writePending()
            return try step(writer)
        }
    }

    /// Sees to it that the rows that the request has added can be read.
    func requireStored() throws(SQLiteFailure) {
        guard !pending.isEmpty else { return }
        try requireSavepoint()
        try writePending()
    }

    func writer() throws(SQLiteFailure) -> IndexWriter {
        guard let indexWriter else { throw SQLiteFailure(code: SQLiteFailure.readOnly) }
        return indexWriter
    }

    /// Checks a row that the index names for this hash and that holds `own`, not what was looked for. Throws if the hash of `own` is
    /// another one, and this transaction has not removed the entry: then somebody else has changed the row. Where the connection only
    /// reads, the writer may just have removed it.
    func requireCollision(
        of own: [UInt8], in index: StoreIndex, _ hash: UInt64, _ place: Int64
    ) throws(SQLiteFailure) {
        guard self.hash.indexHash(own) != hash, let indexWriter,
            !indexWriter.hasRemoved(index, IndexEntry(hash: hash, place: place))
        else { return }
        throw .damagedRow
    }

    private func requireSavepoint() throws(SQLiteFailure) {
        guard !hasSavepoint else { return }
        try statements.savepoint.run()
        hasSavepoint = true
    }
}
