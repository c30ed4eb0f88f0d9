import Sensitive
import Testing
import VaultTesting

@testable import Vault

/// `retention` of the configuration: values with a classifier are erased when they are older than it allows.
@Suite("Retention") struct RetentionTests {
    private let clock = TestClock()
    private let store = MemoryAliasStore()
    private let retentions = [Retention(classifier: "month", keep: 30), Retention(classifier: "year", keep: 365)]

    /// Goes through all values, as the gateway does.
    private func erase(_ vault: Vault) async throws -> (values: Int, aliases: Int, damaged: Int) {
        var sum = (values: 0, aliases: 0, damaged: 0)
        var cursor: Int64? = 0
        while let position = cursor {
            let (erased, next) = try await vault.eraseOverdue(retentions, after: position)
            sum = (sum.0 + erased.values, sum.1 + erased.aliases, sum.2 + erased.damaged)
            cursor = next
        }
        return sum
    }

    @Test func valuesGoInTheirTime() async throws {
        let vault = try await memoryVault(store, clock: clock)
        var aliases: [String: [String]] = [:]
        for (name, classifiers) in [
            ("none", []), ("month", ["month"]), ("year", ["other", "year"]), ("both", ["year", "month"]),
            ("months", ["months"]),
        ] {
            // More than the page of one step.
            for number in 0..<150 {
                aliases[name, default: []].append(try await vault.alias(.new("\(name) \(number)", .uuid, classifiers)))
            }
        }
        // A value goes with all its aliases.
        let further = try await vault.create([.reference(alias: try #require(aliases["both"]?.first), format: .rawUUID)])
        #expect(further[0].aliases.count == 2)
        clock.advance(milliseconds: 29_999)
        #expect(try await erase(vault) == (0, 0, 0))
        clock.advance(milliseconds: 1)
        #expect(try await erase(vault) == (300, 301, 0))
        #expect(try await erase(vault) == (0, 0, 0))
        #expect(try await vault.lookUp(further[0].aliases.map(\.alias)).isEmpty)
        clock.advance(milliseconds: 335_000)
        #expect(try await erase(vault) == (150, 150, 0))
        for name in ["none", "months"] {
            for alias in aliases[name] ?? [] { #expect(await vault.value(alias)?.hasPrefix(name) == true) }
        }
    }

    /// The time is that of the first storing: using a value again does not keep it.
    @Test func reuseKeepsNothing() async throws {
        let vault = try await memoryVault(store, clock: clock)
        let alias = try await vault.alias(.new("x", .uuid, ["month"]))
        clock.advance(milliseconds: 20_000)
        #expect(try await vault.alias(.new("x", .uuid, ["month"])) == alias)
        clock.advance(milliseconds: 10_000)
        #expect(try await erase(vault) == (1, 1, 0))
        #expect(await vault.value(alias) == nil)
    }

    /// A row that was changed is left where it is, and the others go.
    @Test func damagedValuesStay() async throws {
        let vault = try await memoryVault(store, clock: clock)
        for number in 0..<10 { _ = try await vault.alias(.new("x\(number)", .uuid, ["month"])) }
        let safe = try await vault.alias(.new("safe"))
        try await store.write { (transaction) throws(VaultError) in
            for var record in try transaction.values(after: 0, notSealedUnder: 0, limit: 100)
            where record.classifiers.isEmpty || record.id % 4 == 1 {
                record.classifiers = ["month"]
                record.sealed[30] ^= 1
                try transaction.update(record)
            }
        }
        clock.advance(milliseconds: 30_000)
        let sum = try await erase(vault)
        #expect(sum.damaged >= 3 && sum.values + sum.damaged == 11)
        await #expect(throws: VaultError.damaged(alias: safe)) { try await vault.reveal([safe]) }
    }
}
