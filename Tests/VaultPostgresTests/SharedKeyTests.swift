import PostgresTesting
import Testing
import Vault
import VaultTesting

@testable import VaultPostgres

@Suite("Keys of a shared vault")
struct SharedKeyTests {
    @Test func whatOneMakesTheOthersLearn() async throws {
        let server = try PostgresServer.shared()
        let url = try server.database()
        try server.setClock(of: url, ahead: 0)
        let stores = [try store(url), try store(url)]
        let one = try await openVault(stores[0]) { $0.clock = .still }
        let other = try await openVault(stores[1]) { $0.clock = .still }
        let early = try await other.alias(.new("early"))
        try await one.rotateKey()
        let late = try await one.alias(.new("late"))
        // Under a key that the other has never seen.
        #expect(await other.value(late) == "late")
        #expect(try await other.create([.reference(alias: late, format: .rawUUID)])[0].aliases.count == 2)

        // What the other still seals under the old key keeps that key.
        #expect(try await one.rewrap() != nil)
        #expect(try await one.rewrap() == nil)
        #expect(try await one.keyStatus().map(\.id) == [2, 7])
        try server.setClock(of: url, ahead: 61)
        try await other.catchUp()
        #expect(try await one.rewrap() == nil)
        #expect(try await one.keyStatus().map(\.id) == [7])
        #expect(await other.value(early) == "early")
        #expect(await other.value(try await other.alias(.new("next"))) == "next")
        for store in stores { store.close() }
    }

    @Test func whatIsUnderOlderKeysIsFound() async throws {
        // One thread writes, so that later values have higher ids.
        let store = try store(try PostgresServer.shared().database()) { $0.connections = 2 }
        #expect(try await RewrapStepsRun.problems(in: try await openVault(store), store) == [])
        store.close()
    }

    /// Whoever has slept through it is refused, and nothing is sealed under a key that is no more.
    @Test func aKeyThatIsGoneSealsNothing() async throws {
        let server = try PostgresServer.shared()
        let url = try server.database()
        try server.setClock(of: url, ahead: 0)
        let stores = [try store(url), try store(url)]
        let one = try await openVault(stores[0]) { $0.clock = .still }
        let other = try await openVault(stores[1]) { $0.clock = .still }
        _ = try await other.alias(.new("early"))
        try await one.rotateKey()
        try server.setClock(of: url, ahead: 61)
        while try await one.rewrap() != nil {}
        #expect(try await one.keyStatus().map(\.id) == [7])
        await #expect(throws: VaultError.self) { try await other.alias(.new("late")) }
        #expect(stores[1].failure == nil)
        try await other.catchUp()
        #expect(await one.value(try await other.alias(.new("late"))) == "late")
        for store in stores { store.close() }
    }

    /// A database that was restored to an older state lacks a key, or gets another under its number; what is sealed under the one that is
    /// gone could never be opened.
    @Test func aDatabaseThatWentBackSealsNothing() async throws {
        let server = try PostgresServer.shared()
        let url = try server.database()
        let stores = [try store(url), try store(url)]
        let one = try await openVault(stores[0])
        let other = try await openVault(stores[1])
        try await one.rotateKey()
        try await other.catchUp()
        let early = try await other.alias(.new("early"))
        let rows = "CREATE TABLE kept AS SELECT * FROM cloakroom_key WHERE id = 7"
        _ = try server.query("\(rows); ALTER TABLE cloakroom_value DROP CONSTRAINT cloakroom_value_key_fkey", in: url)
        _ = try server.query("DELETE FROM cloakroom_key WHERE id = 7", in: url)
        let later = try store(url)
        for isMadeAgain in [false, true] {
            // Another process begins with what is there, and makes a key of the same number.
            if isMadeAgain { try await openVault(later).rotateKey() }
            for vault in [one, other] {
                await #expect(throws: VaultError.self) { try await vault.catchUp() }
                await #expect(throws: VaultError.self) { try await vault.keyStatus() }
                await #expect(throws: VaultError.self) { try await vault.alias(.new("late")) }
                await #expect(throws: VaultError.self) { try await vault.rotateKey() }
            }
        }
        _ = try server.query(
            "DELETE FROM cloakroom_key WHERE id = 7; INSERT INTO cloakroom_key SELECT * FROM kept", in: url)
        try await other.catchUp()
        #expect(await other.value(early) == "early")
        #expect(await other.value(try await other.alias(.new("late"))) == "late")
        for store in stores + [later] { store.close() }
    }

