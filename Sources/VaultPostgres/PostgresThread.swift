import Crypto
import Threads
import Vault

/// A thread with a connection to the database of its own that carries out requests in batches: it takes all that wait, runs them in one
/// transaction, ends it, and wakes their callers. While a writer syncs, the next requests gather; so the more there
/// are, the less each of them costs. One without a connection leaves the requests to those of its kind that have one, if there are any.
final class PostgresThread: Sendable {
    private let worker: Worker

    /// Starts the thread on a connection that is handed over to it. The thread keeps it until the mailbox is closed and empty.
    ///
    /// - Parameters:
    ///   - transaction: what the requests are carried out on.
    ///   - mailbox: where the requests come from; several threads may take from one.
    ///   - limit: requests of a batch, at the most.
    ///   - prepare: called first, on the thread.
    ///   - run: carries out a batch; wakes the callers.
    init?(
        _ transaction: sending PostgresTransaction, _ mailbox: Mailbox<Job<PostgresTransaction>>, batchesOf limit: Int,
        prepare: @escaping @Sendable () -> Void,
        run: @escaping @Sendable (PostgresTransaction, [Job<PostgresTransaction>]) -> Void
    ) {
        let handover = Handover(transaction)
        let worker = Worker {
            prepare()
            guard let transaction = handover.take() else { return }
            var done = 0
            while true {
                guard let jobs = mailbox.take(limit: limit, after: done, unless: { transaction.isAskedForConnection })
                else {
                    transaction.giveConnectionUp()
                    done = 0
                    continue
                }
                if jobs.isEmpty { break }
                if transaction.leavesRequests {
                    // They do not wait for a connection that may not be made.
                    mailbox.putBack(jobs, after: jobs.count)
                    done = 0
                    transaction.connectOrWait()
                    continue
                }
                run(transaction, jobs)
                done = jobs.count
                // Before the thread sleeps: sealing has left short values there.
                SecureWipe.wipeStack()
            }
            transaction.giveConnectionUp()
        }
        guard let worker else { return nil }
        self.worker = worker
    }

    /// Waits for the thread to have given its connection up. Its mailbox must have been closed.
    func join() { worker.join() }
}

/// Carries a transaction into its thread.
///
/// `@unchecked Sendable`: put in before the thread starts, taken out by the thread, once.
private final class Handover: @unchecked Sendable {
    private var transaction: PostgresTransaction?

    init(_ transaction: PostgresTransaction) {
        self.transaction = transaction
    }

    func take() -> PostgresTransaction? {
        defer { transaction = nil }
        return transaction
    }
}
