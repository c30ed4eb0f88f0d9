import Testing
import Vault
import VaultTesting

@testable import VaultSQLite

@Suite struct StoredResponseTests {
    private static let name = [UInt8](repeating: 9, count: 32)
    private static let response = Array("a response that nobody is to find".utf8)

    @Test func responsesStaySealedAcrossRestarts() async throws {
        let database = TestDatabase()
        var store = try database.store()
        var vault = try await openVault(store)
        for number in 0..<70 as Range<UInt8> {
            try await vault.storeResponse(
                Self.response, under: [UInt8](repeating: number, count: 32), for: 1_000)
        }
        try await vault.storeResponse(Self.response + [1], under: Self.name, for: 1_000)
        try await vault.storeResponse(Self.response, under: [UInt8](repeating: 100, count: 32), for: -1)
        store.close()
        #expect(database.bytes("").firstRange(of: Self.response) == nil)
        store = try database.store()
        vault = try await openVault(store)
        #expect(try await vault.response(under: Self.name) == Self.response + [1])
        let totals = { try await store.read { (reading) throws(VaultError) in try reading.responseTotals() } }
        #expect(try await totals().count == 71)
        try await vault.sweepResponses()
        #expect(try await totals() == ResponseTotals(count: 70, bytes: 70 * (Self.response.count + 40) + 1))
        store.close()
    }
}
