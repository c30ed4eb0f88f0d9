import Crypto
import Glibc
import Sensitive
import Testing
import VaultTesting

@testable import Vault

@Suite("Keys")
struct KeyTests {
    /// Rows that an index leads back to would be gone through for ever.
    @Test(arguments: [(5, 5), (5, 4), (0, 0)] as [(Int64, Int64)])
    func anIndexThatLeadsBackIsDamaged(cursor: Int64, last: Int64) throws {
        #expect(throws: VaultError.self) { try Vault.next(last, behind: cursor) }
        #expect(try Vault.next(cursor + 1, behind: cursor) == cursor + 1)
        #expect(try Vault.next(nil, behind: cursor) == nil)
    }

    @Test func wrongMasterKeyIsRefused() async throws {
        let store = MemoryAliasStore()
        _ = try await memoryVault(store)
        let before = try await store.read { (reading) throws(VaultError) in try reading.keys().map(\.wrapped) }
        await #expect(throws: VaultError.wrongMasterKey) {
            try await Vault.open(VaultConfiguration(), masterKey: masterKey(2), store: store)
        }
        let after = try await store.read { (reading) throws(VaultError) in try reading.keys().map(\.wrapped) }
        #expect(before == after && before.count == KeyRecord.Purpose.allCases.count)
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
        #expect(try await reopened.keyStatus().map(\.id) == [7])
        for item in old + new { #expect(await reopened.value(item.aliases[0].alias) == item.value.exposed) }
        let again = try await memoryVault(store)
        for item in old + new { #expect(await again.value(item.aliases[0].alias) == item.value.exposed) }
        #expect(try await again.alias(.new("old 3")) == old[3].aliases[0].alias)
    }

    /// Another process makes a key while this one is about to seal old values again: it begins with that key, later.
    @Test func nothingIsSealedAgainUnderAReplacedKey() async throws {
        let inner = MemoryAliasStore()
        let store = HookedStore(inner, isExclusive: false)
        let vault = try await Vault.open(VaultConfiguration(), masterKey: masterKey(), store: store)
        let other = try await memoryVault(inner)
        let stored = try await vault.create((0..<4).map { .new("x\($0)") })
        try await vault.rotateKey()
        let keys: @Sendable () async throws -> [Int64] = {
            try await inner.read { (reading) throws(VaultError) in
                try reading.values(after: 0, notSealedUnder: 0, limit: 9).records.map(\.keyID)
            }
        }
        let before = try await keys()
        store.beforeNextWrite { _ = try? await other.rotateKey() }
        #expect(try await vault.rewrap(after: 0) == 0)
        #expect(try await keys() == before)
        var cursor: Int64? = 0
        while let from = cursor { cursor = try await vault.rewrap(after: from) }
        #expect(try await Set(keys()).count == 1)
        for item in stored { #expect(await vault.value(item.aliases[0].alias) == item.value.exposed) }
    }

    @Test func retirementByCount() async throws {
        let store = MemoryAliasStore()
        let vault = try await memoryVault(store) { $0.dataKeyUses = 16 }
        for number in 0..<40 { _ = try await vault.alias(.new("value \(number)")) }
        let keys = try await vault.keyStatus()
        #expect(keys.count == 3)
        #expect(keys.map(\.allottedUses) == [16, 16, 8])
        // After a restart nothing of what was allotted is used again.
        let next = try await memoryVault(store) { $0.dataKeyUses = 16 }
        _ = try await next.alias(.new("one more"))
        #expect(try await next.keyStatus().map(\.allottedUses) == [16, 16, 10])
        #expect(try await next.alias(.new("value 3")) == vault.alias(.new("value 3")))
    }

    @Test func retirementByAge() async throws {
        let clock = TestClock()
        let vault = try await memoryVault(clock: clock) { $0.dataKeyLifetime = 100 }
        let alias = try await vault.alias(.new("a"))
        clock.advance(milliseconds: 100_000)
        _ = try await vault.alias(.new("b"))
        #expect(try await vault.keyStatus().map(\.id) == [2, 7])
        #expect(await vault.value(alias) == "a")
    }

    @Test func changeOfMasterKey() async throws {
        let store = MemoryAliasStore()
        let vault = try await memoryVault(store)
        let alias = try await vault.alias(.new("x"))
        try await vault.changeMasterKey(to: masterKey(9))
        // A key that is made meanwhile is wrapped under both.
        try await vault.rotateKey()
        let status = try await vault.masterKeyStatus()
        #expect(try status.checkValue == masterKey().checkValue && status.nextCheckValue == masterKey(9).checkValue)
        #expect(status.isBeingChanged)
        // Until a start with the new key has succeeded, both open the vault.
        #expect(await (try memoryVault(store)).value(alias) == "x")
        let next = try await Vault.open(VaultConfiguration(), masterKey: masterKey(9), store: store)
        #expect(await next.value(alias) == "x")
        #expect(try await next.completeMasterKeyChange())
        #expect(try await !next.completeMasterKeyChange())
        #expect(try await next.masterKeyStatus().isBeingChanged == false)
        await #expect(throws: VaultError.wrongMasterKey) { try await memoryVault(store) }
        #expect(try masterKey().checkValue != masterKey(9).checkValue)
    }

    /// Who only looks with the new key leaves the change under way.
    @Test func aLookCompletesNoChangeOfTheMasterKey() async throws {
        let store = MemoryAliasStore()
        let vault = try await memoryVault(store)
        let alias = try await vault.alias(.new("x"))
        try await vault.changeMasterKey(to: masterKey(9))
        let look = try await Vault.open(VaultConfiguration(), masterKey: masterKey(9), store: store)
        #expect(await look.value(alias) == "x")
        let status = try await look.masterKeyStatus()
        #expect(try status.isNext && status.isBeingChanged && status.checkValue == masterKey(9).checkValue)
        await #expect(throws: VaultError.self) { try await look.rotateKey() }
        for number in [9, 7] as [UInt8] {
            await #expect(throws: VaultError.self) { try await look.changeMasterKey(to: masterKey(number)) }
        }
        #expect(await look.value(try await look.alias(.new("y"))) == "y")
        #expect(await (try memoryVault(store)).value(alias) == "x")
        #expect(try await look.completeMasterKeyChange())
        await #expect(throws: VaultError.wrongMasterKey) { try await memoryVault(store) }
    }

    @Test func aChangeOfTheMasterKeyCanBeBegunAgain() async throws {
        let store = MemoryAliasStore()
        let vault = try await memoryVault(store)
        let alias = try await vault.alias(.new("x"))
        try await vault.changeMasterKey(to: masterKey(8))
        try await vault.changeMasterKey(to: masterKey(9))
        await #expect(throws: VaultError.wrongMasterKey) {
            try await Vault.open(VaultConfiguration(), masterKey: masterKey(8), store: store)
        }
        let next = try await Vault.open(VaultConfiguration(), masterKey: masterKey(9), store: store)
        #expect(await next.value(alias) == "x")
    }

    /// Naming the key that is in use gives a change up: after a restart under it keys are made again.
    @Test func aChangeOfTheMasterKeyIsGivenUp() async throws {
        let store = MemoryAliasStore()
        let vault = try await memoryVault(store)
        let other = try await memoryVault(store)
        let alias = try await vault.alias(.new("x"))
        #expect(try await vault.changeMasterKey(to: masterKey(9)))
        #expect(try await !other.changeMasterKey(to: masterKey()))
        #expect(try await !other.masterKeyStatus().isBeingChanged)
        for vault in [vault, other, try await memoryVault(store)] {
            try await vault.rotateKey()
            #expect(try await !vault.masterKeyStatus().isBeingChanged)
            #expect(await vault.value(alias) == "x")
        }
        await #expect(throws: VaultError.wrongMasterKey) {
            try await Vault.open(VaultConfiguration(), masterKey: masterKey(9), store: store)
        }
        // Nor is it a change to name it at once.
        #expect(try await !vault.changeMasterKey(to: masterKey()))
        try await vault.rotateKey()
    }

