import Sensitive
import Testing
import Vault
import VaultSQLite
import VaultTesting

@Suite("Giving pages back") struct CompactTests {
    /// While others write, and with what is left still found through its indexes.
    @Test func theFileShrinksAndNothingElseChanges() async throws {
        let database = TestDatabase()
        let store = try database.store {
            $0.eraseWithin = .milliseconds(100)
            $0.mergeRound = 1_024
        }
        let vault = try await openVault(store)
        var kept: [(alias: String, value: String)] = []
        for number in 0..<100 {
            let items = (0..<20).map { VaultItem.new("value \(number) \($0) " + String(repeating: "x", count: 300)) }
            kept += try await vault.create(items).map { ($0.aliases[0].alias, $0.value.exposed) }
        }
        for start in stride(from: 100, to: kept.count, by: 20) {
            try await vault.delete(kept[start..<start + 20].map(\.alias))
        }
        kept.removeSubrange(100...)
        async let compacting = givenBack(by: store)
        for number in 0..<20 { kept.append((try await vault.alias(.new("later \(number)")), "later \(number)")) }
        let freed = try await compacting
        #expect(freed > 100)
        #expect(try await store.compactStep() == (0, 0))
        for (alias, value) in kept {
            #expect(await vault.value(alias) == value)
            #expect(try await vault.alias(.new(value)) == alias)
        }
        store.close()
        #expect(database.bytes("").count < 400_000)
        let next = try database.store()
        let reopened = try await openVault(next)
        for (alias, value) in kept { #expect(await reopened.value(alias) == value) }
        next.close()
    }

    /// Pages that were given back until none was left.
    private func givenBack(by store: SQLiteAliasStore) async throws -> Int {
        var all = 0
        while case let step = try await store.compactStep(), step.returned > 0 { all += step.returned }
        return all
    }
}
