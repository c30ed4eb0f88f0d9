import EventIO
import RedisTesting
import Sensitive
import Synchronization
import Testing
import VaultTesting

@testable import Vault
@testable import VolatileRedis

/// Vaults with one store that share their volatile values, each as a process of its own would open it.
@Suite("Shared volatile values")
struct RedisVolatileStoreTests {
    @Test func anyProcessRevealsChangesAndDeletes() async throws {
        let setting = try await Setting()
        defer { setting.remove() }
        let (one, other) = (setting.vaults[0], setting.vaults[1])
        let stored = try await one.create([
            .value(SensitiveText("321"), format: .uuid, classifiers: ["cvc"], storage: .volatile),
            .value(SensitiveText("Ann Li"), format: .uuid),
            .value(SensitiveText("4539600166594134"), format: .genericTFour, storage: .volatile),
            .value(SensitiveText(""), format: .uuid, storage: .volatile),
        ])
        let aliases = stored.map { $0.aliases.first?.alias ?? "" }
        #expect(aliases[3].isEmpty && stored[0].storage == .volatile && stored[1].storage == .persistent)
        #expect(await other.value(aliases[0]) == "321")
        #expect(await other.value(aliases[2]) == "4539600166594134")
        let found = try await other.lookUp(aliases)
        #expect(found[aliases[0]]?.value.exposed == "321" && found[aliases[0]]?.classifiers == ["cvc"])
        #expect(aliases.map { found[$0]?.isTemporary } == [true, false, true, nil])
        #expect(aliases.map { found[$0]?.isRecordable } == [true, true, false, nil])
        #expect(try await other.recordable(aliases) == [aliases[0], aliases[1], aliases[3]])
        #expect(one.metrics.volatileAliases == 2)

        let added = try await other.create([
            .reference(alias: aliases[0], format: .rawUUID), .reference(alias: aliases[1], format: .rawUUID),
        ])
        #expect(added[0].aliases.map(\.format) == [.uuid, .rawUUID] && added[0].storage == .volatile)
        #expect(added[0].createdAt == stored[0].createdAt && added[0].classifiers == ["cvc"])
        try await other.replaceClassifiers(of: aliases[0], with: ["b", "a"])
        let revealed = try await one.reveal([added[0].aliases[1].alias], storage: .volatile)[0].stored
        #expect(revealed.aliases == added[0].aliases && revealed.classifiers == ["b", "a"])
        await #expect(throws: VaultError.unknownAliases([aliases[0]])) {
            try await one.reveal([aliases[0]], storage: .persistent)
        }
        await #expect(throws: VaultError.unknownAliases(["tok_sandbox_unknownunknown"])) {
            try await one.delete([aliases[0], "tok_sandbox_unknownunknown"])
        }
        try await one.delete([aliases[0], aliases[1]])
        #expect(await other.value(aliases[0]) == nil)
        #expect(await other.value(aliases[1]) == nil)
        #expect(await other.value(added[0].aliases[1].alias) == "321")
        #expect(try await other.eraseVolatile(classifier: "a").aliases == 1)
        #expect(await one.value(added[0].aliases[1].alias) == nil)
        try await one.delete([aliases[2]])
        try await one.checkVolatile()
        #expect(one.metrics.volatileAliases == 0)
        #expect(try setting.server.run("DBSIZE").contains("0"))
    }

    /// A failure of the persistent part takes the volatile part back.
    @Test func allOrNothing() async throws {
        let setting = try await Setting()
        defer { setting.remove() }
        let vault = setting.vaults[0]
        await #expect(throws: VaultError.unknownAliases(["tok_sandbox_unknownunknown"])) {
            try await vault.create([.cvc("321"), .reference(alias: "tok_sandbox_unknownunknown", format: .rawUUID)])
        }
        await #expect(throws: VaultError.valueDoesNotFit(.numLengthPreserving, item: 1)) {
            try await vault.create([
                .cvc("321"), .value(SensitiveText("321"), format: .numLengthPreserving, storage: .volatile),
            ])
        }
        #expect(try setting.server.run("DBSIZE").contains("0"))
    }

    @Test func expiresEverywhere() async throws {
        let setting = try await Setting { $0.volatileLifetime = 5_000 }
        defer { setting.remove() }
        var made: (alias: String, added: String)?
        while made == nil {
            let started = ContinuousClock.now
            let alias = try await setting.vaults[0].alias(.cvc("321"))
            let reference = VaultItem.reference(alias: alias, format: .rawUUID)
            let stored = try? await setting.vaults[1].create([reference])
            if let added = stored?[0].aliases[1].alias, await setting.vaults[1].value(added) == "321" {
                made = (alias, added)
            } else {
                // A machine that does much else may take longer than a value lives; nothing else ends it. Then again.
                try #require(ContinuousClock.now - started > .seconds(4))
            }
        }
        let (alias, added) = try #require(made)
        let now = setting.vaults[0].configuration.clock.unixSeconds()
        let past = try await setting.vaults[0].create([
            .value(SensitiveText("321"), format: .uuid, storage: .volatile, expiresAt: now - 1)
        ])
        #expect(await setting.vaults[0].value(past[0].aliases[0].alias) == nil)
        try await Task.sleep(for: .milliseconds(5_100))
        for vault in setting.vaults {
            #expect(await vault.value(alias) == nil)
            #expect(await vault.value(added) == nil)
            try await vault.checkVolatile()
            #expect(vault.metrics.volatileAliases == 0)
        }
        // A server that lost the end of a key does not make its value live longer.
        let later = try await setting.vaults[0].alias(.cvc("321"))
        for key in try setting.server.run("KEYS", "*").split(separator: "\n") {
            try setting.server.run("PERSIST", String(key))
        }
        try await Task.sleep(for: .milliseconds(6_100))
        #expect(await setting.vaults[0].value(later) == nil)
    }

    /// A value's own end stands in its record: a server that lost the end of its key does not make it live longer.
    @Test func anEndIsTheValuesOwn() async throws {
        let passed = Mutex<Int64>(0)
        let clock = VaultClock(
            unixSeconds: { VaultClock.system.unixSeconds() + passed.withLock { $0 } },
            elapsedMilliseconds: VaultClock.system.elapsedMilliseconds)
        let setting = try await Setting {
            $0.volatileLifetime = 600_000
            $0.clock = clock
        }
        defer { setting.remove() }
        let end = setting.vaults[0].configuration.clock.unixSeconds() + 20
        let stored = try await setting.vaults[0].create([
            .value(SensitiveText("321"), format: .uuid, storage: .volatile, expiresAt: end)
        ])
        let keys = try setting.server.run("KEYS", "*:v:*").split(separator: "\n")
        try setting.server.run("PERSIST", String(try #require(keys.first)))
        let alias = stored[0].aliases[0].alias
        #expect(await setting.vaults[1].value(alias) == "321")
        passed.withLock { $0 = 21 }
        #expect(await setting.vaults[1].value(alias) == nil)
    }

    /// A value without an end of its own, or with a later one, lives all of `vault.volatile.ttl`, wherever in a second it is made, as one in memory does; and not
    /// a second longer where the server lost the end of its key.
    @Test(arguments: [0, 1, 100, 101, 890, 999] as [Int64], [false, true])
    func aLifeIsNotCutToASecond(millisecond: Int64, hasLaterEnd: Bool) async throws {
        let began = VaultClock.system.unixSeconds()
        let passed = Mutex<Int64>(0)
        let milliseconds = { @Sendable () -> Int64 in began * 1_000 + millisecond + passed.withLock { $0 } }
        var clock = VaultClock(
            unixSeconds: { milliseconds() / 1_000 }, elapsedMilliseconds: VaultClock.system.elapsedMilliseconds)
        clock.unixMilliseconds = milliseconds
        let setting = try await Setting {
            $0.volatileLifetime = 600_900
            $0.clock = clock
        }
        defer { setting.remove() }
        let item = VaultItem.value(
            SensitiveText("321"), format: .uuid, storage: .volatile, expiresAt: hasLaterEnd ? began + 3_600 : nil)
        let alias = try await setting.vaults[0].alias(item)
        let key = String(try #require(try setting.server.run("KEYS", "*:v:*").split(separator: "\n").first))
        let left = try #require(Int(try setting.server.run("PTTL", key).filter(\.isNumber)))
        #expect((500_000...600_900).contains(left))
        passed.withLock { $0 = 600_899 }
        for vault in setting.vaults { #expect(await vault.value(alias) == "321") }
        passed.withLock { $0 = 601_900 }
        for vault in setting.vaults { #expect(await vault.value(alias) == nil) }
    }

    /// A change does not end a value earlier by as much as the clock is set forward meanwhile.
    @Test func aChangeCutsNothing() async throws {
        let ahead = Mutex<Int64>(0)
        var clock = VaultClock.system
        clock.unixSeconds = { VaultClock.system.unixSeconds() + ahead.withLock { $0 } }
        clock.unixMilliseconds = { VaultClock.system.unixMilliseconds() + ahead.withLock { $0 } * 1_000 }
        let setting = try await Setting {
            $0.volatileLifetime = 3_600_000
            $0.clock = clock
        }
        defer { setting.remove() }
        let alias = try await setting.vaults[0].alias(.cvc("321"))
        let key = String(try #require(try setting.server.run("KEYS", "*:v:*").split(separator: "\n").first))
        ahead.withLock { $0 = 480 }
        try await setting.vaults[0].replaceClassifiers(of: alias, with: ["new"])
        let left = try #require(Int(try setting.server.run("PTTL", key).filter(\.isNumber)))
        #expect(left > 3_500_000)
    }

    /// A change does not make a value live longer, whatever the process that changes it takes for its end.
    @Test func aChangeProlongsNothing() async throws {
        let setting = try await Setting { $0.volatileLifetime = 600_000 }
        defer { setting.remove() }
        let alias = try await setting.vaults[0].alias(.cvc("321"))
        let keys = try setting.server.run("KEYS", "*:v:*").split(separator: "\n")
        let key = String(try #require(keys.first))
        try setting.server.run("PEXPIRE", key, "60000")
        _ = try await setting.vaults[1].create([.reference(alias: alias, format: .rawUUID)])
        try await setting.vaults[0].replaceClassifiers(of: alias, with: ["new"])
        let left = try setting.server.run("PTTL", key).filter(\.isNumber)
        #expect((1...60_000).contains(Int(left) ?? 0))
    }

    @Test func boundedCount() async throws {
        let setting = try await Setting { $0.volatileCapacity = 3 }
        defer { setting.remove() }
        let first = try await setting.vaults[0].create([.cvc("1"), .cvc("2")])
        await #expect(throws: VaultError.volatileStorageFull) {
            try await setting.vaults[1].create([.cvc("3"), .cvc("4")])
        }
        _ = try await setting.vaults[1].create([.cvc("3")])
        await #expect(throws: VaultError.volatileStorageFull) {
            try await setting.vaults[0].create([.reference(alias: first[0].aliases[0].alias, format: .rawUUID)])
        }
        #expect(setting.vaults[0].isVolatileStorageFull)
        try await setting.vaults[0].delete([first[0].aliases[0].alias])
        _ = try await setting.vaults[0].create([.cvc("4")])
    }

    /// A value takes a place for each KiB of it and its classifiers, of all processes together, until it has gone.
    @Test func boundedSize() async throws {
        let setting = try await Setting { $0.volatileCapacity = 10 }
        defer { setting.remove() }
        let (one, other) = (setting.vaults[0], setting.vaults[1])
        let large = VaultItem.value(
            SensitiveText(String(repeating: "x", count: 3 * 1_024 + 1)), format: .uuid, classifiers: ["a"],
            storage: .volatile)
        let first = try await one.alias(large)
        await #expect(throws: VaultError.volatileStorageFull) { try await other.create([large, large]) }
        let stored = try await other.create([large, .cvc("1")])
        let added = try await other.create([.reference(alias: first, format: .rawUUID)])[0].aliases[1].alias
        #expect(other.isVolatileStorageFull && other.sharedVolatilePlaces == 10 && other.metrics.volatileAliases == 4)
        // Its own places stay with the value, whichever alias goes.
        try await other.delete([first])
        _ = try await one.alias(.cvc("2"))
        await #expect(throws: VaultError.volatileStorageFull) { try await one.create([.cvc("3")]) }
        try await one.delete([added])
        #expect(one.sharedVolatilePlaces == 6)
        let classifiers = (0..<3).map { "\($0)" + String(repeating: "c", count: 1_023) }
        let small = stored[1].aliases[0].alias
        #expect(try await one.furtherPlaces(of: small, with: classifiers, storage: nil) == 3)
        try await one.replaceClassifiers(of: small, with: classifiers)
        #expect(one.sharedVolatilePlaces == 9)
        await #expect(throws: VaultError.volatileStorageFull) {
            try await other.replaceClassifiers(of: small, with: classifiers + classifiers.map { "d" + $0.dropLast() })
        }
        try await other.replaceClassifiers(of: small, with: [])
        #expect(other.sharedVolatilePlaces == 9)
        try await other.replaceClassifiers(of: small, with: classifiers)
        #expect(other.sharedVolatilePlaces == 9)
        // A vault that is opened later learns what is taken.
        let late = try await Vault.open(
            one.configuration, masterKey: masterKey(), store: setting.records, sharedVolatile: setting.stores[1])
        try await late.checkVolatile()
        #expect(late.sharedVolatilePlaces == 9)
        try await one.delete([small])
        #expect(try await one.eraseVolatile(classifier: "a").values == 1)
        #expect(one.sharedVolatilePlaces == 1)
    }

    /// The places of a value that is changed on the server come back when it is deleted unread.
    @Test func placesOfADamagedValueComeBack() async throws {
        let setting = try await Setting()
        defer { setting.remove() }
        let vault = setting.vaults[0]
        let alias = try await vault.alias(
            .value(SensitiveText(String(repeating: "x", count: 5_000)), format: .genericTFour, storage: .volatile))
        #expect(vault.sharedVolatilePlaces == 5)
        let keys = try setting.server.run("KEYS", "*:v:*").split(separator: "\n").map(String.init)
        try setting.server.run("SET", try #require(keys.first), "x", "KEEPTTL")
        // Its last characters are in no log.
        await #expect(throws: VaultError.damagedFleeting(alias: alias)) { try await vault.reveal([alias]) }
        #expect(!"\(VaultError.damagedFleeting(alias: alias))".contains(alias))
        #expect(try await vault.delete([alias]) == [alias])
        #expect(vault.sharedVolatilePlaces == 0)
        #expect(try setting.server.run("DBSIZE").contains("0"))
    }

    @Test func aliasesOfOneValueAreBounded() async throws {
        let setting = try await Setting()
        defer { setting.remove() }
        var known = [try await setting.vaults[0].alias(.cvc("321"))]
        while known.count < 512 {
            let stored = try await setting.vaults[0].create(known.map { .reference(alias: $0, format: .rawUUID) })
            #expect(stored.map(\.requested?.alias) == Array(stored[0].aliases.dropFirst(known.count)).map(\.alias))
            known = stored[0].aliases.map(\.alias)
        }
        await #expect(throws: VaultError.tooManyAliases(item: 488)) {
            try await setting.vaults[1].create(known.map { .reference(alias: $0, format: .rawUUID) })
        }
        #expect(try await setting.vaults[1].reveal([known[0]])[0].stored.aliases.count == 512)
    }

    /// Many tasks change one value: no change is lost.
    @Test func changesOfOneValueAtTheSameTime() async throws {
        let setting = try await Setting()
        defer { setting.remove() }
        let alias = try await setting.vaults[0].alias(.cvc("321"))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<4 {
                group.addTask {
                    for _ in 0..<5 {
                        do {
                            _ = try await setting.vaults[task % 2].create([.reference(alias: alias, format: .rawUUID)])
                        } catch VaultError.unavailable { continue }
                    }
                }
            }
            try await group.waitForAll()
        }
        let aliases = try await setting.vaults[0].reveal([alias])[0].stored.aliases.map(\.alias)
        #expect(aliases.count > 5)
        for alias in aliases { #expect(await setting.vaults[1].value(alias) == "321") }
        try await setting.vaults[1].checkVolatile()
        #expect(setting.vaults[1].metrics.volatileAliases == aliases.count)
    }

    /// Who writes to the server can destroy values, never exchange them.
    @Test func exchangedValuesAreDamaged() async throws {
        let setting = try await Setting()
        defer { setting.remove() }
        let vault = setting.vaults[0]
        let aliases = try await vault.create([.cvc("321"), .cvc("987")]).map(\.aliases[0].alias)
        let keys = try setting.server.run("KEYS", "*:a:*").split(separator: "\n").map(String.init)
        try #require(keys.count == 2)
        let values = try keys.map { try setting.server.run("GET", $0).trimmingLineEnd }
        try setting.server.run("SET", keys[0], values[1])
        try setting.server.run("SET", keys[1], values[0])
        for alias in aliases {
            await #expect(throws: VaultError.damaged(alias: alias)) { try await vault.reveal([alias]) }
        }
        #expect(vault.metrics.damaged >= 2)
        try setting.server.run("RENAME", values[0], "x")
        try setting.server.run("RENAME", values[1], values[0])
        await #expect(throws: VaultError.self) { try await vault.reveal([aliases[0]]) }
        await #expect(throws: VaultError.self) { try await vault.reveal([aliases[1]]) }
    }

    /// Also where its alias keeps characters of the value: whether that one does is not known any more, so that it is not written to a log.
    @Test func aDamagedAliasThatKeepsCharactersIsDeleted() async throws {
        let setting = try await Setting()
        defer { setting.remove() }
        let vault = setting.vaults[0]
        let alias = try await vault.alias(
            .value(SensitiveText("4539600166594134"), format: .genericTFour, storage: .volatile))
        let persistent = try await vault.alias(.value(SensitiveText("4539600166594134"), format: .genericTFour))
        let key = try #require(try setting.server.run("KEYS", "*:v:*").split(separator: "\n").first)
        try setting.server.run("SET", String(key), "nonsense")
        #expect(try await vault.recordable([persistent, alias]) == [persistent])
        #expect(try await vault.delete([persistent, alias]) == [alias])
        #expect(try setting.server.run("DBSIZE").contains("0"))
    }

    /// What is damaged can be deleted, alone and with others, and keeps no erasure from the rest.
    @Test(arguments: ["changed", "exchanged"]) func damagedValuesAreDeleted(damage: String) async throws {
        let setting = try await Setting()
        defer { setting.remove() }
        let vault = setting.vaults[0]
        func damagedAlias() async throws -> String {
            let before = Set(try setting.server.run("KEYS", "*:a:*").split(separator: "\n").map(String.init))
            let alias = try await vault.alias(
                .value(SensitiveText("321"), format: .uuid, classifiers: ["cvc"], storage: .volatile))
            let key = try #require(
                Set(try setting.server.run("KEYS", "*:a:*").split(separator: "\n").map(String.init))
                    .subtracting(before).first)
            if damage == "changed" {
                try setting.server.run("SET", try setting.server.run("GET", key).trimmingLineEnd, "nonsense")
            } else {
                let other = try await vault.alias(.cvc("987"))
                let others = Set(try setting.server.run("KEYS", "*:a:*").split(separator: "\n").map(String.init))
                let otherKey = try #require(others.subtracting(before).subtracting([key]).first)
                try setting.server.run("SET", key, try setting.server.run("GET", otherKey).trimmingLineEnd)
                #expect(await vault.value(other) == "987")
            }
            await #expect(throws: VaultError.self) { try await vault.reveal([alias]) }
            return alias
        }
        let whole = try await vault.alias(.cvc("654"))
        let first = try await damagedAlias()
        #expect(try await vault.delete([first]) == [first])
        await #expect(throws: VaultError.unknownAliases([first])) { try await vault.delete([first]) }
        let second = try await damagedAlias()
        #expect(try await vault.delete([whole, second], storage: .volatile) == [second])
        #expect(await vault.value(whole) == nil)

        let third = try await damagedAlias()
        let cvc = try await vault.alias(
            .value(SensitiveText("777"), format: .uuid, classifiers: ["cvc"], storage: .volatile))
        let erasure = try await vault.beginErasure(
            classifier: "cvc", storage: nil, requestID: "r", credential: "dev")
        #expect(erasure.damaged == (damage == "changed" ? 1 : 0))
        #expect(await vault.value(cvc) == nil)
        _ = try? await vault.delete([third])
        for value in try setting.server.run("KEYS", "*:v:*").split(separator: "\n") {
            #expect(try setting.server.run("GET", String(value)).trimmingLineEnd != "nonsense")
        }
    }

    /// A lease goes with its alias: at its end, when it is deleted or erased here, and when the server has lost all.
    @Test func leases() async throws {
        final class Lease: Sendable {}
        let setting = try await Setting()
        defer { setting.remove() }
        let vault = setting.vaults[0]
        for end in ["deleted", "erased", "flushed"] {
            let alias = try await vault.alias(
                .value(SensitiveText("321"), format: .uuid, classifiers: ["cvc"], storage: .volatile))
            weak var lease: Lease?
            do {
                let made = Lease()
                lease = made
                vault.keep(made, withVolatile: alias, for: 3_600)
            }
            #expect(lease != nil)
            switch end {
            case "deleted": try await vault.delete([alias])
            case "erased": #expect(try await vault.eraseVolatile(classifier: "cvc").values == 1)
            default:
                try setting.server.run("FLUSHALL")
                try await Task.sleep(for: .milliseconds(2))
                try await vault.checkVolatile()
            }
            #expect(lease == nil, "\(end)")
        }
    }

    /// Another vault on the same server knows nothing of it, and has room of its own.
    @Test func severalVaultsOnOneServer() async throws {
        let setting = try await Setting { $0.volatileCapacity = 1 }
        defer { setting.remove() }
        let alias = try await setting.vaults[0].alias(.cvc("321"))
        let other = try await Vault.open(
            setting.vaults[0].configuration, masterKey: masterKey(), store: MemoryAliasStore(),
            sharedVolatile: setting.stores[0])
        #expect(await other.value(alias) == nil)
        _ = try await other.alias(.cvc("321"))
    }
}

extension VaultItem {
    static func cvc(_ value: String) -> VaultItem { .value(SensitiveText(value), format: .uuid, storage: .volatile) }
}

extension String {
    var trimmingLineEnd: String { String(prefix { $0 != "\n" }) }
}

/// Two vaults over one store and one server.
struct Setting: Sendable {
    let server: RedisServer
    let stores: [RedisVolatileStore]
    let vaults: [Vault]
    /// Of both vaults.
    let records: MemoryAliasStore

    /// - Parameter timeout: how long a server that says nothing is waited for; a busy machine may take seconds for what needs none.
    init(
        _ arguments: [String] = RedisServer.inMemory, timeout: Duration = .seconds(20),
        _ change: (inout VaultConfiguration) -> Void = { _ in }
    ) async throws {
        let server = try RedisServer(arguments)
        self.server = server
        var reached = server.configuration
        reached.timeout = timeout
        var configuration = VaultConfiguration()
        change(&configuration)
        let store = MemoryAliasStore()
        var (stores, vaults) = ([RedisVolatileStore](), [Vault]())
        for _ in 0..<2 {
            stores.append(try await RedisVolatileStore(reached))
            vaults.append(
                try await Vault.open(
                    configuration, masterKey: masterKey(), store: store, sharedVolatile: stores[stores.count - 1]))
        }
        (self.stores, self.vaults, records) = (stores, vaults, store)
    }

    func remove() {
        for store in stores { store.close() }
        server.remove()
    }
}

extension RedisServer {
    var configuration: RedisConfiguration {
        var configuration = RedisConfiguration(host: "127.0.0.1", port: UInt16(port))
        configuration.timeout = .seconds(20)
        return configuration
    }
}
