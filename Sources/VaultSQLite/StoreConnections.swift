import Synchronization
import Vault

/// What is used by one thread at a time, and may be exchanged in between.
///
/// `@unchecked Sendable`: the content is touched only under the lock.
final class Exclusive<Content>: @unchecked Sendable {
    private let lock = Mutex(())
    private var content: Content?

    init() {}

    func use<Result>(_ body: (inout Content?) -> Result) -> Result {
        lock.withLock { _ in body(&content) }
    }
}

/// The connections of an embedded vault: one that writes, one that reads, one for checkpoints.
final class StoreConnections: Sendable {
    let writer = Exclusive<SQLiteTransaction>()
    let reader = Exclusive<SQLiteTransaction>()
    let checkpoints = Exclusive<SQLiteConnection>()
    /// The pages in the log.
    let log = LogSize()
    private let configuration: SQLiteStoreConfiguration
    private let files: Mutex<DatabaseFiles?> = Mutex(nil)
    /// Why it is not known what the database holds.
    private let doubt = Mutex<SQLiteFailure?>(nil)

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
    func noteDoubt(_ failure: SQLiteFailure) { doubt.withLock { $0 = failure } }

    /// After a failed commit the log may end with a transaction that a restart would find; after a failed sync what was said to be
    /// written may not be, and a later sync would not tell (Linux reports such an error once). So before anything else is done, all
    /// connections are closed, the log is written again as it is, and the database is opened as after a crash: the state is read from the
    /// log, whatever it is, and all that the log holds is written into the database, synced. To be called by the writer. Returns why that cannot be done yet.
    func settle() -> SQLiteFailure? {
        guard doubt.withLock({ $0 }) != nil else { return nil }
        do throws(SQLiteFailure) {
            // The reader has to wait: in between nothing is known of the young indexes.
            let failure = reader.use { reading in
                checkpoints.use { third in reopen(&reading, &third) }
            }
            if let failure { throw failure }
            doubt.withLock { $0 = nil }
            return nil
        } catch {
            return error
        }
    }

    private func reopen(_ reading: inout SQLiteTransaction?, _ third: inout SQLiteConnection?) -> SQLiteFailure? {
        guard files.withLock({ $0?.areInPlace() ?? true }) else { return SQLiteFailure(code: SQLiteFailure.moved) }
        writer.use { writing in
            writing?.connection.leaveLogOnClose()
            writing = nil
        }
        reading = nil
        third = nil
        guard DatabaseFiles.rewriteLog(beside: configuration.path) else {
            return SQLiteFailure(code: SQLiteFailure.inputOutput)
        }
        do throws(SQLiteFailure) {
            let fresh = StoreConnections(configuration)
            try fresh.open()
            var left = 1
            var transaction: SQLiteTransaction?
            fresh.writer.use { swap(&$0, &transaction) }
            if let transaction {
                left = try transaction.connection.checkpoint(.truncate)
                transaction.connection.noteLogPages(log)
            }
            guard left == 0 else { throw .busy }
            log.note(0)
            writer.use { $0 = transaction }
            fresh.reader.use { swap(&$0, &reading) }
            fresh.checkpoints.use { swap(&$0, &third) }
            return nil
        } catch {
            return error
        }
    }

    /// Closes all of them, the writer last, which moves the log into the database.
    func close() {
        checkpoints.use { $0 = nil }
        reader.use { $0 = nil }
        writer.use { $0 = nil }
    }
}