    /// A process goes on with the keys that it holds; but what it stores could never be read again once the rows of the keys are lost.
    @Test(
        arguments: [
            // No row, the wrapped form of another key, nonsense, and a changed tag.
            "",
            "wrapped = (SELECT wrapped FROM kept WHERE id = 1)",
            "wrapped = set_byte(wrapped, 9, get_byte(wrapped, 9) # 1)",
            "tag = set_byte(tag, 5, get_byte(tag, 5) # 1)",
        ], [2, 3, 6])
    func keysThatAreLostSealNothing(change: String, id: Int) async throws {
        let server = try PostgresServer.shared()
        let url = try server.database()
        let stores = [try store(url), try store(url)]
        let vaults = [try await openVault(stores[0]), try await openVault(stores[1])]
        let early = try await vaults[0].alias(.new("early"))
        _ = try server.query(
            """
            CREATE TABLE kept AS SELECT * FROM cloakroom_key;
            ALTER TABLE cloakroom_value DROP CONSTRAINT cloakroom_value_key_fkey
            """, in: url)
        let statement = change.isEmpty ? "DELETE FROM cloakroom_key" : "UPDATE cloakroom_key SET \(change)"
        _ = try server.query("\(statement) WHERE id = \(id)", in: url)
        for vault in vaults {
            await #expect(throws: VaultError.self) { try await vault.catchUp() }
            await #expect(throws: VaultError.self) { try await vault.alias(.new("late")) }
            #expect(await vault.value(early) == "early")
        }
        let restarted = try store(url)
        await #expect(throws: VaultError.self) { try await openVault(restarted) }
        _ = try server.query(
            "DELETE FROM cloakroom_key; INSERT INTO cloakroom_key SELECT * FROM kept", in: url)
        for vault in vaults {
            try await vault.catchUp()
            #expect(await vault.value(try await vault.alias(.new("late"))) == "late")
        }
        for store in stores + [restarted] { store.close() }
    }

    /// A change of the master key that another process has completed, whether this one has seen it or not, is no loss.
    @Test(arguments: [true, false]) func anotherMasterKeyIsNoLoss(isSeen: Bool) async throws {
        let url = try PostgresServer.shared().database()
        let stores = [try store(url), try store(url), try store(url)]
        let (one, other) = (try await openVault(stores[0]), try await openVault(stores[1]))
        try await one.changeMasterKey(to: masterKey(2))
        if isSeen { try await other.catchUp() }
        let next = try await Vault.open(VaultConfiguration(), masterKey: masterKey(2), store: stores[2])
        #expect(try await next.completeMasterKeyChange())
        for vault in [one, other, next] {
            try await vault.catchUp()
            #expect(await vault.value(try await vault.alias(.new("x"))) == "x")
        }
        // What is destroyed then is noticed by those who can read it.
        _ = try PostgresServer.shared().query(
            "UPDATE cloakroom_key SET wrapped = set_byte(wrapped, 9, get_byte(wrapped, 9) # 1) WHERE id = 3", in: url)
        await #expect(throws: VaultError.self) { try await next.catchUp() }
        for store in stores { store.close() }
    }

    /// Equal values get equal aliases while the key by which they are found is changed, whether a process knows it already or not.
    @Test func theFingerprintKeyIsUsedOnceAllKnowIt() async throws {
        let server = try PostgresServer.shared()
        let url = try server.database()
        try server.setClock(of: url, ahead: 0)
        let stores = [try store(url), try store(url)]
        let (one, other) = (
            try await openVault(stores[0]) { $0.clock = .still }, try await openVault(stores[1]) { $0.clock = .still }
        )
        let early = try await other.alias(.new("early"))
        try await one.rotateKey(fingerprints: true)
        #expect(try await one.keyStatus().map(\.isActive) == [true, false])
        #expect(try await one.keyStatus().map(\.isWaiting) == [false, true])
        var late = try await one.alias(.new("late"))
        #expect(try await other.alias(.new("late")) == late)
        try await one.replaceClassifiers(of: early, with: ["changed"])
        #expect(try await one.rewrap() == nil)
        #expect(try await (1...61).contains(one.rewrapRemainder().fingerprintWait))
        #expect(try await other.alias(.new("early")) == early)

        // The other one learns of it in time, and both use it from the same moment.
        try await other.catchUp()
        try server.setClock(of: url, ahead: 61)
        try await one.catchUp()
        late = try await one.alias(.new("later"))
        #expect(try await one.keyStatus().map(\.isActive) == [false, true])
        #expect(try await other.alias(.new("later")) == late)
        #expect(try await one.rewrapRemainder().fingerprintWait == 0)
        var cursor: Int64? = 0
        while let position = cursor { cursor = try await one.rewrap(after: position) }
        // A request that began before may still be sealed under the old key.
        #expect(try await one.rewrapRemainder().wait > 0)
        #expect(try await other.alias(.new("early")) == early)
        try server.setClock(of: url, ahead: 122)
        #expect(try await one.rewrap() == nil)
        #expect(try await one.keyStatus().map(\.id) == [8])
        #expect(try await one.rewrapRemainder().keys == [])
        for vault in [one, other] {
            #expect(try await vault.alias(.new("early")) == early)
            #expect(try await vault.alias(.new("later")) == late)
        }
        #expect(try server.query("SELECT count(*) FROM cloakroom_value", in: url) == "3\n")
        for store in stores { store.close() }
    }

