import Sensitive
import Testing
import VaultTesting

@testable import Vault

/// A store that returns rows as the vault wrote them, but not those that were asked for.
@Suite struct MisleadingStoreTests {
    private let store = MemoryAliasStore()

    private func fingerprint(of alias: String) async throws -> Fingerprint {
        let record = try await store.read { (reading) throws(VaultError) in try reading.entry(alias: alias)?.value }
        return try #require(record?.fingerprint)
    }

    @Test func theRowOfAnotherAlias() async throws {
        let vault = try await memoryVault(store)
        let (one, other) = (try await vault.alias(.new("one")), try await vault.alias(.new("other")))
        store.mislead(one, to: other)
        await #expect(throws: VaultError.damaged(alias: one)) { try await vault.reveal([one]) }
        await #expect(throws: VaultError.damaged(alias: one)) { try await vault.lookUp([one]) }
        await #expect(throws: VaultError.damaged(alias: one)) {
            try await vault.replaceClassifiers(of: one, with: ["x"])
        }
        #expect(await vault.value(other) == "other")
    }

    /// By itself, and beside other processes, where a look without a lock comes first.
    @Test(arguments: [true, false])
    func theValueOfAnotherFingerprint(isExclusive: Bool) async throws {
        let first = try await memoryVault(store)
        let (one, other) = (try await first.alias(.new("one")), try await first.alias(.new("other")))
        store.mislead(try await fingerprint(of: one), to: try await fingerprint(of: other))
        // It has nothing in its memory of what was stored.
        let later = try await Vault.open(
            VaultConfiguration(), masterKey: masterKey(), store: HookedStore(store, isExclusive: isExclusive))
        await #expect(throws: VaultError.damaged(alias: nil)) { try await later.create([.new("one")]) }
        #expect(try await later.alias(.new("other")) == other)
    }
}
