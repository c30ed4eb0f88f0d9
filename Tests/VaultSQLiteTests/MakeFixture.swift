import Testing
import Foundation
import VaultTesting
import Vault
@testable import VaultSQLite

@Suite struct MakeFixture {
    @Test func make() async throws {
        let database = TestDatabase()
        let store = try database.store()
        let vault = try await openVault(store)
        try await StoredVault.fill(vault)
        store.close()
        try FileManager.default.copyItem(atPath: database.path, toPath: "/tmp/format3.db")
        #expect(database.bytes("-wal").isEmpty)
    }
}
