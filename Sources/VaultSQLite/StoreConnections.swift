import Synchronization
import Vault

/// The connections of an embedded vault: one that writes, one that reads, one for checkpoints.
final class StoreConnections: Sendable {
    let writer = Exclusive<SQLiteTransaction>()
    let reader = Exclusive<SQLiteTransaction>()
    let checkpoints = Exclusive<SQLiteConnection>()
    /// The pages in the log.
    let log = LogSize()
    private let configuration: SQLiteStoreConfiguration
    private let files: Mutex<DatabaseFiles?> = Mutex(nil)
    private let doubt = Mutex<Doubt?>(nil)

    /// Why it is not known what the database holds, and how far the settling of that has come.
    private struct Doubt {
        var failure: SQLiteFailure
        /// Whether the log has been written again, synced.
        var isLogWritten = false
        var pause = RetryPause()

        init(_ failure: SQLiteFailure) { self.failure = failure }
    }

    init(_ configuration: SQLiteStoreConfiguration) {
        self.configuration = configuration
    }

    /// Opens all connections, on a database that is there in the right format.
    func open() throws(SQLiteFailure) {
        let first = try SQLiteConnection(path: configuration.path)
        try first.configure(configuration, writing: true)
        let second = try SQLiteConnection(path: configuration.path)
        try second.configure(configuration, writing: false)
        let third = try SQLiteConnection(path: configuration.path)
        first.noteLogPages(log)
        let shared = SharedIndexes(hash: try .ofIndexes(first))
        let writing = try SQLiteTransaction(first, shared, mergeRound: configuration.mergeRound)
        let reading = try SQLiteTransaction(second, shared, mergeRound: nil)
        writer.use { $0 = writing }
        reader.use { $0 = reading }
        checkpoints.use { $0 = third }
        files.withLock { if $0 == nil { $0 = DatabaseFiles(path: configuration.path) } }
    }

    /// Whether they are open.
    var areOpen: Bool { writer.use { $0 != nil } }

    /// Opens all connections, after an upgrade.
    func openForVault() throws(VaultError) {
        do throws(SQLiteFailure) { try open() } catch { throw error.vaultError }
    }

    /// Writes the file again if it has no room for the notes by which pages can be moved: it comes from an older format, whose tables are
    /// gone. Blocks.
    func rewriteIfUpgraded() throws(VaultError) {
        let failure = writer.use { transaction -> SQLiteFailure? in
            guard let connection = transaction?.connection else { return .closed }
            do throws(SQLiteFailure) {
                guard try connection.number("PRAGMA auto_vacuum") == 0 else { return nil }
                try connection.execute(
                    "PRAGMA auto_vacuum = INCREMENTAL; PRAGMA temp_store = FILE; VACUUM; PRAGMA temp_store = MEMORY")
                connection.moveLogOnClose()
                _ = try connection.checkpoint(.truncate)
                return nil
            } catch {
                return error
            }
        }
        if let failure { throw failure.vaultError }
    }

    /// Notes that a commit or a checkpoint has failed.
    func noteDoubt(_ failure: SQLiteFailure) { doubt.withLock { $0 = Doubt(failure) } }

    /// After a failed commit the log may end with a transaction that a restart would find; after a failed sync what was said to be
    /// written may not be, and a later sync would not tell (Linux reports such an error once). So before anything else is written, the log
    /// is written again as it is, all connections are closed, and the database is opened as after a crash: the state is read from the
    /// log, whatever it is, and moved into the database. To be called by the writer. Returns why that cannot be done yet.
    ///
    /// Reading goes on meanwhile, on what was committed before: the reader is closed only when the log is synced and its state can be
    /// taken up. Where even that fails, such as for want of blocks for the shared memory, reading stops too until it goes well. What
    /// cannot be done is tried again after pauses that grow, and the log is not written again for it.
    func settle() -> SQLiteFailure? {
        guard let found = doubt.withLock({ $0 }) else { return nil }
        if found.pause.rest() > .zero { return found.failure }
        guard let failure = settle(found) else {
            doubt.withLock { $0 = nil }
            return nil
        }
        doubt.withLock {
            $0?.failure = failure
            $0?.pause.failed()
        }
        return failure
    }

    private func settle(_ found: Doubt) -> SQLiteFailure? {
        guard files.withLock({ $0?.areInPlace() ?? true }) else { return SQLiteFailure(code: SQLiteFailure.moved) }
        writer.use { writing in
            writing?.connection.leaveLogOnClose()
            writing = nil
        }
        return checkpoints.use { third -> SQLiteFailure? in
            third = nil
            if !found.isLogWritten {
                guard DatabaseFiles.rewriteLog(beside: configuration.path) else {
                    return SQLiteFailure(code: SQLiteFailure.inputOutput)
                }
                doubt.withLock { $0?.isLogWritten = true }
            }
            // The reader has to wait: in between nothing is known of the young indexes.
            return reader.use { reading in reopen(&reading, &third) }
        }
    }

    private func reopen(_ reading: inout SQLiteTransaction?, _ third: inout SQLiteConnection?) -> SQLiteFailure? {
        reading = nil
        let fresh = StoreConnections(configuration)
        do throws(SQLiteFailure) { try fresh.open() } catch { return error }
        fresh.reader.use { swap(&$0, &reading) }
        var transaction: SQLiteTransaction?
        fresh.writer.use { swap(&$0, &transaction) }
        guard let transaction else { return .closed }
        transaction.connection.noteLogPages(log)
        transaction.connection.setBusyTimeout(100)
        defer { transaction.connection.setBusyTimeout(SQLiteConnection.busyTimeout) }
        do throws(SQLiteFailure) {
            if try transaction.connection.checkpoint(.truncate) == 0 { log.note(0) }
        } catch {
            // What is in the synced log need not be in the database: without room for that, or past another process that reads, the
            // vault goes on with the log that it has.
            if error.isSync { doubt.withLock { $0?.isLogWritten = false } }
            if error.isInputOutput { return error }
        }
        writer.use { $0 = transaction }
        fresh.checkpoints.use { swap(&$0, &third) }
        return nil
    }

    /// Closes all of them, the writer last, which moves the log into the database.
    func close() {
        checkpoints.use { $0 = nil }
        reader.use { $0 = nil }
        writer.use { $0 = nil }
    }
}
