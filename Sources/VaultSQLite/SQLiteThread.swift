import CSQLite
import Vault

/// One of the two threads of an embedded vault, with its queue.
final class SQLiteThread: Sendable {
    let mailbox: Mailbox<Job<SQLiteTransaction>>
    let figures = StoreFigures()
    private let thread: DatabaseThread<SQLiteTransaction>

    /// Starts the thread on a connection that is handed over to it. The thread keeps the lock until it has closed the
    /// connection.
    init(
        _ transaction: sending SQLiteTransaction, writing: Bool, _ lock: DatabaseLock,
        _ configuration: SQLiteStoreConfiguration
    ) throws(SQLiteStoreError) {
        let (mailbox, figures) = (Mailbox<Job<SQLiteTransaction>>(limit: configuration.queueLimit), figures)
        let thread = DatabaseThread(
            transaction, mailbox, batchesOf: configuration.batchLimit,
            prepare: { cloakroom_name_database_thread(writing ? "vault writer" : "vault reader") },
            run: { transaction, jobs in
                withExtendedLifetime(lock) {
                    BatchRun(transaction: transaction, isWriting: writing, figures: figures).run(jobs)
                }
            })
        guard let thread else { throw .cannotOpen("the system gives no more threads") }
        self.mailbox = mailbox
        self.thread = thread
    }

    /// The figures as they are now.
    var metrics: StoreMetrics {
        var metrics = figures.metrics
        metrics.waiting = mailbox.count
        return metrics
    }

    /// Finishes what waits, takes nothing more, and waits for the thread to have closed its connection.
    func close() {
        mailbox.close()
        thread.join()
    }

    deinit {
        mailbox.close()
    }
}
