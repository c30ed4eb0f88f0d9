import Glibc
public import Vault

/// The embedded store: one SQLite database in WAL mode with `synchronous=FULL`, so that what is committed is synced
/// (docs/architecture.md). One thread writes, another reads, so that reveals do not wait for syncs, and a third moves the log into the
/// database; no caller's thread ever touches the disk.
public final class SQLiteAliasStore: DurableStore {
    public let isExclusive = true

    let lock: DatabaseLock
    let writer: SQLiteThread
    let reader: SQLiteThread
    let connections: StoreConnections
    let configuration: SQLiteStoreConfiguration
    let checkpointer: Checkpointer

    /// Opens the vault at the configured path, or makes an empty one there, readable for its owner alone.
    public init(_ configuration: SQLiteStoreConfiguration) throws(SQLiteStoreError) {
        let path = configuration.path
        self.configuration = configuration
        PrivateFile.prepareDirectory(of: path)
        let lock = try DatabaseLock(path: path)
        self.lock = lock
        try Self.prepareFile(path)
        do {
            try DatabaseFiles.dropForeignLog(beside: path)
            let isOld = try Schema.prepare(try SQLiteConnection(path: path), path: path)
            let connections = StoreConnections(configuration)
            // One of an older format is opened when it has been upgraded.
            if !isOld { try connections.open() }
            let mailbox = Mailbox<Job<SQLiteTransaction>>(limit: configuration.queueLimit)
            let limit = configuration.batchLimit
            let wakeUp = Job<SQLiteTransaction>(run: { _ in true }, finish: { _ in })
            let checkpointer = Checkpointer(connections, configuration) { _ = mailbox.put(wakeUp) }
            let writing = WriterRun(connections: connections, figures: StoreFigures(), checkpointer: checkpointer)
            let reading = ReaderRun(connections: connections, figures: StoreFigures())
            writer = try SQLiteThread("vault writer", mailbox, writing.figures, batchesOf: limit) { writing.run($0) }
            reader = try SQLiteThread(
                "vault reader", Mailbox(limit: configuration.queueLimit), reading.figures, batchesOf: limit
            ) { reading.run($0) }
            try checkpointer.start()
            self.connections = connections
            self.checkpointer = checkpointer
        } catch let failure as SQLiteFailure {
            throw SQLiteStoreError(failure)
        } catch let error as SQLiteStoreError {
            throw error
        } catch {
            throw .cannotOpen("unexpected failure")
        }
    }

    /// Whether there is a vault, or anything else that is not empty, at this path; true if the process may not look. A master key may be
    /// made up only where there is nothing.
    public static func exists(at path: String) -> Bool {
        var status = stat()
        guard stat(path, &status) == 0 else { return errno != ENOENT && errno != ENOTDIR }
        return status.st_size > 0
    }

    /// Says, for a command that finds the vault in use, where this process can be reached.
    public func announce(address: String) { lock.announce(address) }

    /// What the writer has done.
    public var metrics: StoreMetrics { writer.metrics }

    public func write<Result: Sendable>(
        within limit: WaitLimit?,
        _ work: @escaping @Sendable (any AliasTransaction) throws(VaultError) -> Result
    ) async throws(VaultError) -> Result {
        try await submit(to: writer.mailbox, within: limit) { (transaction) throws(VaultError) in try work(transaction)
        }
    }

    public func read<Result: Sendable>(
        _ work: @escaping @Sendable (any AliasReading) throws(VaultError) -> Result
    ) async throws(VaultError) -> Result {
        try await submit(to: reader.mailbox) { (transaction) throws(VaultError) in try work(transaction) }
    }

    /// There is no server.
    public func endWaitsSoon() {}

    /// Finishes what waits and closes the database. Blocks; for the end of a process.
    public func close() {
        checkpointer.close()
        reader.close()
        writer.close()
        connections.close()
        lock.release()
    }

    /// Creates the file for its owner alone, or takes others' rights away; the files beside it get the same mode.
    private static func prepareFile(_ path: String) throws(SQLiteStoreError) {
        let isNew = !PrivateFile.exists(path)
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .cannotOpen("\(path): \(String(cString: strerror(errno)))") }
        defer { Glibc.close(descriptor) }
        // The mode of a device is the machine's: `/dev/null` is every process's.
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw .cannotOpen("\(path) is not a regular file")
        }
        guard status.st_size == 0 || Self.isDatabase(descriptor) else {
            throw .damaged("file is not a database")
        }
        guard fchmod(descriptor, 0o600) == 0 else {
            throw .cannotOpen("\(path): its mode cannot be set to 0600")
        }
        if isNew, !PrivateFile.syncDirectory(of: path) {
            throw .cannotOpen("\(path): its directory cannot be synced")
        }
    }

    /// Whether the file begins as databases of SQLite do: another one is not ours to change.
    private static func isDatabase(_ descriptor: Int32) -> Bool {
        var found = [UInt8](repeating: 0, count: DatabaseFiles.beginning.count)
        return pread(descriptor, &found, found.count, 0) == found.count && found == DatabaseFiles.beginning
    }
}

extension SQLiteConnection {
    /// The settings of a connection of the serving process.
    func configure(_ configuration: SQLiteStoreConfiguration, writing: Bool) throws(SQLiteFailure) {
        try execute(
            """
            PRAGMA journal_mode = WAL;
            PRAGMA synchronous = FULL;
            PRAGMA temp_store = MEMORY;
            PRAGMA secure_delete = ON;
            PRAGMA trusted_schema = OFF;
            PRAGMA cell_size_check = ON;
            PRAGMA cache_size = -\(writing ? configuration.cacheSize : configuration.cacheSize / 4);
            PRAGMA wal_autocheckpoint = 0;
            """)
        let pages = min(configuration.maximumPages ?? .max, SQLiteConnection.maximumPages)
        try execute("PRAGMA max_page_count = \(pages)")
        if !writing { try execute("PRAGMA query_only = ON") }
        // The log is there once something has been read.
        _ = try number("PRAGMA user_version")
        try requireFilesInPlace()
    }
}
