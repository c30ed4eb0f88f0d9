import CPostgres
import Threads
import Vault

/// The threads that write, or those that read, with the queue that they share.
final class PostgresThreads: Sendable {
    let mailbox: Mailbox<Job<PostgresTransaction>>
    let figures = StoreFigures()
    private let threads: [PostgresThread]

    /// Starts `count` threads. Each connects when it is first needed.
    ///
    /// - Parameters:
    ///   - waitLimit: of all threads of the store, those that write and those that read.
    ///   - contact: what they know of the server together.
    init(
        _ count: Int, writing: Bool, _ configuration: PostgresStoreConfiguration, _ waitLimit: PostgresWaitLimit,
        _ contact: PostgresContact
    ) throws(PostgresStoreError) {
        let mailbox = Mailbox<Job<PostgresTransaction>>(limit: configuration.queueLimit)
        let figures = figures
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

    /// Waits for the threads to have carried out what waits, and closed their connections. The mailbox must have been closed.
    func join() { for thread in threads { thread.join() } }

    deinit {
        mailbox.close()
    }
}
