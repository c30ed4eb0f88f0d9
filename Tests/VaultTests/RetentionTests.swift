import Sensitive
import Testing
import VaultTesting

@testable import Vault

@Suite("Retention") struct RetentionTests {
    private let store = MemoryAliasStore()
    private let clock = TestClock()
    private static let orders = Retention(classifier: "orders", keep: 60)

    private func sweep(_ vault: Vault, _ retentions: [Retention] = [orders]) async throws -> (
        total: Vault.Erased, pages: Int
    ) {
        var (total, pages, cursor) = (Vault.Erased(), 0, Int64?(0))
        while let position = cursor {
            let (erased, next) = try await vault.eraseOverdue(retentions, after: position)
            total.values += erased.values
            total.aliases += erased.aliases
            total.damaged += erased.damaged
            (pages, cursor) = (pages + 1, next)
        }
        return (total, pages)
    }

    private func left() async throws -> Int {
        try await store.read { (reading) throws(VaultError) in
            try reading.values(after: 0, notSealedUnder: 0, limit: 10_000).count
        }
    }

    /// What has the classifier and the age goes, with all its aliases; what lacks one of the two stays.
    @Test func whatIsOverdueGoes() async throws {
        let vault = try await memoryVault(store, clock: clock)
        let old = try await vault.alias(.new("old", .uuid, ["other", "orders"]))
        _ = try await vault.create([.reference(alias: old, format: .rawUUID)])
        let other = try await vault.alias(.new("other", .uuid, ["orders2"]))
        let none = try await vault.alias(.new("none", .uuid, []))
        clock.advance(milliseconds: 59_000)
        let young = try await vault.alias(.new("young", .uuid, ["orders"]))
        #expect(try await sweep(vault).total.values == 0)
        clock.advance(milliseconds: 1_000)
        let deleted = vault.metrics.deleted
        let (erased, _) = try await sweep(vault)
        #expect(erased.values == 1 && erased.aliases == 2 && erased.damaged == 0)
        #expect(vault.metrics.deleted - deleted == 2)
        #expect(await vault.value(old) == nil)
        #expect(await vault.value(other) == "other")
        #expect(await vault.value(none) == "none")
        #expect(await vault.value(young) == "young")
        #expect(try await left() == 3)
        // The reuse cache does not know it either: the same value is stored again.
        let again = try await vault.alias(.new("old", .uuid, ["orders"]))
        #expect(again != old)
        #expect(await vault.value(again) == "old")
        #expect(try await sweep(vault).total.values == 0)
    }

    /// The shortest of several periods holds, and 600 values are three pages.
    @Test func manyPages() async throws {
        let vault = try await memoryVault(store, clock: clock)
        for number in 0..<600 {
            _ = try await vault.create([.new("x\(number)", .uuid, [number % 3 == 0 ? "orders" : "customers"])])
        }
        clock.advance(milliseconds: 100_000)
        let customers = Retention(classifier: "customers", keep: 200)
        let first = try await sweep(vault, [customers, Self.orders])
        #expect(first.total.values == 200 && first.pages == 3)
        #expect(try await left() == 400)
        clock.advance(milliseconds: 100_000)
        let second = try await sweep(vault, [customers, Self.orders])
        #expect(second.total.values == 400)
        #expect(try await left() == 0)
    }

    /// A row whose time of creation was changed in the database is not taken at its word.
    @Test func aChangedAgeIsDamage() async throws {
        let vault = try await memoryVault(store, clock: clock)
        _ = try await vault.alias(.new("kept", .uuid, ["orders"]))
        try await store.write { (transaction) throws(VaultError) in
            guard let own = try transaction.values(after: 0, notSealedUnder: 0, limit: 1).records.first else { return }
            try transaction.delete(valueAlone: own)
            try transaction.insert(
                ValueRecord(
                    id: own.id, binding: own.binding, fingerprint: own.fingerprint, keyID: own.keyID,
                    sealed: own.sealed, classifiers: own.classifiers, createdAt: own.createdAt - 1_000,
                    expiresAt: own.expiresAt))
        }
        let (erased, _) = try await sweep(vault)
        #expect(erased.values == 0 && erased.damaged == 1)
        #expect(try await left() == 1)
    }
}
