import Testing
import Vault
import VaultTesting

@Suite("Rows about callers")
struct AccessRecordTests {
    @Test func memory() async throws {
        #expect(try await AccessRecordRun([openVault(MemoryAliasStore())]).problem() == nil)
    }
}
