import PostgresTesting
import Testing
import Vault
import VaultTesting

@testable import VaultPostgres

@Suite("Drafts of requests")
struct PostgresDraftTests {
    private static let alias = PostgresValue.text("a")
    private static let value = PostgresValue.integer(7)
    private static let code = PostgresValue.bytes([1])

    /// Steps of one request, and whether they can be foreseen.
    private static let requests: [(steps: [(PostgresStatement, [PostgresValue])], changes: Int?)] = [
        (
            [
                (.lockByFingerprint, [code]), (.insertAlias, [alias, .null, value]),
                (.insertValue, [value, .null, code]),
            ], 2
        ),
        ([(.lockByAlias, [alias])], 0),
        // What it has changed itself, it must see.
        ([(.insertAlias, [alias, .null, value]), (.selectHeld, [alias])], nil),
        ([(.insertAlias, [alias, .null, value]), (.selectAliases, [value])], nil),
        ([(.insertAlias, [alias, .null, value]), (.selectHeld, [.text("b")])], 1),
        ([(.updateValue, [value, .null]), (.lockByFingerprint, [code])], nil),
        ([(.deleteAlias, [alias])], nil), ([(.lockKeys, [])], nil), ([(.selectResponseTotals, [])], nil),
        ([(.selectResponse, [code]), (.insertResponse, [code])], 1),
    ]

    @Test(arguments: requests.indices)
    func steps(index: Int) {
        let request = Self.requests[index]
        let draft = PostgresDraft()
        _ = draft.begin()
        for (statement, values) in request.steps { _ = try? draft.step(statement, values) }
        #expect(draft.needsServer == (request.changes == nil))
        if let changes = request.changes { #expect(draft.changes.count == changes) }
    }

    /// Requests of one batch that would see or change the same rows are not in one transaction.
    @Test(
        arguments: [
            (
                [(.lockByFingerprint, [code]), (.insertValue, [value, .null, code])], [(.lockByFingerprint, [code])],
                false
            ),
            ([(.lockByFingerprint, [code])], [(.lockByFingerprint, [code])], true),
            ([(.insertAlias, [alias, .null, value])], [(.insertAlias, [alias, .null, .integer(8)])], false),
            ([(.insertAlias, [alias, .null, value])], [(.insertAlias, [.text("b"), .null, value])], false),
            ([(.insertAlias, [alias, .null, value])], [(.insertAlias, [.text("b"), .null, .integer(8)])], true),
            ([(.lockByAlias, [alias])], [(.insertAlias, [alias, .null, value])], false),
            ([(.insertValue, [value, .null, .null])], [(.insertValue, [.integer(8), .null, .null])], true),
            ([(.replaceResponse, [code])], [(.selectResponse, [code])], false),
        ] as [([(PostgresStatement, [PostgresValue])], [(PostgresStatement, [PostgresValue])], Bool)])
    func requestsThatMeet(
        first: [(PostgresStatement, [PostgresValue])], second: [(PostgresStatement, [PostgresValue])], areApart: Bool
    ) throws {
        var rows = PostgresDraft.Rows()
        var added: [Bool] = []
        for steps in [first, second] {
            let draft = PostgresDraft()
            _ = draft.begin()
            for (statement, values) in steps { _ = try draft.step(statement, values) }
            added.append(rows.add(draft))
        }
        #expect(added == [true, areApart])
    }

    /// Many requests at once, all through one writer: equal values, references to them, other classifiers, and aliases of a narrow
    /// space that fills up, so that drafts are wrong again and again.
    @Test func manyRequestsOfAllKindsAtOnce() async throws {
        let store = try store(PostgresServer.shared().database()) { $0.connections = 2 }
        let vault = try await openVault(store)
        let known = try await vault.alias(.new("known"))
        let narrow = Gathering<[String: String]>([:])
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<48 {
                group.addTask {
                    for number in 0..<6 {
                        let item = VaultItem.new("value \(number)", .uuid, ["c\(task)"])
                        let made = try await vault.create([item, .reference(alias: known, format: .rawUUID)])
                        #expect(made[1].aliases.count == 2)
                        let digits = String(200 + task * 6 + number)
                        let alias = try await vault.alias(.new(digits, .numLengthPreserving))
                        narrow.add { $0[alias] = digits }
                        try await vault.replaceClassifiers(of: known, with: ["task \(task)"])
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(narrow.value.count == 48 * 6)
        for (alias, digits) in narrow.value { #expect(await vault.value(alias) == digits) }
        for number in 0..<6 {
            let alias = try await vault.alias(.new("value \(number)"))
            let stored = try await vault.reveal([alias])[0].stored
            #expect(stored.classifiers.count == 48 && stored.aliases.count == 1)
        }
        #expect(try await vault.reveal([known])[0].stored.aliases.count == 2)
        #expect(store.failure == nil)
        store.close()
    }
}
