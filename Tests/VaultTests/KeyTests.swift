import Crypto
import Glibc
import Sensitive
import Testing
import VaultTesting

@testable import Vault

@Suite("Keys")
struct KeyTests {
    @Test func wrongMasterKeyIsRefused() async throws {
        let store = MemoryAliasStore()
        _ = try await memoryVault(store)
        let before = try await store.read { (reading) throws(VaultError) in try reading.keys().map(\.wrapped) }
        await #expect(throws: VaultError.wrongMasterKey) {
            try await Vault.open(VaultConfiguration(), masterKey: masterKey(2), store: store)
        }
        let after = try await store.read { (reading) throws(VaultError) in try reading.keys().map(\.wrapped) }
        #expect(before == after && before.count == 2)
    }

    @Test func rotationAndRewrap() async throws {
        let store = MemoryAliasStore()
        let vault = try await memoryVault(store)
        let old = try await vault.create((0..<10).map { .new("old \($0)") })
        try await vault.rotateKey()
        let new = try await vault.create([.new("new")])
        #expect(try await vault.keyStatus().map(\.isActive) == [false, true])
        let reopened = try await memoryVault(store)
        var cursor: Int64? = 0
        var steps = 0
        while let from = cursor {
            cursor = try await reopened.rewrap(after: from, batch: 4)
            steps += 1
        }
        #expect(steps == 4)
        #expect(try await reopened.keyStatus().map(\.id) == [3])
        for item in old + new { #expect(await reopened.value(item.aliases[0].alias) == item.value.exposed) }
        let again = try await memoryVault(store)
        for item in old + new { #expect(await again.value(item.aliases[0].alias) == item.value.exposed) }
        #expect(try await again.alias(.new("old 3")) == old[3].aliases[0].alias)
    }

    @Test func retirementByCount() async throws {
        let store = MemoryAliasStore()
        let vault = try await memoryVault(store) { $0.dataKeyUses = 16 }
        for number in 0..<40 { _ = try await vault.alias(.new("value \(number)")) }
        let keys = try await vault.keyStatus()
        #expect(keys.count == 3)
        #expect(keys.map(\.reservedUses) == [16, 16, 8])
        // After a restart nothing of what was set aside is used again.
        let next = try await memoryVault(store) { $0.dataKeyUses = 16 }
        _ = try await next.alias(.new("one more"))
        #expect(try await next.keyStatus().map(\.reservedUses) == [16, 16, 10])
        #expect(try await next.alias(.new("value 3")) == vault.alias(.new("value 3")))
    }

    @Test func retirementByAge() async throws {
        let clock = TestClock()
        let vault = try await memoryVault(clock: clock) { $0.dataKeyLifetime = 100 }
        let alias = try await vault.alias(.new("a"))
        clock.advance(milliseconds: 100_000)
        _ = try await vault.alias(.new("b"))
        #expect(try await vault.keyStatus().map(\.id) == [2, 3])
        #expect(await vault.value(alias) == "a")
    }

    @Test func changeOfMasterKey() async throws {
        let store = MemoryAliasStore()
        let vault = try await memoryVault(store)
        let alias = try await vault.alias(.new("x"))
        try await vault.changeMasterKey(to: masterKey(9))
        try await vault.rotateKey()
        await #expect(throws: VaultError.wrongMasterKey) { try await memoryVault(store) }
        let next = try await Vault.open(VaultConfiguration(), masterKey: masterKey(9), store: store)
        #expect(await next.value(alias) == "x")
    }

    /// Between the commit of a change of the master key and the moment when the vault knows, it must make no key that the new
    /// one does not open. Two vaults on one store stand for the two moments of one.
    @Test func noKeyIsMadeUnderAMasterKeyThatHasGone() async throws {
        let store = MemoryAliasStore()
        let late = try await memoryVault(store)
        let alias = try await late.alias(.new("x"))
        try await memoryVault(store).changeMasterKey(to: masterKey(9))
        await #expect(throws: VaultError.unavailable("the master key is being changed")) { try await late.rotateKey() }
        let next = try await Vault.open(VaultConfiguration(), masterKey: masterKey(9), store: store)
        #expect(await next.value(alias) == "x")
    }

    /// The other way about: a key is made, and the master key changed, before the vault takes the new key over.
    @Test func aKeyIsTakenOverBehindAChangeOfTheMasterKey() async throws {
        let store = MemoryAliasStore()
        let vault = try await memoryVault(store)
        let reserved = try await store.write { (transaction) throws(VaultError) in
            try KeyMaintenance.reserve(
                1, in: transaction, keyring: vault.keyring, random: vault.random, now: 0, rotating: true)
        }
        try await vault.changeMasterKey(to: masterKey(9))
        try vault.keyring.adopt(reserved)
        #expect(vault.keyring.active.id == reserved.key.id)
        let alias = try await vault.alias(.new("x"))
        let next = try await Vault.open(VaultConfiguration(), masterKey: masterKey(9), store: store)
        #expect(await next.value(alias) == "x")
    }

    @Test func rowsCannotBeMoved() async throws {
        let store = MemoryAliasStore()
        let vault = try await memoryVault(store)
        let a = try await vault.alias(.new("a"))
        let b = try await vault.alias(.new("b"))
        try await store.write { (transaction) throws(VaultError) in
            guard var record = try transaction.value(alias: a), let other = try transaction.value(alias: b) else {
                return
            }
            record.sealed = other.sealed
            try transaction.update(record)
        }
        await #expect(throws: VaultError.corrupt("value 1 cannot be opened with its key")) {
            try await vault.reveal([a])
        }
    }

    @Test func swappedKeysAreNotTaken() async throws {
        let store = MemoryAliasStore()
        _ = try await memoryVault(store)
        try await store.write { (transaction) throws(VaultError) in
            let keys = try transaction.keys()
            try transaction.update(
                WrappedKey(
                    id: keys[1].id, purpose: .data, wrapped: keys[0].wrapped, createdAt: 0, reservedUses: 0))
        }
        await #expect(throws: VaultError.corrupt("key 2 is not the key that was stored under this number")) {
            try await memoryVault(store)
        }
    }

    @Test(arguments: [
        "000102030405060708090a0b0c0d0e0f101112131415161718191A1B1C1D1E1F",
        " AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=\n", "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8",
    ])
    func keysAsText(text: String) throws {
        #expect(try MasterKey(text: text).wrap.wrap([1]) == MasterKey(bytes: (0..<32).map { $0 }).wrap.wrap([1]))
    }

    @Test(arguments: [
        "", "x", String(repeating: "0", count: 63), String(repeating: "g", count: 64), "AAECAw==",
        String(repeating: "0", count: 64), "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8!",
    ])
    func textThatIsNoKey(text: String) {
        #expect(throws: VaultError.self) { try MasterKey(text: text) }
    }

    @Test(arguments: [
        (String(repeating: "0a", count: 15) + "b", "it has 31 hexadecimal digits instead of 64"),
        (" " + String(repeating: "0", count: 65) + "\n", "it has 65 hexadecimal digits instead of 64"),
        ("AAECAw==", "it has 4 bytes instead of 32"), ("key!", "it is neither 64 hexadecimal digits nor base64"),
        (" \n", "it has 0 bytes instead of 32"),
    ])
    func whatIsWrongWithAKey(text: String, reason: String) {
        #expect(throws: VaultError.unusableMasterKey(reason)) { try MasterKey(text: text) }
    }

    @Test func keyFiles() throws {
        let directory = P_tmpdir + "/cloakroom-keys-\(getpid())-\(UInt64.random(in: 0 ... .max))"
        let path = directory + "/deep/master.key"
        defer {
            unlink(path)
            rmdir(directory + "/deep")
            rmdir(directory)
        }
        #expect(throws: VaultError.self) { try MasterKey(file: path, generate: false) }
        let made = try MasterKey(file: path, generate: true)
        var status = stat()
        #expect(stat(path, &status) == 0 && status.st_mode & 0o777 == 0o600)
        for generate in [true, false] {
            #expect(try MasterKey(file: path, generate: generate).wrap.wrap([1]) == made.wrap.wrap([1]))
        }
        let digits = String(repeating: "0a", count: 15) + "b"
        for (content, reason) in [(digits, 31), (digits + "\n", 31), (digits + "00", 33)] {
            unlink(path)
            try PrivateFile.create(path, Array(content.utf8))
            #expect(throws: VaultError.unusableMasterKey("it has \(reason) hexadecimal digits instead of 64")) {
                try MasterKey(file: path, generate: false)
            }
        }
        unlink(path)
        try PrivateFile.create(path, Array((digits + "0").utf8))
        let raw = try MasterKey(bytes: Array((digits + "0").utf8))
        #expect(try MasterKey(file: path, generate: false).wrap.wrap([1]) == raw.wrap.wrap([1]))
        chmod(path, 0o640)
        #expect(throws: VaultError.unusableMasterKey("\(path) may be read by others; its mode must be 0600")) {
            try MasterKey(file: path, generate: true)
        }
    }
}
