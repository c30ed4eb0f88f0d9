import Testing
import VaultSQLite
import VaultTesting

@Suite("Random operations against a model")
struct ModelTests {
    @Test(arguments: [(true, 1), (true, 2), (false, 3)])
    func memory(reuse: Bool, seed: UInt64) async throws {
        #expect(try await ModelRun(MemoryAliasStore(), reuse: reuse, seed: seed).problem(steps: 3_000) == nil)
    }

    @Test(arguments: [(true, 4), (true, 5), (false, 6)])
    func sqlite(reuse: Bool, seed: UInt64) async throws {
        let database = TestDatabase()
        let store = try database.store()
        #expect(try await ModelRun(store, reuse: reuse, seed: seed).problem(steps: 3_000) == nil)
        store.close()
    }

    /// Indexes that are merged all the time, and a log that is moved after a few pages.
    @Test(arguments: [(true, 7), (false, 8)])
    func mergesAndCheckpoints(reuse: Bool, seed: UInt64) async throws {
        let database = TestDatabase()
        let store = try database.store {
            $0.mergeRound = 512
            $0.checkpointPages = 16
            $0.checkpointRest = 2
        }
        #expect(try await ModelRun(store, reuse: reuse, seed: seed).problem(steps: 1_000) == nil)
        store.close()
    }
}
