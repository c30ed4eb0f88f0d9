import Testing
import Vault
import VaultTesting

@testable import VaultSQLite

/// Somebody reads an old state of the database, as a backup does, for longer than a checkpoint waits.
@Suite("Checkpoints") struct CheckpointTests {
    @Test func commitsDoNotWaitForALongReader() async throws {
        let database = TestDatabase()
        let store = try database.store {
            $0.checkpointPages = 16
            $0.checkpointRest = 4
            $0.eraseWithin = .milliseconds(200)
        }
        let vault = try await openVault(store)
        var aliases = [try await vault.alias(.new("first"))]
        let reader = try SQLiteConnection(path: database.path)
        try reader.execute("BEGIN")
        #expect(try reader.number("SELECT count(*) FROM value") == 1)

        let padding = String(repeating: "x", count: 20_000)
        var fast = 0
        for number in 0..<60 {
            let began = ContinuousClock.now
            aliases.append(try await vault.alias(.new("value \(number) \(padding)")))
            // Once the log has outgrown its limit by far, every commit would wait for 100 ms.
            if number >= 20, .now - began < .milliseconds(90) { fast += 1 }
        }
        #expect(fast > 4)
        let grown = store.connections.log.pages
        #expect(grown > 16 * 4)
        try await vault.delete(aliases)
        try await Task.sleep(for: .milliseconds(600))
        #expect(!database.bytes("-wal").isEmpty)
        #expect(try reader.number("SELECT count(*) FROM value") == 1)

        // When it has ended the log is cut without a further request.
        try reader.execute("COMMIT")
        #expect(try await becomesTrue { database.bytes("-wal").isEmpty })
        for number in 0..<8 { _ = try await vault.alias(.new("later \(number) \(padding)")) }
        #expect(store.connections.log.pages < grown)
        store.close()
    }

    private func becomesTrue(_ condition: () -> Bool) async throws -> Bool {
        for _ in 0..<600 {
            if condition() { return true }
            try await Task.sleep(for: .milliseconds(100))
        }
        return false
    }
}
