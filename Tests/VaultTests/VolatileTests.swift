import Sensitive
import Testing
import VaultTesting

@testable import Vault

@Suite("Volatile values")
struct VolatileTests {
    @Test func expireWithEverythingThatBelongsToThem() async throws {
        let clock = TestClock()
        let vault = try await memoryVault(clock: clock) { $0.volatileLifetime = 5_000 }
        let alias = try await vault.alias(.new("321", .uuid, ["cvc"], .volatile))
        clock.advance(milliseconds: 4_999)
        let added = try await vault.create([.reference(alias: alias, format: .numLengthPreserving)])
        #expect(added[0].aliases.map(\.format) == [.uuid, .numLengthPreserving])
        #expect(added[0].storage == .volatile && added[0].classifiers == ["cvc"])
        #expect(try await vault.reveal([alias])[0].stored.aliases == added[0].aliases)
        clock.advance(milliseconds: 1)
        for alias in added[0].aliases { #expect(await vault.value(alias.alias) == nil) }
        await #expect(throws: VaultError.unknownAliases([alias])) { try await vault.delete([alias]) }
        await #expect(throws: VaultError.unknownAliases([alias])) {
            try await vault.replaceClassifiers(of: alias, with: [])
        }
        await #expect(throws: VaultError.unknownAliases([alias])) {
            try await vault.create([.reference(alias: alias, format: .uuid)])
        }
        #expect(vault.metrics.volatileAliases == 0)
    }

    private final class Place: Sendable {}

    /// Values with ends of their own go at these ends, whatever stands before them, and so does what is kept with their aliases.
    @Test func ownEnds() async throws {
        let clock = TestClock()
        let vault = try await memoryVault(clock: clock) { $0.volatileLifetime = 60 * 1_000 }
        let now = clock.clock.unixSeconds()
        var places: [Int64: () -> Bool] = [:]
        for life: Int64 in [90, 3, 1, 30, 2] {
            let alias = try await vault.alias(
                .value(SensitiveText("321"), format: .uuid, storage: .volatile, expiresAt: now + life))
            let place = Place()
            places[min(life, 60)] = { [weak place] in place != nil }
            vault.keep(place, withVolatile: alias, for: life)
        }
        for second: Int64 in 0...61 {
            vault.sweepSome()
            let living = places.keys.filter { $0 > second }
            for (end, isKept) in places { #expect(isKept() == (end > second), "\(end) at \(second)") }
            #expect(vault.metrics.volatileAliases == living.count)
            clock.advance(milliseconds: 1_000)
        }
    }

    @Test func neverReuse() async throws {
        let vault = try await memoryVault()
        let stored = try await vault.create([.cvc("321"), .cvc("321"), .new("321")])
        #expect(Set(stored.map(\.aliases[0].alias)).count == 3)
        let again = try await vault.create([.reference(alias: stored[0].aliases[0].alias, format: .uuid)])
        #expect(again[0].aliases.count == 2)
        // Nor of a persistent value that is remembered.
        let later = try await vault.create([.cvc("321")])[0]
        #expect(later.storage == .volatile && !stored.contains { $0.aliases[0].alias == later.aliases[0].alias })
    }

    @Test func boundedCount() async throws {
        let clock = TestClock()
        let vault = try await memoryVault(clock: clock) { $0.volatileCapacity = 3 }
        let first = try await vault.create([.cvc("1"), .cvc("2")])
        await #expect(throws: VaultError.volatileStorageFull) {
            try await vault.create([.new("a"), .cvc("3"), .cvc("4")])
        }
        #expect(vault.metrics.volatileAliases == 2)
        _ = try await vault.create([.cvc("3")])
        await #expect(throws: VaultError.volatileStorageFull) {
            try await vault.create([.reference(alias: first[0].aliases[0].alias, format: .rawUUID)])
        }
        try await vault.delete([first[0].aliases[0].alias])
        _ = try await vault.create([.cvc("4")])
        clock.advance(milliseconds: 3_600_000)
        _ = try await vault.create([.cvc("5"), .cvc("6"), .cvc("7")])
        #expect(vault.metrics.volatileAliases == 3)
    }

    /// Each reference doubles what the next may refer to. The request that would go beyond the limit makes none.
    @Test(arguments: Storage.allCases) func aliasesOfOneValueAreBounded(storage: Storage) async throws {
        let vault = try await memoryVault { $0.reuse = false }
        var known = [try await vault.alias(.new("321", .uuid, [], storage))]
        while known.count < 512 {
            let stored = try await vault.create(known.map { .reference(alias: $0, format: .rawUUID) })
            #expect(stored.map(\.requested?.alias) == Array(stored[0].aliases.dropFirst(known.count)).map(\.alias))
            known = stored[0].aliases.map(\.alias)
        }
        await #expect(throws: VaultError.tooManyAliases(item: 488)) {
            try await vault.create(known.map { .reference(alias: $0, format: .rawUUID) })
        }
        let rest = try await vault.create(known.prefix(488).map { .reference(alias: $0, format: .rawUUID) })
        #expect(rest[0].aliases.count == 1_000)
        await #expect(throws: VaultError.tooManyAliases(item: 0)) {
            try await vault.create([.reference(alias: known[0], format: .rawUUID)])
        }
        try await vault.delete([known[0]])
        _ = try await vault.create([.reference(alias: known[1], format: .rawUUID)])
    }

    /// What is reserved at the same time counts, and what is given back does not.
    @Test func reservationsCountForTheirValue() async throws {
        var state = VolatileState(capacity: .max)
        let id = state.nextID()
        state.publish(
            VolatileRecord(
                id: id, sealed: [1], classifiers: [], aliases: [Alias(alias: "a", format: .uuid)], createdAt: 0,
                endsAt: nil, expiresAt: .max), expiresAt: .max)
        for number in 1..<1_000 { #expect(state.reserveVolatile("a\(number)", of: id, now: 0) == .reserved) }
        #expect(state.reserveVolatile("b", of: id, now: 0) == .tooMany)
        state.release(persistent: [], volatile: ["a1"])
        #expect(state.reserveVolatile("b", of: id, now: 0) == .reserved)
        for number in 2..<1_000 { state.add(Alias(alias: "a\(number)", format: .uuid), to: id, now: 0) }
        #expect(state.reserveVolatile("c", of: id, now: 0) == .tooMany)
        state.remove(["a2"])
        #expect(state.reserveVolatile("c", of: id, now: 0) == .reserved)
        #expect(state.reserveVolatile("a", of: state.nextID(), now: 0) == .taken)
    }

    /// A value takes a place for each KiB of it and its classifiers.
    @Test(arguments: [(0, 0, 1), (1, 0, 1), (1_024, 0, 1), (1_025, 0, 2), (1_000, 25, 2), (4_096, 1_024, 5)])
    func placesOfSizes(value: Int, classifier: Int, places: Int) {
        let classifiers = classifier == 0 ? [] : [String(repeating: "c", count: classifier)]
        let item = VaultItem.new(String(repeating: "x", count: value), .uuid, classifiers + classifiers, .volatile)
        #expect(item.furtherPlaces == places - 1)
        #expect(VaultItem.new(String(repeating: "x", count: value), .uuid, classifiers).furtherPlaces == 0)
    }

    @Test func boundedSize() async throws {
        let vault = try await memoryVault { $0.volatileCapacity = 10 }
        let large = VaultItem.new(String(repeating: "x", count: 3 * 1_024 + 1), .uuid, [], .volatile)
        let first = try await vault.alias(large)
        // What is refused leaves nothing behind.
        await #expect(throws: VaultError.volatileStorageFull) { try await vault.create([large, large]) }
        await #expect(throws: VaultError.valueDoesNotFit(.pfpt, item: 1)) {
            try await vault.create([large, .cvc("1", .pfpt)])
        }
        _ = try await vault.create([large, .cvc("1")])
        let other = try await vault.create([.reference(alias: first, format: .rawUUID)])[0].aliases[1].alias
        #expect(vault.isVolatileStorageFull && vault.metrics.volatileAliases == 4)
        // Its own places stay with the value, whichever alias goes.
        try await vault.delete([first])
        let small = try await vault.alias(.cvc("2"))
        await #expect(throws: VaultError.volatileStorageFull) { try await vault.create([.cvc("3")]) }
        try await vault.delete([other])
        _ = try await vault.create([.cvc("3"), .cvc("4"), .cvc("5")])
        let classifiers = [String(repeating: "c", count: 1_024)]
        #expect(try await vault.furtherPlaces(of: small, with: classifiers + classifiers, storage: nil) == 1)
        #expect(try await vault.furtherPlaces(of: small, with: classifiers, storage: .persistent) == 0)
        try await vault.replaceClassifiers(of: small, with: classifiers)
        #expect(vault.isVolatileStorageFull)
        await #expect(throws: VaultError.volatileStorageFull) {
            try await vault.replaceClassifiers(of: small, with: classifiers + ["d" + classifiers[0].dropLast()])
        }
        // It keeps what it had, and so takes no more for what it takes again.
        try await vault.replaceClassifiers(of: small, with: [])
        #expect(try await vault.furtherPlaces(of: small, with: classifiers, storage: nil) == 0)
        try await vault.delete([small])
        _ = try await vault.create([.cvc("6"), .cvc("7")])
        #expect(vault.isVolatileStorageFull)
    }

    /// What is created and deleted again leaves no trace until its time would have come, and those that stay among it expire
    /// in their turn.
    @Test(arguments: [0, 1, 700, 5_000])
    func removedValuesDoNotPileUp(living: Int) {
        var state = VolatileState(capacity: .max)
        func publish(_ alias: String, expiresAt: Int64) {
            let record = VolatileRecord(
                id: state.nextID(), sealed: [1], classifiers: [], aliases: [Alias(alias: alias, format: .uuid)],
                createdAt: 0, endsAt: nil, expiresAt: .max)
            state.publish(record, expiresAt: expiresAt)
        }
        var longest = 0
        for cycle in 0..<20_000 {
            if cycle < living { publish("stays \(cycle)", expiresAt: Int64(cycle + 1)) }
            publish("goes", expiresAt: Int64(cycle + 1))
            state.remove(["goes"])
            longest = max(longest, state.queue.count)
        }
        #expect(state.count == living)
        #expect(longest <= 2 * max(living, 1_024) + 2)
        state.dropExpired(now: Int64(living / 2), limit: .max)
        #expect(state.count == living - living / 2)
        #expect(
            state.live("stays \(living / 2)", now: Int64(living / 2))?.expiresAt
                == (living > 0 ? Int64(living / 2 + 1) : nil))
        state.dropExpired(now: 20_000, limit: .max)
        #expect(state.count == 0 && !state.hasExpired(now: .max))
        #expect(state.queue.count <= 1_024)
    }

    @Test func deletionAndClassifiers() async throws {
        let vault = try await memoryVault()
        let volatile = try await vault.alias(.cvc("321"))
        let persistent = try await vault.alias(.new("x"))
        try await vault.replaceClassifiers(of: volatile, with: ["a"], storage: .volatile)
        #expect(try await vault.reveal([volatile])[0].stored.classifiers == ["a"])
        await #expect(throws: VaultError.unknownAliases([volatile])) {
            try await vault.delete([persistent, volatile], storage: .persistent)
        }
        await #expect(throws: VaultError.unknownAliases([persistent])) {
            try await vault.delete([persistent, volatile], storage: .volatile)
        }
        await #expect(throws: VaultError.unknownAliases(["nope"])) {
            try await vault.delete([volatile, "nope"])
        }
        #expect(await vault.value(volatile) == "321")
        try await vault.delete([volatile, persistent])
        #expect(await vault.value(volatile) == nil)
        #expect(await vault.value(persistent) == nil)
    }

    @Test func goneAfterRestart() async throws {
        let store = MemoryAliasStore()
        let vault = try await memoryVault(store)
        let stored = try await vault.create([.cvc("321"), .new("x")])
        let next = try await memoryVault(store)
        #expect(await next.value(stored[0].aliases[0].alias) == nil)
        #expect(await next.value(stored[1].aliases[0].alias) == "x")
        #expect(try await next.alias(.new("x")) == stored[1].aliases[0].alias)
    }
}
