import PostgresTesting
import Sensitive
import Testing
import VaultTesting

@testable import Vault
@testable import VaultPostgres

/// Look-ups of more than is held at a time.
@Suite("Large values in the shared store") struct LargeValueTests {
    @Test func manyAtOnce() async throws {
        let server = try PostgresServer.shared()
        let store = try store(server.database())
        defer { store.close() }
        let vault = try await openVault(store)
        let large = String(repeating: "x", count: 1 << 20)
        var aliases: [String] = []
        for number in 0..<17 { aliases.append(try await vault.alias(.new("\(number + 10)" + large.dropFirst(2)))) }
        let few = Array(aliases.prefix(15)) + [try await vault.alias(.new("small"))]
        try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<6 { group.addTask { try await vault.lookUp(few).count } }
            for try await count in group { #expect(count == 16) }
        }
        let revealed = try await vault.reveal(few)
        #expect(revealed.prefix(15).enumerated().allSatisfy { $1.stored.value.exposed.hasPrefix("\($0 + 10)x") })
        await #expect(throws: VaultError.revealTooLarge(limit: Vault.lookUpRoom)) {
            try await vault.lookUp(aliases + few)
        }
    }

    /// Those that come without their values in an exchange are read one by one.
    @Test func moreThanOneExchangeHolds() async throws {
        let server = try PostgresServer.shared()
        let store = try store(server.database())
        defer { store.close() }
        let vault = try await openVault(store) { $0.reuse = false }
        var aliases = [try await vault.alias(.new(String(repeating: "x", count: 1 << 20)))]
        while aliases.count < 34 {
            let references = aliases.prefix(34 - aliases.count).map { VaultItem.reference(alias: $0, format: .uuid) }
            aliases += try await vault.create(references).compactMap(\.requested?.alias)
        }
        await #expect(throws: VaultError.revealTooLarge(limit: Vault.revealRoom)) { try await vault.reveal(aliases) }
    }

    /// What is behind the room of a look-up comes without its value, and in the order of the keys.
    @Test func whatIsLeftOut() async throws {
        let server = try PostgresServer.shared()
        let url = try server.database()
        try store(url).close()
        let text = PostgresStatement.selectByAliases.text.replacing("$1::", with: "ARRAY['a', 'b', 'c', 'd']::")
        try server.query(
            """
            INSERT INTO cloakroom_key VALUES (1, 1, '', NULL, 0, 0, '');
            INSERT INTO cloakroom_value (id, key, sealed, created_at)
                SELECT i, 1, convert_to(repeat('x', CASE WHEN i = 3 THEN 1 ELSE 16777216 END), 'UTF8'), 0 FROM generate_series(1, 3) i;
            INSERT INTO cloakroom_alias (alias, format, value, tag) VALUES ('a', 1, 1, ''), ('b', 1, 2, ''), ('c', 1, 3, '')
            """, in: url)
        let rows = try server.query("SELECT id, sealed IS NULL, number FROM (\(text)) found ORDER BY number", in: url)
        #expect(rows.split(separator: "\n") == ["1|f|1", "2|f|2", "3|t|3"])
    }
}
