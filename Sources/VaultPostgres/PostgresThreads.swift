import CPostgres
import Glibc
import Synchronization
import Threads
import Vault

/// The threads that write, or those that read, with the queue that they share.
final class PostgresThreads: Sendable {
    let mailbox: Mailbox<Job<PostgresTransaction>>
    let figures = StoreFigures()
    private let threads: [PostgresThread]
    private let waitLimit: PostgresWaitLimit
    private let isClosed = Atomic(false)

    /// Starts `count` threads. Each connects when it is first needed.
    ///
    /// - Parameter contact: what all threads of the store know of the server, those that write and those that read.
    init(
        _ count: Int, writing: Bool, _ configuration: PostgresStoreConfiguration, _ contact: PostgresContact
    ) throws(PostgresStoreError) {
        let mailbox = Mailbox<Job<PostgresTransaction>>(limit: configuration.queueLimit)
        let (figures, waitLimit) = (figures, PostgresWaitLimit(configuration.responseTimeout))
        self.waitLimit = waitLimit
        contact.register(writing: writing) { mailbox.call() }
        var threads: [PostgresThread] = []
        for _ in 0..<max(1, count) {
            let thread = PostgresThread(
                PostgresTransaction(configuration, waitLimit, contact, writing: writing), mailbox,
                batchesOf: configuration.batchLimit,
                prepare: { cloakroom_name_postgres_thread(writing ? "vault writer" : "vault reader") },
                run: {
                    PostgresBatch(
                        transaction: $0, isWriting: writing, figures: figures, mailbox: mailbox,
                        timeout: configuration.responseTimeout
                    ).run($1)
                })
            guard let thread else {
                mailbox.close()
                throw .noThreads
            }
            threads.append(thread)
        }
        self.mailbox = mailbox
        self.threads = threads
    }

    /// How long a process that ends waits for a server that does not answer.
    private static let closing = 5_000

    /// Finishes what waits, takes nothing more, and waits for the threads to have closed their connections. What a server that does
    /// not answer keeps from being finished fails.
    func close() {
        mailbox.close()
        let watcher = Worker { [self] in
            for _ in 0..<Self.closing / 50 {
                if isClosed.load(ordering: .relaxed) { return }
                usleep(50_000)
            }
            waitLimit.end()
        }
        for thread in threads { thread.join() }
        isClosed.store(true, ordering: .relaxed)
        watcher?.join()
    }

    deinit {
        mailbox.close()
    }
}
