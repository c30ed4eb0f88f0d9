import Glibc
import Synchronization
import Threads
public import Vault

/// The shared store: tables in a PostgreSQL database, or in one of an engine that speaks its protocol, used by any number of
/// processes at once (docs/architecture.md). No caller's thread ever waits for the server.
public final class PostgresAliasStore: DurableStore {
    public let isExclusive = false

    private let writers: PostgresThreads
    private let readers: PostgresThreads
    private let waitLimit: PostgresWaitLimit
    private let isClosed = Atomic(false)

    /// Connects, and makes the tables if they are not there.
    public init(_ configuration: PostgresStoreConfiguration) throws(PostgresStoreError) {
        waitLimit = PostgresWaitLimit(configuration.responseTimeout)
        let connection = try PostgresConnection(configuration, waitLimit)
        if let accepted = configuration.acceptedRisks {
            let risks = connection.risks().filter { !accepted.contains($0) }
            guard risks.isEmpty else { throw .notDurable(risks) }
        }
        try PostgresSchema.prepare(connection)
        let (writing, contact) = (configuration.connections / 2, PostgresContact())
        writers = try PostgresThreads(writing, writing: true, configuration, waitLimit, contact)
        readers = try PostgresThreads(
            configuration.connections - writing, writing: false, configuration, waitLimit, contact)
    }

    /// The vault's id and its keys, still wrapped. Blocks; for commands. Throws `noVault` if there is none.
    public static func keys(
        _ configuration: PostgresStoreConfiguration, anchorOf log: Int64
    ) throws(PostgresStoreError) -> (vaultID: [UInt8], keys: [KeyRecord], anchor: AuditAnchor?) {
        let waitLimit = PostgresWaitLimit(configuration.responseTimeout)
        let connection = try PostgresConnection(configuration, waitLimit)
        if let found = try? PostgresSchema.version(connection), found != PostgresSchema.version {
            throw .unsupportedVersion(found: Int(found), expected: Int(PostgresSchema.version))
        }
        let transaction = PostgresTransaction(configuration, waitLimit, PostgresContact(), connection)
        do throws(PostgresFailure) { try transaction.begin(writing: false, savepoints: false) } catch {
            throw .cannotPrepare(error.vaultError)
        }
        defer { transaction.rollback() }
        do throws(VaultError) {
            guard let id = try transaction.vaultID() else { throw VaultError.corrupt("no vault") }
            return (id, try transaction.keys(), try transaction.anchor(of: log))
        } catch {
            // No tables, or no vault in them.
            if case .unavailable = error, transaction.failure?.state != "42P01" { throw .cannotPrepare(error) }
            throw .noVault
        }
    }

    /// Brings tables of an older version to this one.
    public func upgrade(
        _ upgrade: @escaping @Sendable (FormatUpgrade.Source) throws(VaultError) -> FormatUpgrade
    ) async throws(VaultError) {
        try await PostgresUpgrade(store: self).run(upgrade)
    }

    public func write<Result: Sendable>(
        within limit: WaitLimit?,
        _ work: @escaping @Sendable (any AliasTransaction) throws(VaultError) -> Result
    ) async throws(VaultError) -> Result {
        try await write(within: limit, steps: { (transaction) throws(VaultError) in try work(transaction) })
    }

    func write<Result: Sendable>(
        within limit: WaitLimit? = nil,
        steps: @escaping @Sendable (PostgresTransaction) throws(VaultError) -> Result
    ) async throws(VaultError) -> Result {
        try await submit(to: writers.mailbox, within: limit, steps)
    }

    func read<Result: Sendable>(
        steps: @escaping @Sendable (PostgresTransaction) throws(VaultError) -> Result
    ) async throws(VaultError) -> Result {
        try await submit(to: readers.mailbox, steps)
    }

    public func read<Result: Sendable>(
        _ work: @escaping @Sendable (any AliasReading) throws(VaultError) -> Result
    ) async throws(VaultError) -> Result {
        try await read(steps: { (transaction) throws(VaultError) in try work(transaction) })
    }

    public var failure: VaultError? { writers.figures.failure ?? readers.figures.failure }

    public func retryAfterFailure() async {
        if writers.figures.failure != nil, (try? await probeWriting()) != nil { writers.figures.noteRecovery() }
        if readers.figures.failure != nil, (try? await probeReading()) != nil { readers.figures.noteRecovery() }
    }

    /// Writes all that requests write: once to take it back, once to commit.
    private func probeWriting() async throws(VaultError) {
        let takenBack = VaultError.unavailable("a probe stores nothing")
        do {
            try await write(steps: { (step) throws(VaultError) in
                try step.run(.probeWriting)
                try step.probeCreating()
                throw takenBack
            })
        } catch { guard error == takenBack else { throw error } }
        try await write(steps: { (step) throws(VaultError) in try step.probeWriting() })
    }

    private func probeReading() async throws(VaultError) {
        _ = try await read(steps: { (step) throws(VaultError) in
            try step.run(.probeReading)
            return try step.keys().count
        })
    }

    public var metrics: StoreMetrics {
        var metrics = writers.figures.metrics
        metrics.waiting = writers.mailbox.count
        return metrics
    }

    /// Commands need no address: they open the vault beside the processes that serve it.
    public func announce(address: String) {}

    public func endWaitsSoon() { waitLimit.endSoon() }

    /// What a server that does not respond keeps from being finished fails.
    public func close() {
        let all = [readers, writers]
        for threads in all { threads.mailbox.close() }
        let watcher = Worker { [self] in
            let end = ContinuousClock.now + PostgresWaitLimit.ending
            while ContinuousClock.now < end {
                if isClosed.load(ordering: .relaxed) { return }
                usleep(50_000)
            }
            waitLimit.end()
        }
        for threads in all { threads.join() }
        isClosed.store(true, ordering: .relaxed)
        watcher?.join()
    }
}
