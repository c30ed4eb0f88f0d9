import PostgresTesting
import Testing
import Vault
import VaultTesting

@testable import VaultPostgres

@Suite("Groups of statements")
struct PostgresGroupsTests {
    private static func alias(_ text: String) -> PostgresCommand {
        PostgresCommand(statement: .insertFreeAlias, values: [.text(text), .integer(1), .integer(7), .bytes([9])])
    }

    private static func look(_ byte: UInt8) -> PostgresCommand {
        PostgresCommand(statement: .lockByFingerprint, values: [.bytes([byte])])
    }

    private static let update = PostgresCommand(statement: .updateValue, values: [.integer(7)])

    /// Commands, and the statements that are sent for them.
    @Test(
        arguments: [
            ([], []), ([alias("a")], [.insertFreeAlias]), ([look(1)], [.lockByFingerprint]),
            ([alias("a"), alias("b"), alias("c")], [.insertFreeAliases]),
            ([look(1), look(2)], [.lockByFingerprints]),
            // New rows first, the rest in its order.
            (
                [update, alias("a"), update, alias("b"), look(1)],
                [.insertFreeAliases, .updateValue, .updateValue, .lockByFingerprint]
            ),
            ([alias("a"), look(1), alias("b"), look(2)], [.insertFreeAliases, .lockByFingerprints]),
            // What several look up is looked up once.
            ([look(1), look(1)], [.lockByFingerprint]), ([look(1), look(2), look(1)], [.lockByFingerprints]),
        ] as [([PostgresCommand], [PostgresStatement])])
    func statements(commands: [PostgresCommand], sent: [PostgresStatement]) {
        #expect(PostgresGroups(commands).commands.map(\.statement) == sent)
    }

    /// Rows are locked in the order of their keys; each look-up gets its own rows.
    @Test func order() {
        let groups = PostgresGroups([
            Self.look(3), Self.look(1), Self.alias("b"), Self.look(3), Self.alias("a"), Self.look(2),
        ])
        #expect(groups.commands[0].values[0] == .array(.bytes, of: [.bytes([1]), .bytes([2]), .bytes([3])]))
        // Aliases get their positions in the order in which they were made.
        #expect(groups.commands[1].values[0] == .array(.bytes, of: [.text("b"), .text("a")]))
    }

    /// As `array_send` of PostgreSQL writes `ARRAY[1, NULL]::bigint[]` and `ARRAY['\\x0102', '']::bytea[]`.
    @Test func arrays() {
        #expect(
            PostgresValue.array(.integer, of: [.integer(1), .null])
                == .bytes(
                    [0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 20, 0, 0, 0, 2, 0, 0, 0, 1]
                        + [0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0, 1, 0xFF, 0xFF, 0xFF, 0xFF]))
        #expect(
            PostgresValue.array(.bytes, of: [.bytes([1, 2]), .bytes([])])
                == .bytes(
                    [0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 17, 0, 0, 0, 2, 0, 0, 0, 1]
                        + [0, 0, 0, 2, 1, 2, 0, 0, 0, 0]))
    }

    /// Values with and without what may be missing, made and revealed in batches: each row gets its own columns, and each look-up its own
    /// rows.
    @Test func rowsOfManyRequests() async throws {
        let store = try store(PostgresServer.shared().database()) { $0.connections = 2 }
        let vault = try await openVault(store)
        let made = Gathering<[String: String]>([:])
        for round in 0..<3 {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<64 {
                    group.addTask {
                        // In the later rounds values are known and get aliases of another format; in the last one some are new.
                        let value = "value \(round < 2 || number < 40 ? number : number + 1_000)"
                        let item = VaultItem.new(
                            value, round == 0 ? .uuid : .rawUUID, number % 3 == 0 ? [] : ["c\(number)"])
                        let alias = try await vault.alias(item)
                        made.add { $0[alias] = value }
                    }
                }
                try await group.waitForAll()
            }
        }
        #expect(made.value.count == 64 * 2 + 24)
        try await withThrowingTaskGroup(of: Void.self) { group in
            // Each twice: what two look up at once is looked up once.
            for (alias, value) in Array(made.value) + Array(made.value) {
                group.addTask { #expect(await vault.value(alias) == value) }
            }
            try await group.waitForAll()
        }
        #expect(store.failure == nil)
        store.close()
    }
}
