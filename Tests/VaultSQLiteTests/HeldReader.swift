import Glibc
import Synchronization
import Vault

@testable import VaultSQLite

/// Reads of a store as they are when its thread is slow: what is written meanwhile is not in the state of the database that they see.
struct HeldReader {
    let store: SQLiteAliasStore

    /// A request on which the thread stands still.
    private final class Stop: Sendable {
        private let hasBegun = Mutex(false)
        private let isOver = Mutex(false)

        func begin() {
            hasBegun.withLock { $0 = true }
            for _ in 0..<60_000 where !isOver.withLock({ $0 }) { usleep(1_000) }
        }

        func waitForBeginning() async throws {
            for _ in 0..<60_000 where !hasBegun.withLock({ $0 }) { try await Task.sleep(for: .milliseconds(1)) }
        }

        func end() { isOver.withLock { $0 = true } }
    }

    /// Runs `read` behind `change`, on the state from before: in one batch with a request that has read something and waits for the change.
    func reading<Result: Sendable>(
        _ read: @escaping @Sendable () async throws -> Result, across change: () async throws -> Void
    ) async throws -> Result {
        let (first, second) = (Stop(), Stop())
        defer {
            first.end()
            second.end()
        }
        post(first)
        try await first.waitForBeginning()
        post(second)
        let found = Task { try await read() }
        while store.reader.mailbox.count < 2 { try await Task.sleep(for: .milliseconds(1)) }
        first.end()
        try await second.waitForBeginning()
        try await change()
        second.end()
        return try await found.value
    }

    private func post(_ stop: Stop) {
        let job = Job<SQLiteTransaction>(
            run: { transaction in
                _ = try? transaction.lastValueID()
                stop.begin()
                return true
            }, finish: { _ in })
        _ = store.reader.mailbox.put(job, first: true)
    }
}
