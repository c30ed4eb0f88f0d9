import PostgresTesting
import Sensitive
import Testing
import VaultTesting

@testable import Vault
@testable import VaultPostgres

@Suite("The shared store")
struct PostgresAliasStoreTests {
    @Test(arguments: [(true, 1), (true, 2), (false, 3)])
    func randomOperationsAgainstAModel(reuse: Bool, seed: UInt64) async throws {
        let store = try store(try PostgresServer.shared().database())
        #expect(
            try await ModelRun(store, reuse: reuse, seed: seed, volatileFormats: [.uuid, .rawUUID]).problem(
                steps: 1_000) == nil)
        store.close()
    }

    @Test func keepsEverythingAcrossRestarts() async throws {
        let url = try PostgresServer.shared().database()
        let first = try store(url)
        let vault = try await openVault(first)
        let stored = try await vault.create([
            .new("4539600166594134", .fpeSixTFour, ["pci", "é\u{1F600}", " "]), .new("4539600166594134"), .new("x\0y"),
        ])
        try await vault.delete([vault.alias(.new("gone"))])
        first.close()
        let second = try store(url)
        let next = try await openVault(second)
        let all = try await next.reveal(stored.map(\.aliases[0].alias))
        #expect(all.map(\.stored.value.exposed) == ["4539600166594134", "4539600166594134", "x\0y"])
        #expect(all.map(\.stored.classifiers) == [["pci", "é\u{1F600}", " "], ["pci", "é\u{1F600}", " "], []])
        #expect(all[0].stored.aliases == stored[0].aliases + stored[1].aliases)
        #expect(try await next.create([.new("4539600166594134", .fpeSixTFour)])[0].aliases == stored[0].aliases)
        second.close()
    }

    @Test func nothingInTheClear() async throws {
        let url = try PostgresServer.shared().database()
        let store = try store(url)
        let vault = try await openVault(store)
        _ = try await vault.create([.new("4539601234594134", .uuid), .new("907", .uuid, [], .volatile)])
        let tables = try PostgresServer.shared().query(
            """
            SELECT encode(sealed, 'escape'), encode(fingerprint, 'escape') FROM cloakroom_value;
            SELECT encode(alias, 'escape') FROM cloakroom_alias
            """, in: url)
        #expect(tables.contains("tok_sandbox_"))
        #expect(!tables.contains("4539601234594134"))
        #expect(try PostgresServer.shared().query("SELECT count(*) FROM cloakroom_alias", in: url) == "1\n")
        store.close()
    }

    /// What callers take for an alias may be anything.
    @Test(arguments: ["", "x\0y", "\u{FEFF}", "é\u{301}", "tok_sandbox_'; --", String(repeating: "a", count: 70_000)])
    func anyTextMayBeAskedFor(text: String) async throws {
        let store = try store(try PostgresServer.shared().database())
        let vault = try await openVault(store)
        await #expect(throws: VaultError.unknownAliases([text])) { try await vault.reveal([text]) }
        await #expect(throws: VaultError.unknownAliases([text])) { try await vault.delete([text]) }
        #expect(store.failure == nil)
        store.close()
    }

    /// What one process has in memory another one knows nothing of: they would give one alias to two values.
    @Test func volatileValuesGetAliasesThatOthersCannotGive() async throws {
        let store = try store(try PostgresServer.shared().database())
        let vault = try await openVault(store)
        let narrow = VaultItem.new("907", .numLengthPreserving, [], .volatile)
        await #expect(throws: VaultError.valueDoesNotFit(.numLengthPreserving, item: 0)) {
            try await vault.create([narrow])
        }
        #expect(try await vault.create([.new("907", .uuid, [], .volatile)]).count == 1)
        #expect(try await vault.create([.new("907", .numLengthPreserving)]).count == 1)
        let lenient = try await openVault(store) { $0.fallback = .uuid }
        #expect(try await lenient.alias(narrow).hasPrefix("tok_"))
        store.close()
    }

    @Test func answersAreKept() async throws {
        let url = try PostgresServer.shared().database()
        let (first, second) = (try store(url), try store(url))
        let (one, other) = (try await openVault(first), try await openVault(second))
        let name = [UInt8](repeating: 9, count: 32)
        try await one.storeResponse([1, 2, 3], under: name, for: 1_000)
        try await one.storeResponse([4, 5], under: name, for: 1_000)
        #expect(try await other.response(under: name) == [4, 5])
        for number in 0..<70 as Range<UInt8> {
            try await one.storeResponse(
                [7], under: [UInt8](repeating: number, count: 31) + [1], for: -1)
        }
        try await other.sweepResponses()
        #expect(try await first.read { (step) throws(VaultError) in try step.responseTotals().count } == 1)
        first.close()
        second.close()
    }

    /// Of many who ask at the same time one is to answer.
    @Test func aClaimHasOneHolder() async throws {
        let url = try PostgresServer.shared().database()
        let stores = [try store(url), try store(url)]
        let vaults = [try await openVault(stores[0]), try await openVault(stores[1])]
        let name = [UInt8](repeating: 3, count: 32)
        let held = Gathering<[ResponseClaim]>([])
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<20 {
                group.addTask {
                    if let claim = try await vaults[task % 2].claimResponse(
                        name, with: [1], for: 3_600)
                    {
                        held.add { $0.append(claim) }
                    }
                }
            }
            try await group.waitForAll()
        }
        let claim = try #require(held.value.first)
        #expect(held.value.count == 1)
        #expect(try await vaults[0].response(under: name) == [1])
        try await vaults[1].release(claim)
        #expect(try await vaults[0].response(under: name) == nil)
        // One whose time has passed holds nobody up; and it does not take away what came after it.
        let late = try #require(try await vaults[0].claimResponse(name, with: [2], for: -1))
        let next = try #require(try await vaults[1].claimResponse(name, with: [3], for: 60))
        try await vaults[0].release(late)
        #expect(try await vaults[0].response(under: name) == [3])
        try await vaults[0].storeResponse([4], under: name, for: 60)
        try await vaults[1].release(next)
        #expect(try await vaults[1].response(under: name) == [4])
        for vault in vaults { #expect(try await vault.responseTotals() == ResponseTotals(count: 1, bytes: 41)) }
        for store in stores { store.close() }
    }

    @Test func refusesWhatItCannotUse() async throws {
        let server = try PostgresServer.shared()
        let url = try server.database()
        #expect(throws: PostgresStoreError.noVault) {
            try PostgresAliasStore.keys(PostgresStoreConfiguration(url: SensitiveText(url)), anchorOf: 1)
        }
        let first = try store(url)
        let vault = try await openVault(first)
        _ = try await vault.alias(.new("x"))
        await #expect(throws: VaultError.wrongMasterKey) {
            try await Vault.open(VaultConfiguration(), masterKey: masterKey(2), store: first)
        }
        #expect(
            try PostgresAliasStore.keys(PostgresStoreConfiguration(url: SensitiveText(url)), anchorOf: 1).keys.count
                == 6)
        first.close()
        try server.query("UPDATE cloakroom_vault SET version = 7", in: url)
        #expect(throws: PostgresStoreError.unsupportedVersion(found: 7, expected: 2)) { try store(url) }
        // Beside the vault's own row.
        try server.query("INSERT INTO cloakroom_vault (version) VALUES (3)", in: url)
        #expect(
            throws: PostgresStoreError.cannotPrepare(
                .corrupt("cloakroom_vault must have one row, which names the vault and its version"))
        ) { try store(url) }
        #expect(throws: PostgresStoreError.self) { try store("postgresql://secret-user:secret-word@127.0.0.1:1/none") }
        do { _ = try store("postgresql://user:secret-word@127.0.0.1:1/none") } catch {
            #expect(!"\(error)".contains("secret-word"))
            #expect("\(error)".contains("refused"))
        }
    }

    /// A role that may not make tables will do once they are there.
    @Test func needsNoRightsToMakeTables() async throws {
        let server = try PostgresServer.shared()
        let url = try server.database()
        try store(url).close()
        try server.query(
            """
            CREATE ROLE app\(abs(url.hashValue)) LOGIN; REVOKE CREATE ON SCHEMA public FROM PUBLIC;
            GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO app\(abs(url.hashValue));
            GRANT USAGE ON ALL SEQUENCES IN SCHEMA public TO app\(abs(url.hashValue))
            """, in: url)
        let store = try store(url.replacing("cloakroom@", with: "app\(abs(url.hashValue))@"))
        let vault = try await openVault(store)
        #expect(await vault.value(try await vault.alias(.new("x"))) == "x")
        store.close()
    }
}

func store(
    _ url: String, _ change: (inout PostgresStoreConfiguration) -> Void = { _ in }
) throws -> PostgresAliasStore {
    var configuration = PostgresStoreConfiguration(url: SensitiveText(url))
    change(&configuration)
    return try PostgresAliasStore(configuration)
}
