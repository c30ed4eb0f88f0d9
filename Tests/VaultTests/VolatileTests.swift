import Testing

@testable import Vault

@Suite("Volatile values")
struct VolatileTests {
    @Test func expireWithEverythingThatBelongsToThem() async throws {
        let clock = TestClock()
        let vault = try await memoryVault(clock: clock) { $0.volatileLifetime = 5_000 }
        let alias = try await vault.alias(.new("321", .uuid, ["cvc"], .volatile))
        clock.advance(milliseconds: 4_999)
        let added = try await vault.create([.reference(alias: alias, format: .numLengthPreserving)])
        #expect(added[0].aliases.map(\.format) == [.uuid, .numLengthPreserving])
        #expect(added[0].storage == .volatile && added[0].classifiers == ["cvc"])
        #expect(try await vault.reveal([alias])[0].stored.aliases == added[0].aliases)
        clock.advance(milliseconds: 1)
        for alias in added[0].aliases { #expect(await vault.value(alias.alias) == nil) }
        await #expect(throws: VaultError.unknownAliases([alias])) { try await vault.delete([alias]) }
        await #expect(throws: VaultError.unknownAliases([alias])) {
            try await vault.replaceClassifiers(of: alias, with: [])
        }
        await #expect(throws: VaultError.unknownAliases([alias])) {
            try await vault.create([.reference(alias: alias, format: .uuid)])
        }
        #expect(vault.metrics.volatileAliases == 0)
    }

    @Test func neverReuse() async throws {
        let vault = try await memoryVault()
        let stored = try await vault.create([.cvc("321"), .cvc("321"), .new("321")])
        #expect(Set(stored.map(\.aliases[0].alias)).count == 3)
        let again = try await vault.create([.reference(alias: stored[0].aliases[0].alias, format: .uuid)])
        #expect(again[0].aliases.count == 2)
    }

    @Test func boundedCount() async throws {
        let clock = TestClock()
        let vault = try await memoryVault(clock: clock) { $0.volatileCapacity = 3 }
        let first = try await vault.create([.cvc("1"), .cvc("2")])
        await #expect(throws: VaultError.volatileStorageFull) {
            try await vault.create([.new("a"), .cvc("3"), .cvc("4")])
        }
        #expect(vault.metrics.volatileAliases == 2)
        _ = try await vault.create([.cvc("3")])
        await #expect(throws: VaultError.volatileStorageFull) {
            try await vault.create([.reference(alias: first[0].aliases[0].alias, format: .rawUUID)])
        }
        try await vault.delete([first[0].aliases[0].alias])
        _ = try await vault.create([.cvc("4")])
        clock.advance(milliseconds: 3_600_000)
        _ = try await vault.create([.cvc("5"), .cvc("6"), .cvc("7")])
        #expect(vault.metrics.volatileAliases == 3)
    }

    @Test func deletionAndClassifiers() async throws {
        let vault = try await memoryVault()
        let volatile = try await vault.alias(.cvc("321"))
        let persistent = try await vault.alias(.new("x"))
        try await vault.replaceClassifiers(of: volatile, with: ["a"], storage: .volatile)
        #expect(try await vault.reveal([volatile])[0].stored.classifiers == ["a"])
        await #expect(throws: VaultError.unknownAliases([volatile])) {
            try await vault.delete([persistent, volatile], storage: .persistent)
        }
        await #expect(throws: VaultError.unknownAliases([persistent])) {
            try await vault.delete([persistent, volatile], storage: .volatile)
        }
        await #expect(throws: VaultError.unknownAliases(["nope"])) {
            try await vault.delete([volatile, "nope"])
        }
        #expect(await vault.value(volatile) == "321")
        try await vault.delete([volatile, persistent])
        #expect(await vault.value(volatile) == nil)
        #expect(await vault.value(persistent) == nil)
    }

    @Test func goneAfterRestart() async throws {
        let store = MemoryAliasStore()
        let vault = try await memoryVault(store)
        let stored = try await vault.create([.cvc("321"), .new("x")])
        let next = try await memoryVault(store)
        #expect(await next.value(stored[0].aliases[0].alias) == nil)
        #expect(await next.value(stored[1].aliases[0].alias) == "x")
        #expect(try await next.alias(.new("x")) == stored[1].aliases[0].alias)
    }
}
