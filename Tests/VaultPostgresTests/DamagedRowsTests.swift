import PostgresTesting
import Sensitive
import Synchronization
import Testing
import VaultTesting

@testable import Vault
@testable import VaultPostgres

@Suite("Rows that hold what was never written") struct DamagedRowsTests {
    private func run() throws -> DamagedRowsRun {
        let url = try PostgresServer.shared().database()
        let open = Mutex<PostgresAliasStore?>(nil)
        return DamagedRowsRun { change, clock in
            open.withLock { store in
                store?.close()
                store = nil
            }
            if let change {
                let configuration = PostgresStoreConfiguration(url: SensitiveText(url))
                _ = try PostgresConnection(configuration, PostgresWaitLimit(configuration.responseTimeout))
                    .execute(change)
            }
            let store = try store(url)
            open.withLock { $0 = store }
            return try await openVault(store) { $0.clock = clock }
        }
    }

    /// `#` is the id of the first value, whose aliases come first.
    private static func named(_ change: String) -> String {
        change.replacing("#", with: "(SELECT min(id) FROM cloakroom_value)").replacing("@", with: "cloakroom_")
    }

    @Test(arguments: [
        "UPDATE @value SET sealed = '\\x00' WHERE id = #", "UPDATE @value SET binding = '\\x01' WHERE id = #",
        "UPDATE @value SET fingerprint = '\\x01' WHERE id = #",
        "UPDATE @value SET classifiers = '\\xFF' WHERE id = #", "UPDATE @alias SET tag = '\\x01' WHERE value = #",
        "UPDATE @alias SET format = 99 WHERE value = #",
        "UPDATE @alias SET value = (SELECT max(id) FROM @value) WHERE value = #",
        "UPDATE @value SET created_at = 1 WHERE id = #", "DELETE FROM @value WHERE id = #",
    ])
    func canBeDeleted(change: String) async throws {
        let problems = try await run().deletion(after: Self.named(change))
        #expect(problems == [])
    }

    @Test func doNotEndAWalk() async throws {
        let change = """
            WITH customer AS (SELECT id, row_number() OVER (ORDER BY id) AS number FROM @value
                WHERE position('customer-17'::bytea IN classifiers) > 0)
            UPDATE @value v SET binding = CASE number WHEN 1 THEN '\\x01' ELSE binding END,
                sealed = CASE number WHEN 2 THEN '\\x00' ELSE sealed END FROM customer c WHERE v.id = c.id
            """
        let problems = try await run().walks(after: Self.named(change))
        #expect(problems == [])
    }
}
