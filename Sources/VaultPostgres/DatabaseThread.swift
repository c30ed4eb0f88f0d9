import Crypto
import Threads
import Vault

/// A thread with a connection of its own that carries out requests in batches: it takes all that wait, runs them in one
/// transaction, ends it, and wakes their callers. While a writer syncs, the next requests gather; so the more there
/// are, the less each of them costs.
final class DatabaseThread<Session>: Sendable {
    private let worker: Worker

    /// Starts the thread on a session that is handed over to it. The thread keeps it until the mailbox is closed and empty.
    ///
    /// - Parameters:
    ///   - session: what the requests are carried out on.
    ///   - mailbox: where the requests come from; several threads may take from one.
    ///   - limit: requests of a batch, at the most.
    ///   - prepare: called first, on the thread.
    ///   - run: carries out a batch; wakes the callers.
    init?(
        _ session: sending Session, _ mailbox: Mailbox<Job<Session>>, batchesOf limit: Int,
        prepare: @escaping @Sendable () -> Void, run: @escaping @Sendable (Session, [Job<Session>]) -> Void
    ) {
        let handover = Handover(session)
        let worker = Worker {
            prepare()
            guard let session = handover.take() else { return }
            var done = 0
            while case let jobs = mailbox.take(limit: limit, after: done), !jobs.isEmpty {
                run(session, jobs)
                done = jobs.count
                // Before the thread sleeps: sealing has left short values there.
                SecureWipe.wipeStack()
            }
        }
        guard let worker else { return nil }
        self.worker = worker
    }

    /// Waits for the thread to have given its session up. Its mailbox must have been closed.
    func join() { worker.join() }
}

/// Carries a session into its thread.
///
/// `@unchecked Sendable`: put in before the thread starts, taken out by the thread, once.
private final class Handover<Session>: @unchecked Sendable {
    private var session: Session?

    init(_ session: Session) {
        self.session = session
    }

    func take() -> Session? {
        defer { session = nil }
        return session
    }
}
