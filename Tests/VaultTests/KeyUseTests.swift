import Synchronization
import Testing
import VaultTesting

@testable import Vault

/// Data keys that are removed while something is read.
@Suite struct KeyUseTests {
    /// What was read before its key was removed is opened all the same. Then nothing is left of the key.
    @Test(arguments: [true, false]) func whatWasReadIsOpened(isExclusive: Bool) async throws {
        let clock = TestClock()
        let store = HookedStore(MemoryAliasStore(), isExclusive: isExclusive)
        var configuration = VaultConfiguration()
        configuration.clock = clock.clock
        let vault = try await Vault.open(configuration, masterKey: masterKey(), store: store)
        let alias = try await vault.alias(.new("x"))
        let name = [UInt8](repeating: 1, count: 32)
        try await vault.storeResponse([5], under: name, for: 1_000_000)
        let calls: [(name: String, isDone: @Sendable () async -> Bool)] = [
            ("reveal", { await vault.value(alias) == "x" }),
            ("look up", { (try? await vault.lookUp([alias]))?.count == 1 }),
            ("response", { (try? await vault.response(under: name)) == [5] }),
            ("reuse", { (try? await vault.alias(.new("x"))) == alias }),
            ("reference", { (try? await vault.references(in: [.reference(alias: alias, format: .uuid)])) == [alias] }),
        ]
        for call in calls {
            let key = vault.keyring.active.data.id
            try await vault.rotateKey()
            clock.advance(milliseconds: 120_000)
            let lasted = Mutex<Bool?>(nil)
            store.afterNextRead {
                var cursor: Int64? = 0
                while let position = cursor { cursor = try? await vault.rewrap(after: position) }
                lasted.withLock { $0 = vault.keyring.key(key) != nil }
            }
            #expect(await call.isDone(), "\(call.name)")
            // Of what is remembered nothing is read.
            if call.name == "reuse", isExclusive { continue }
            #expect(lasted.withLock { $0 } == true, "\(call.name)")
            #expect(vault.keyring.key(key) == nil && vault.metrics.damaged == 0, "\(call.name)")
        }
    }

    /// Without a call under way nothing is left of a key when it is removed.
    @Test func aRemovedKeyIsForgottenAtOnce() async throws {
        let store = HookedStore(MemoryAliasStore(), isExclusive: true)
        let vault = try await Vault.open(VaultConfiguration(), masterKey: masterKey(), store: store)
        _ = try await vault.alias(.new("x"))
        let key = vault.keyring.active.data.id
        try await vault.rotateKey()
        #expect(vault.keyring.key(key) != nil)
        var cursor: Int64? = 0
        while let position = cursor { cursor = try await vault.rewrap(after: position) }
        #expect(vault.keyring.key(key) == nil)
    }

    /// Calls that begin and end, keys that are removed meanwhile, and what is forgotten at each step.
    @Test func removedKeysAreNeededByCallsFromBefore() {
        var uses = KeyUses()
        #expect(uses.remove(1) == [1])
        let first = uses.begin()
        let second = uses.begin()
        #expect(uses.remove(2) == [])
        let third = uses.begin()
        #expect(uses.remove(3) == [] && uses.remove(4) == [])
        let fourth = uses.begin()
        #expect(uses.end(third) == [])
        #expect(uses.end(first) == [])
        #expect(uses.end(second) == [2, 3, 4])
        #expect(uses.end(fourth) == [])
        #expect(uses.remove(5) == [5])
        let (fifth, sixth) = (uses.begin(), uses.begin())
        #expect(uses.remove(6) == [] && uses.end(fifth) == [] && uses.end(sixth) == [6])
        let seventh = uses.begin()
        #expect(uses.remove(7) == [])
        let eighth = uses.begin()
        #expect(uses.remove(8) == [] && uses.end(seventh) == [7] && uses.end(eighth) == [8])
    }
}
