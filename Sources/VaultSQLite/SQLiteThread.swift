import CSQLite
import Crypto
import Threads
import Vault

/// One of the two threads of an embedded vault that carry out requests, with its queue: it takes all that wait, runs them in one transaction,
/// and wakes their callers. While the writer syncs, the next requests gather.
final class SQLiteThread: Sendable {
    let mailbox: Mailbox<Job<SQLiteTransaction>>
    let figures: StoreFigures
    private let worker: Worker

    /// Starts the thread.
    ///
    /// - Parameter run: carries out a batch on the thread; returns what it had no time for.
    init(
        _ name: StaticString, _ mailbox: Mailbox<Job<SQLiteTransaction>>, _ figures: StoreFigures, batchesOf limit: Int,
        run: @escaping @Sendable (BatchRun.Jobs) -> BatchRun.Jobs.SubSequence
    ) throws(SQLiteStoreError) {
        let worker = Worker {
            cloakroom_name_database_thread("\(name)")
            var done = 0
            while case let jobs = mailbox.take(limit: limit, after: done), !jobs.isEmpty {
                let left = run(jobs)
                done = jobs.count
                if !left.isEmpty { mailbox.putBack(left) }
                // Before the thread sleeps: sealing has left short values there.
                SecureWipe.wipeStack()
            }
        }
        guard let worker else { throw .cannotOpen("the system gives no more threads") }
        self.mailbox = mailbox
        self.figures = figures
        self.worker = worker
    }

    /// The figures as they are now.
    var metrics: StoreMetrics {
        var metrics = figures.metrics
        metrics.waiting = mailbox.count
        return metrics
    }

    /// Finishes what waits, takes nothing more, and waits for the thread's end.
    func close() {
        mailbox.close()
        worker.join()
    }

    deinit {
        mailbox.close()
    }
}
