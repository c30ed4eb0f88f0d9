import Sensitive
import Synchronization
import Testing
import Vault
import VaultTesting

@testable import VolatileRedis

/// Changes of shared volatile values between whose reading and writing another process changes the same value.
@Suite("Overtaken changes") struct OvertakenTests {
    /// The server, before whose next change another process makes one.
    private final class OvertakenStore: SharedVolatileStore {
        private let inner: RedisVolatileStore
        private let hook = Mutex<(@Sendable () async throws -> Void)?>(nil)

        init(_ inner: RedisVolatileStore) { self.inner = inner }

        func beforeNextChange(_ change: @escaping @Sendable () async throws -> Void) { hook.withLock { $0 = change } }

        var failure: VaultError? { inner.failure }
        var count: Int { inner.count }
        var places: Int { inner.places }

        func values(
            ofAliases names: [String], in vault: String, room: RevealRoom?
        ) async throws(VaultError) -> [SharedVolatileValue?] {
            try await inner.values(ofAliases: names, in: vault, room: room)
        }

        func apply(
            _ changes: [SharedVolatileChange], in vault: String, capacity: Int
        ) async throws(VaultError) -> SharedVolatileOutcome {
            do { try await hook.withLock { $0.take() }?() } catch { throw .unavailable("\(error)") }
            return try await inner.apply(changes, in: vault, capacity: capacity)
        }

        func values(from cursor: String?, in vault: String) async throws(VaultError) -> SharedVolatilePage {
            try await inner.values(from: cursor, in: vault)
        }

        func check(_ vault: String) async throws(VaultError) { try await inner.check(vault) }
        func close() { inner.close() }
    }

    /// - Parameter body: gets the vault that is overtaken, the one that overtakes it, and two aliases of one value.
    private func withVaults(
        _ body: (Vault, OvertakenStore, _ other: Vault, _ first: String, _ second: String) async throws -> Void
    ) async throws {
        let setting = try await Setting()
        defer { setting.remove() }
        let store = OvertakenStore(setting.stores[1])
        let vault = try await Vault.open(
            setting.vaults[0].configuration, masterKey: masterKey(), store: setting.records, sharedVolatile: store)
        let other = setting.vaults[0]
        let first = try await other.alias(
            .value(SensitiveText("321"), format: .uuid, classifiers: ["cvc"], storage: .volatile))
        let stored = try await other.create([.reference(alias: first, format: .rawUUID)])
        try await body(vault, store, other, first, try #require(stored[0].aliases.last?.alias))
    }

    @Test func anUpdateIsMadeAfterTheOther() async throws {
        try await withVaults { vault, store, other, first, second in
            store.beforeNextChange { try await other.delete([second]) }
            try await vault.replaceClassifiers(of: first, with: ["new"])
            let left = try await other.reveal([first])[0].stored
            #expect(left.classifiers == ["new"] && left.aliases.map(\.alias) == [first])
            #expect(await other.value(second) == nil)
        }
    }

    /// One of the two is gone when the deletion is tried again: so nothing is deleted, and the caller is told.
    @Test func ofSeveralAllAreDeletedOrNone() async throws {
        try await withVaults { vault, store, other, first, second in
            let kept = try await other.alias(.cvc("987"))
            store.beforeNextChange { try await other.delete([second]) }
            await #expect(throws: VaultError.unknownAliases([second])) {
                try await vault.delete([kept, first, second])
            }
            #expect(await other.value(first) == "321")
            #expect(await other.value(kept) == "987")
        }
    }

    /// Whatever was changed beside it, a value that carries the classifier is erased.
    @Test(arguments: ["an alias less", "an alias more", "all aliases others"])
    func anErasureMissesNothing(change: String) async throws {
        try await withVaults { vault, store, other, first, second in
            store.beforeNextChange {
                if change != "an alias less" {
                    _ = try await other.create([.reference(alias: first, format: .rawUUID)])
                }
                if change != "an alias more" { try await other.delete([second]) }
                if change == "all aliases others" { try await other.delete([first]) }
            }
            _ = try await vault.eraseVolatile(classifier: "cvc")
            try await other.checkVolatile()
            #expect(other.metrics.volatileAliases == 0)
        }
    }

    @Test func anErasureLeavesWhatDoesNotCarryTheClassifierAnyMore() async throws {
        try await withVaults { vault, store, other, first, second in
            store.beforeNextChange { try await other.replaceClassifiers(of: first, with: ["other"]) }
            let erased = try await vault.eraseVolatile(classifier: "cvc")
            #expect(erased.values == 0 && erased.aliases == 0)
            #expect(await other.value(second) == "321")
        }
    }

    /// The server fails between two values: the erasure is stored, goes on where a process asks for it, and counts both.
    @Test(arguments: [Storage.volatile, nil])
    func anErasureGoesOnAfterTheServerHasFailed(storage: Storage?) async throws {
        try await withVaults { vault, store, other, first, _ in
            let second = try await other.alias(
                .value(SensitiveText("987"), format: .uuid, classifiers: ["cvc"], storage: .volatile))
            store.beforeNextChange { store.beforeNextChange { throw VaultError.unavailable("the server has failed") } }
            let begun = try await vault.beginErasure(
                classifier: "cvc", storage: storage, requestID: "r", credential: "dev")
            #expect(begun.finishedAt == nil)
            #expect(try await other.erasure(begun.id)?.values == 1)
            #expect(try await other.openErasures() == [begun.id])
            let values = [await other.value(first), await other.value(second)]
            #expect(values.compactMap(\.self).count == 1)
            var last = begun
            while last.finishedAt == nil { last = try #require(try await other.advance(erasure: begun.id)) }
            #expect(last.values == 2 && last.count == 2 && last.aliases == 3)
            try await other.checkVolatile()
            #expect(other.metrics.volatileAliases == 0)
            #expect(try await other.openErasures() == [])
        }
    }
}