    /// What a key's row says of age and use is bound to the key.
    @Test func changedKeyRowsAreRefused() async throws {
        for change in 0..<4 {
            let store = MemoryAliasStore()
            _ = try await memoryVault(store)
            try await store.write { (transaction) throws(VaultError) in
                let key = try transaction.keys()[1]
                try transaction.update(
                    KeyRecord(
                        id: key.id, purpose: change == 0 ? .audit : key.purpose, wrapped: key.wrapped,
                        createdAt: key.createdAt + (change == 1 ? 1 : 0),
                        allottedUses: key.allottedUses + (change == 2 ? 1 : 0),
                        tag: try change == 3 ? transaction.keys()[2].tag : key.tag))
            }
            await #expect(throws: VaultError.self) { try await memoryVault(store) }
        }
    }

    /// A counter that is set back while the vault is open would let a key seal more than it may.
    @Test func aCounterThatIsSetBackIsNoticed() async throws {
        let store = MemoryAliasStore()
        let vault = try await memoryVault(store)
        _ = try await vault.alias(.new("x"))
        let maintenance = KeyMaintenance(keyring: vault.keyring, random: vault.random)
        await #expect(throws: VaultError.corrupt("the row of key 2 was changed")) {
            try await store.write { (transaction) throws(VaultError) in
                let key = try transaction.keys()[1]
                try transaction.update(
                    KeyRecord(
                        id: key.id, purpose: key.purpose, wrapped: key.wrapped, createdAt: key.createdAt,
                        allottedUses: 0, tag: key.tag))
                _ = try maintenance.allot(1, in: transaction, now: 0)
            }
        }
    }

    @Test func keysOfAnotherVaultAreRefused() async throws {
        let (store, other) = (MemoryAliasStore(), MemoryAliasStore())
        _ = try await memoryVault(store)
        _ = try await memoryVault(other)
        let keys = try await other.read { (reading) throws(VaultError) in try reading.keys() }
        try await store.write { (transaction) throws(VaultError) in for key in keys { try transaction.update(key) } }
        await #expect(throws: VaultError.corrupt("key 1 is not the key that was stored under this number")) {
            try await memoryVault(store)
        }
    }

    /// Between the commit of a change of the master key and the moment when the vault knows, it must make no key that the new
    /// one does not open. Two vaults on one store stand for the two moments of one.
    @Test func noKeyIsMadeUnderAMasterKeyThatHasGone() async throws {
        let store = MemoryAliasStore()
        let late = try await memoryVault(store)
        let alias = try await late.alias(.new("x"))
        try await memoryVault(store).changeMasterKey(to: masterKey(9))
        await #expect(throws: VaultError.unavailable("the master key is being changed: restart with the new key first"))
        {
            try await late.rotateKey()
        }
        // What needs no new key goes on.
        #expect(await late.value(try await late.alias(.new("y"))) == "y")
        let next = try await Vault.open(VaultConfiguration(), masterKey: masterKey(9), store: store)
        #expect(await next.value(alias) == "x")
    }

    /// The other way about: a key is made, and the master key changed, before the vault takes the new key over.
    @Test func aKeyIsTakenOverBehindAChangeOfTheMasterKey() async throws {
        let store = MemoryAliasStore()
        let vault = try await memoryVault(store)
        let maintenance = KeyMaintenance(keyring: vault.keyring, random: vault.random)
        let allotment = try await store.write { (transaction) throws(VaultError) in
            try maintenance.allot(1, in: transaction, now: 0, .dataKey)
        }
        try await vault.changeMasterKey(to: masterKey(9))
        vault.keyring.adopt(allotment)
        #expect(vault.keyring.active.data.id == allotment.key.id)
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
            guard var record = try transaction.entry(alias: a)?.value,
                let other = try transaction.entry(alias: b)?.value
            else { return }
            record.sealed = other.sealed
            try transaction.update(record)
        }
        await #expect(throws: VaultError.damaged(alias: a)) {
            try await vault.reveal([a])
        }
    }

    @Test func swappedKeysAreNotTaken() async throws {
        let store = MemoryAliasStore()
        _ = try await memoryVault(store)
        try await store.write { (transaction) throws(VaultError) in
            let keys = try transaction.keys()
            try transaction.update(
                KeyRecord(
                    id: keys[1].id, purpose: .data, wrapped: keys[0].wrapped, createdAt: keys[1].createdAt,
                    allottedUses: 0, tag: keys[1].tag))
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

    /// AES also takes keys of 16 and 24 bytes.
    @Test(arguments: [0, 16, 24, 31, 33]) func aKeyOfAnotherLength(count: Int) {
        #expect(throws: VaultError.unusableMasterKey("it has \(count) bytes instead of 32")) {
            try MasterKey(bytes: (0..<UInt8(count)).map { $0 })
        }
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
            #expect(throws: VaultError.unusableMasterKey("\(path): it has \(reason) hexadecimal digits instead of 64"))
            {
                try MasterKey(file: path, generate: false)
            }
        }
        unlink(path)
        try PrivateFile.create(path, Array((digits + "0").utf8))
        let raw = try MasterKey(bytes: Array((digits + "0").utf8))
        #expect(try MasterKey(file: path, generate: false).wrap.wrap([1]) == raw.wrap.wrap([1]))
        chmod(path, 0o644)
        #expect(throws: VaultError.unusableMasterKey("\(path) may be read by others; its mode must be 0600")) {
            try MasterKey(file: path, generate: true)
        }
    }
}
