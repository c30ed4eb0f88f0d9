import RedisTesting
import Sensitive
import Testing
import VaultTesting

@testable import Vault
@testable import VolatileRedis

/// What one request reads does not end the connection that all share.
@Suite("Large shared volatile values") struct LargeValueTests {
    private static let mebibyte = String(repeating: "x", count: 1 << 20)

    private func item(_ value: String, _ classifiers: [String] = []) -> VaultItem {
        .value(SensitiveText(value), format: .uuid, classifiers: classifiers, storage: .volatile)
    }

    /// So many aliases of one value.
    private func aliases(_ count: Int, of value: String, in vault: Vault) async throws -> [String] {
        var aliases = [try await vault.alias(item(value))]
        while aliases.count < count {
            let references = aliases.prefix(count - aliases.count).map { VaultItem.reference(alias: $0, format: .uuid) }
            aliases += try await vault.create(references).compactMap(\.requested?.alias)
        }
        return aliases
    }

    /// A value is read once, and not at all if it has no room as often as it is named.
    @Test func manyAliasesOfOneValue() async throws {
        let setting = try await Setting()
        defer { setting.remove() }
        let vault = setting.vaults[0]
        let most = Vault.lookUpRoom / Self.mebibyte.utf8.count - 1
        let aliases = try await aliases(80, of: Self.mebibyte, in: vault)
        let names = try #require(vault.sharedVolatiles).names(of: aliases)
        let stored = try await setting.stores[0].values(
            ofAliases: names, in: try #require(vault.sharedVolatiles).vault)
        let places = stored.map { $0?.sealed.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) } }
        #expect(places.count == 80 && Set(places).count == 1 && places[0] != nil)
        #expect(try await vault.lookUp(Array(aliases.prefix(most))).count == most)
        let revealed = try await vault.reveal(Array(aliases.prefix(20)))
        #expect(revealed.allSatisfy { $0.stored.value.exposed == Self.mebibyte })
        await #expect(throws: VaultError.revealTooLarge(limit: Vault.lookUpRoom)) { try await vault.lookUp(aliases) }
        await #expect(throws: VaultError.revealTooLarge(limit: Vault.revealRoom)) { try await vault.reveal(aliases) }
        #expect(vault.volatileFailure == nil)
    }

    /// More bytes than one batch may have, beside small requests.
    @Test func manyLargeValuesAtOnce() async throws {
        let setting = try await Setting()
        defer { setting.remove() }
        let vault = setting.vaults[0]
        // One command reads both: those of 16 requests are all that the connection may take for a batch.
        let large = String(repeating: "x", count: (2 << 20) - 1_024)
        var aliases: [String] = []
        for number in 0..<2 { aliases.append(try await vault.alias(item("\(number)" + large, ["large"]))) }
        let asked = aliases + [try await vault.alias(item("1"))]
        try await withThrowingTaskGroup(of: Int.self) { group in
            for number in 0..<120 {
                group.addTask {
                    if number % 2 > 0 { return try await vault.create([.cvc("321")]).count + 2 }
                    return try await vault.lookUp(asked).count
                }
            }
            for try await count in group { #expect(count == 3) }
        }
        #expect(vault.volatileFailure == nil)
        for (number, alias) in aliases.enumerated() {
            #expect(await vault.value(alias) == "\(number)" + large)
        }
        // A walk over all reads them, too.
        let erased = try await vault.eraseVolatile(classifier: "large")
        #expect(erased.aliases == 2)
        #expect(await vault.value(aliases[0]) == nil)
    }

    /// Whatever another hand puts there: a value that is gone, and one that no reply can hold.
    @Test func valuesOfOthers() async throws {
        let setting = try await Setting()
        defer { setting.remove() }
        let vault = setting.vaults[0]
        let (gone, alias) = (try await vault.alias(item("1")), try await vault.alias(item("2")))
        let keys = try setting.server.run("KEYS", "*:v:*").split(separator: "\n").map(String.init)
        #expect(keys.count == 2)
        for key in keys { try setting.server.run("SETRANGE", key, "70000000", "x") }
        for alias in [gone, alias] {
            await #expect(throws: VaultError.self) { try await vault.lookUp([alias]) }
            await #expect(throws: VaultError.unavailable("a value in Redis is larger than can be read")) {
                try await vault.create([.reference(alias: alias, format: .rawUUID)])
            }
        }
        for key in keys { try setting.server.run("DEL", key) }
        #expect(try await vault.lookUp([gone, alias]).isEmpty)
        // The connection is the same, and well.
        #expect(vault.volatileFailure == nil)
        #expect(await vault.value(try await vault.alias(item("3"))) == "3")
    }
}
