import CSQLite
import Synchronization
import Vault

/// A thread with a connection of its own that carries out requests in batches: it takes all that wait, runs them in one
/// transaction, ends it, and wakes their callers. While the writer syncs, the next requests gather; so the more there
/// are, the less each of them costs.
final class DatabaseThread: Sendable {
    let mailbox: Mailbox<Job>
    private let worker: Worker
    private let figures: Figures

    /// Starts the thread on a connection that is handed over to it. The thread keeps the lock until it has closed the
    /// connection.
    init(
        _ transaction: sending SQLiteTransaction, writing: Bool, _ lock: DatabaseLock,
        _ configuration: SQLiteStoreConfiguration
    ) throws(SQLiteStoreError) {
        let mailbox = Mailbox<Job>(limit: configuration.queueLimit)
        let figures = Figures()
        let batchLimit = configuration.batchLimit
        let handover = Handover(transaction)
        let worker = Worker {
            cloakroom_name_database_thread(writing ? "vault writer" : "vault reader")
            withExtendedLifetime(lock) {
                guard let transaction = handover.take() else { return }
                let batch = BatchRun(transaction: transaction, isWriting: writing, figures: figures)
                while case let jobs = mailbox.take(limit: batchLimit), !jobs.isEmpty {
                    batch.run(jobs)
                    // Before the thread sleeps: sealing has left short values there.
                    cloakroom_wipe_stack()
                }
            }
        }
        guard let worker else { throw .cannotOpen("the system gives no more threads") }
        self.mailbox = mailbox
        self.figures = figures
        self.worker = worker
    }

    /// The figures as they are now.
    var metrics: SQLiteMetrics {
        var metrics = figures.current.withLock { $0 }
        metrics.waiting = mailbox.count
        return metrics
    }

    /// Why the database could not do what the thread last asked for; nil if it could.
    var failure: VaultError? { figures.failure.withLock { $0 } }

    /// Finishes what waits, takes nothing more, and waits for the thread to have closed its connection.
    func close() {
        mailbox.close()
        worker.join()
    }

    deinit {
        mailbox.close()
    }
}

/// Counters shared with the thread.
final class Figures: Sendable {
    let current = Mutex(SQLiteMetrics())
    /// Why the database could not do what the last batch asked for; nil if it could.
    let failure = Mutex<VaultError?>(nil)
}

/// Carries a connection into its thread.
///
/// `@unchecked Sendable`: put in before the thread starts, taken out by the thread, once.
private final class Handover: @unchecked Sendable {
    private var transaction: SQLiteTransaction?

    init(_ transaction: SQLiteTransaction) {
        self.transaction = transaction
    }

    func take() -> SQLiteTransaction? {
        defer { transaction = nil }
        return transaction
    }
}
