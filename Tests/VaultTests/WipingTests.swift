import Interposing
import Sensitive
import Testing
import VaultTesting

@testable import Crypto
@testable import Vault

/// What held a key or a sealed value is overwritten when it is no longer needed: each wipe of memory is seen as it is made.
@Suite struct WipingTests {
    private let envelope = KeyEnvelope(vaultID: Array(0..<16))

    /// A key of which no other test makes one, and the number that its wipes are asked for with.
    private func watchedKey() throws -> (bytes: [UInt8], watched: Int32) {
        let bytes = try RandomPool().bytes(32)
        return (bytes, interposed_watch(bytes, bytes.count))
    }

    @Test func aDroppedVolatileValueIsWiped() async throws {
        let clock = TestClock()
        let vault = try await memoryVault(clock: clock)
        let deleted = try await vault.alias(.cvc("907"))
        let expired = try await vault.alias(.cvc("908"))
        let watched = try [deleted, expired].map { alias in
            let sealed = try #require(vault.volatile.record(alias: alias)?.sealed)
            return interposed_watch(sealed, sealed.count)
        }
        try await vault.delete([deleted])
        #expect(watched.map(interposed_wipes) == [1, 0])
        clock.advance(milliseconds: 1 << 40)
        vault.sweep()
        #expect(watched.map(interposed_wipes) == [1, 1])
    }

    @Test func aKeyIsWipedWhenItHasBeenWrapped() throws {
        let (key, watched) = try watchedKey()
        let masters = MasterKeys(current: try masterKey())
        let record = try envelope.record(of: key, id: 1, .data, createdAt: 1, under: masters)
        #expect(interposed_wipes(watched) == 1)
        _ = try envelope.open(record, under: masters.current)
        #expect(interposed_wipes(watched) == 2)
        // Unwrapped, wrapped under both, and the key itself.
        _ = try envelope.preparing(record, for: masterKey(2), under: masters.current)
        #expect(interposed_wipes(watched) == 6)
    }

    @Test(arguments: [
        "cloakroom/data/seal/3", "cloakroom/data/nonce/3", "cloakroom/fingerprint/3", "cloakroom/alias/3",
        "cloakroom/anchor/3",
    ])
    func derivedKeysAreWiped(purpose: String) throws {
        let root = try RandomPool().bytes(32)
        let derived = try envelope.subkey(of: root, purpose)
        let watched = interposed_watch(derived, derived.count)
        _ = try DataKey(id: 1, createdAt: 1, root: root, envelope)
        _ = try FingerprintKey(id: 1, createdAt: 0, root: root, envelope)
        _ = try IntegrityKeys(root: root, envelope)
        #expect(interposed_wipes(watched) == 1)
    }

    @Test func openedKeysAreWiped() throws {
        let master = try masterKey()
        let keys = try (0..<6).map { _ in try watchedKey() }
        let records = try zip(keys, KeyRecord.Purpose.allCases.sorted { $0 == .fingerprint && $1 != .fingerprint })
            .enumerated().map { index, pair in
                try envelope.record(
                    of: pair.0.bytes, id: Int64(index + 1), pair.1, createdAt: 1, under: MasterKeys(current: master))
            }
        let before = keys.map { interposed_wipes($0.watched) }
        _ = try Keyring(records, envelope, master: master, policy: KeyPolicy(lifetime: 1 << 40, uses: 1 << 30))
        // What was unwrapped, and the key.
        #expect(zip(keys, before).map { interposed_wipes($0.watched) - $1 } == [2, 2, 2, 2, 2, 2])
    }
}