    /// Seals are allotted in the database, by all together.
    @Test func usesAreCountedTogether() async throws {
        let url = try PostgresServer.shared().database()
        let stores = [try store(url), try store(url), try store(url)]
        var vaults: [Vault] = []
        for store in stores { vaults.append(try await openVault(store)) }
        let all = vaults
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (index, vault) in all.enumerated() {
                group.addTask { _ = try await vault.alias(.new("value \(index)")) }
            }
            try await group.waitForAll()
        }
        #expect(try await vaults[0].keyStatus().map(\.allottedUses) == [3 * 65_536])
        for store in stores { store.close() }
    }

    /// A key that is made while the others are wrapped anew is among them, or is not made.
    @Test func theMasterKeyChangesBesideARotation() async throws {
        for _ in 0..<12 {
            let url = try PostgresServer.shared().database()
            let stores = [try store(url), try store(url)]
            let (one, other) = (try await openVault(stores[0]), try await openVault(stores[1]))
            let alias = try await one.alias(.new("x"))
            async let change = one.changeMasterKey(to: masterKey(2))
            async let rotation: Void = other.rotateKey()
            #expect(try await change)
            _ = try? await rotation
            for store in stores { store.close() }
            let again = try store(url)
            let opened = try await Vault.open(VaultConfiguration(), masterKey: masterKey(2), store: again)
            #expect(await opened.value(alias) == "x")
            again.close()
        }
    }

    /// A process that has not learned of a new key yet seals nothing under the old one again.
    @Test func aProcessThatIsBehindRewrapsUnderTheNewestKey() async throws {
        let url = try PostgresServer.shared().database()
        let stores = [try store(url), try store(url)]
        let (one, other) = (try await openVault(stores[0]), try await openVault(stores[1]))
        let aliases = [try await one.alias(.new("a")), try await other.alias(.new("b"))]
        try await one.rotateKey()
        let late = try await one.alias(.new("c"))
        #expect(try await other.keyStatus().map(\.isActive) == [false, true])
        var cursor: Int64? = 0
        while let position = cursor { cursor = try await other.rewrap(after: position) }
        let old = try await stores[0].read { (step) throws(VaultError) in
            try step.values(after: 0, notSealedUnder: 7, limit: 9).count
        }
        #expect(old == 0)
        for (alias, value) in zip(aliases + [late], ["a", "b", "c"]) { #expect(await one.value(alias) == value) }
        for store in stores { store.close() }
    }

    /// A process whose change of the master key was replaced by another's makes no key that the other's would not open.
    @Test func aChangeThatAnotherProcessBeganIsNotSpoilt() async throws {
        let url = try PostgresServer.shared().database()
        let stores = [try store(url), try store(url)]
        let (one, other) = (try await openVault(stores[0]), try await openVault(stores[1]))
        let alias = try await one.alias(.new("x"))
        try await one.changeMasterKey(to: masterKey(2))
        try await other.changeMasterKey(to: masterKey(3))
        await #expect(throws: VaultError.self) { try await one.rotateKey() }
        let status = try await one.masterKeyStatus()
        #expect(status.isBeingChanged && status.nextCheckValue == nil)
        #expect(try await other.masterKeyStatus().nextCheckValue == masterKey(3).checkValue)
        try await other.rotateKey()
        for store in stores { store.close() }
        let again = try store(url)
        let opened = try await Vault.open(VaultConfiguration(), masterKey: masterKey(3), store: again)
        #expect(await opened.value(alias) == "x")
        #expect(try await opened.completeMasterKeyChange())
        again.close()
    }

    @Test func anotherMasterKeyIsToldOf() async throws {
        let url = try PostgresServer.shared().database()
        let stores = [try store(url), try store(url)]
        let (one, other) = (try await openVault(stores[0]), try await openVault(stores[1]))
        let alias = try await other.alias(.new("x"))
        try await one.changeMasterKey(to: masterKey(2))
        #expect(await other.value(alias) == "x")
        // While both wrappings stand, a key that is made is wrapped under both.
        try await one.rotateKey()
        let both = try await one.alias(.new("both"))
        #expect(await other.value(both) == "both")
        let restarted = try store(url)
        let changed = try await Vault.open(VaultConfiguration(), masterKey: masterKey(2), store: restarted)
        #expect(try await changed.completeMasterKeyChange())
        try await changed.rotateKey()
        let late = try await changed.alias(.new("late"))
        restarted.close()
        await #expect(throws: VaultError.self) { try await other.reveal([late]) }
        let told = VaultError.unavailable(
            "another process has put another master key in place: restart this one with it")
        await #expect(throws: VaultError.self) { try await other.rotateKey() }
        await #expect(throws: told) { try await other.keyStatus() }
        #expect(await other.value(alias) == "x")
        for store in stores { store.close() }
        let again = try store(url)
        let opened = try await Vault.open(VaultConfiguration(), masterKey: masterKey(2), store: again)
        #expect(await opened.value(late) == "late")
        again.close()
    }
}
