import PostgresTesting
import Testing
import VaultTesting

@testable import Vault
@testable import VaultPostgres

/// Ids of values where the server has forgotten that they were drawn: after a failover that lost the last records, or from a dump.
@Suite("Ids of values") struct ValueIDTests {
    private struct Fleet {
        let url: String
        let stores: [PostgresAliasStore]
        let vaults: [Vault]

        init() async throws {
            url = try PostgresServer.shared().database()
            // One writer each, which draws a block at its first value.
            stores = [try store(url) { $0.connections = 2 }, try store(url) { $0.connections = 2 }]
            vaults = [try await openVault(stores[0]), try await openVault(stores[1])]
        }

        func query(_ sql: String) throws -> String { try PostgresServer.shared().query(sql, in: url) }

        /// Makes aliases one by one with this vault, without one failure.
        func make(_ count: Int, with vault: Int, _ name: String) async throws {
            for number in 0..<count { _ = try await vaults[vault].alias(.new("\(name) \(number)")) }
        }

        func close() { for store in stores { store.close() } }
    }

    /// The last id that was drawn, how many values are of the second block, and how many there are.
    private static let use = """
        SELECT (SELECT last_value FROM cloakroom_value_id), count(*) FILTER (WHERE id > 512), count(*) FROM cloakroom_value
        """

    /// Another process has used a part of the block that is drawn a second time, and goes on with it.
    @Test func aSequenceThatFellBackByABlock() async throws {
        let fleet = try await Fleet()
        try await fleet.make(100, with: 0, "before")
        _ = try fleet.query("SELECT setval('cloakroom_value_id', 1, false)")
        try await fleet.make(20, with: 1, "other")
        try await fleet.make(20, with: 0, "after")
        // The block that overlaps was given up: the next one is above all values.
        #expect(try fleet.query(Self.use) == "1024|20|140\n")
        fleet.close()
    }

    /// Both hold the same block: who meets an id that is taken gives up all that it holds, not one at each try.
    @Test func oneBlockInTwoHands() async throws {
        let fleet = try await Fleet()
        try await fleet.make(1, with: 0, "forgotten")
        _ = try fleet.query(
            "DELETE FROM cloakroom_alias; DELETE FROM cloakroom_value; SELECT setval('cloakroom_value_id', 1, false)")
        try await fleet.make(200, with: 1, "one")
        try await fleet.make(200, with: 0, "other")
        #expect(try fleet.query(Self.use) == "1024|200|400\n")
        fleet.close()
    }

    /// The sequence is far behind.
    @Test func aSequenceFarBehind() async throws {
        let fleet = try await Fleet()
        try await fleet.make(1, with: 0, "zero")
        _ = try fleet.query("UPDATE cloakroom_value SET id = 3000000; SELECT setval('cloakroom_value_id', 1, false)")
        try await fleet.make(20, with: 1, "other")
        #expect(try fleet.query("SELECT min(id) > 3000000 FROM cloakroom_value WHERE id <> 3000000") == "t\n")
        fleet.close()
    }
}
