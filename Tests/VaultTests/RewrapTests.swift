import Sensitive
import Testing
import VaultTesting

@testable import Vault

/// Sealing again beside other requests: nothing that writes goes through all rows, and no key goes that is in use.
@Suite("Rewrapping") struct RewrapTests {
    private static let batch = 64

    private func rewrap(_ vault: Vault) async throws {
        var cursor: Int64? = 0
        while let position = cursor { cursor = try await vault.rewrap(after: position, batch: Self.batch) }
    }

    /// How many values are under the old key, and then under the new one.
    @Test(arguments: [(1_100, 1_100), (3, 2_500), (2_100, 0), (0, 10)] as [(Int, Int)])
    func writesWaitForNoWalk(old: Int, new: Int) async throws {
        let store = MemoryAliasStore()
        let vault = try await memoryVault(store)
        let items = (0..<old + new).map { VaultItem.new("value \($0)") }
        var stored: [StoredValue] = []
        if old > 0 { stored += try await vault.create(Array(items.prefix(old))) }
        try await vault.storeResponse([1], under: [UInt8](repeating: 1, count: 32), for: 1_000)
        try await vault.rotateKey()
        if new > 0 { stored += try await vault.create(Array(items.dropFirst(old))) }
        for number in 0..<200 as Range<UInt8> {
            try await vault.storeResponse([2], under: [2, number] + [UInt8](repeating: 0, count: 30), for: 1_000)
        }
        #expect(try await vault.rewrapRemainder().values == old)
        #expect(try await vault.rewrapRemainder().responses == 1)
        try await rewrap(vault)
        #expect(store.longestWalkOfWrites <= max(Self.batch, Vault.lookedAt))
        #expect(try await vault.keyStatus().count == 1)
        let again = try await memoryVault(store)
        for value in stored { #expect(await again.value(value.aliases[0].alias) == value.value.exposed) }
        #expect(try await again.response(under: [UInt8](repeating: 1, count: 32)) == [1])
    }

    /// Values of the old key at both ends of a step: a write goes through no more than lies between them.
    @Test func aWriteGoesThroughWhatWasFound() async throws {
        let store = MemoryAliasStore()
        let vault = try await memoryVault(store)
        _ = try await vault.create((0..<3).map { .new("old \($0)") })
        try await vault.rotateKey()
        _ = try await vault.create((0..<900).map { .new("new \($0)") })
        try await rewrap(vault)
        #expect(store.longestWalkOfWrites == 3)
    }

    /// Something is stored under the old key when the walk over all rows has ended, and before the key is removed.
    @Test(arguments: [true, false]) func aKeyThatIsUsedAgainStays(isValue: Bool) async throws {
        let inner = MemoryAliasStore()
        let store = HookedStore(inner)
        let vault = try await Vault.open(VaultConfiguration(), masterKey: masterKey(), store: store)
        _ = try await vault.alias(.new("x"))
        let old = try #require(
            try await inner.read { (reading) throws(VaultError) in
                try reading.values(after: 0, notSealedUnder: 0, limit: 1).records.first
            })
        try await vault.rotateKey()
        let next = try await vault.rewrap(after: 0)
        #expect(next == old.id)
        let name = [UInt8](repeating: 0xFF, count: 32)
        let late = ResponseRecord(name: name, keyID: old.keyID, sealed: old.sealed, expiresAt: .max)
        // The first write is the one that ends those before; the second removes keys.
        store.beforeNextWrite {
            store.beforeNextWrite {
                try? await inner.write { (transaction) throws(VaultError) in
                    if isValue {
                        try transaction.insert(
                            ValueRecord(
                                id: try transaction.nextValueID(), binding: old.binding, fingerprint: nil,
                                keyID: old.keyID, sealed: old.sealed, classifiers: [], createdAt: 0, expiresAt: nil))
                    } else {
                        _ = try transaction.insert(late)
                    }
                }
            }
        }
        #expect(try await vault.rewrap(after: old.id) == nil)
        #expect(try await vault.keyStatus().map(\.id).contains(old.keyID))
    }
}
