import CPostgres
import Vault

/// The threads that write, or those that read, with the queue that they share.
final class PostgresThreads: Sendable {
    let mailbox: Mailbox<Job<PostgresTransaction>>
    let figures = StoreFigures()
    private let threads: [DatabaseThread<PostgresTransaction>]

    /// Starts `count` threads. Each connects when it is first needed.
    init(_ count: Int, writing: Bool, _ configuration: PostgresStoreConfiguration) throws(PostgresStoreError) {
        let (mailbox, figures) = (Mailbox<Job<PostgresTransaction>>(limit: configuration.queueLimit), figures)
        var threads: [DatabaseThread<PostgresTransaction>] = []
        for _ in 0..<max(1, count) {
            let thread = DatabaseThread(
                PostgresTransaction(configuration), mailbox, batchesOf: configuration.batchLimit,
                prepare: { cloakroom_name_postgres_thread(writing ? "vault writer" : "vault reader") },
                run: { PostgresBatch(transaction: $0, isWriting: writing, figures: figures).run($1) })
            guard let thread else {
                mailbox.close()
                throw .noThreads
            }
            threads.append(thread)
        }
        self.mailbox = mailbox
        self.threads = threads
    }

    /// Finishes what waits, takes nothing more, and waits for the threads to have closed their connections.
    func close() {
        mailbox.close()
        for thread in threads { thread.join() }
    }

    deinit {
        mailbox.close()
    }
}
