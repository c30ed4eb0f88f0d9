import Testing
import Vault
import VaultSQLite
import VaultTesting

@Suite struct RewrapTests {
    @Test func whatIsUnderOlderKeysIsFound() async throws {
        let database = TestDatabase()
        let store = try database.store()
        let vault = try await openVault(store)
        #expect(try await RewrapStepsRun.problems(in: vault, store) == [])
        #expect(try await vault.keyStatus().count == 1)
        store.close()
    }
}
