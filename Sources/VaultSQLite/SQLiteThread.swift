import CSQLite
import Vault

/// One of the two threads of an embedded vault, with its queue.
final class SQLiteThread: Sendable {
    let mailbox: Mailbox<Job<SQLiteTransaction>>
    let figures = StoreFigures()
    private let thread: DatabaseThread<SQLiteTransaction>

    /// Starts the thread on a connection that is handed over to it. The thread keeps the lock until it has closed the
    /// connection.
    ///
    /// - Parameter checkpointer: of the thread that writes; `nil` for one that reads.
    init(
        _ transaction: sending SQLiteTransaction, _ mailbox: Mailbox<Job<SQLiteTransaction>>,
        _ checkpointer: Checkpointer?, _ lock: DatabaseLock, batchesOf limit: Int
    ) throws(SQLiteStoreError) {
        let figures = figures
        let thread = DatabaseThread(
            transaction, mailbox, batchesOf: limit,
            prepare: { cloakroom_name_database_thread(checkpointer == nil ? "vault reader" : "vault writer") },
            run: { transaction, jobs in
                withExtendedLifetime(lock) {
                    if let checkpointer {
                        WriterRun(transaction: transaction, figures: figures, checkpointer: checkpointer).run(jobs)
                    } else {
                        // Reading commits nothing, so that there is no doubt about it.
                        _ = try? BatchRun(transaction: transaction, isWriting: false, figures: figures).run(jobs)
                    }
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
