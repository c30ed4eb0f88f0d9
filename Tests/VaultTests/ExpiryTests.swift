import Sensitive
import Testing
import VaultTesting

@testable import Vault

@Suite("Values that expire")
struct ExpiryTests {
    private static func item(_ text: String, until end: Int64?, _ storage: Storage = .persistent) -> VaultItem {
        .value(.init(text), format: .uuid, classifiers: ["c"], storage: storage, expiresAt: end)
    }

    /// The clock begins here: Unix seconds.
    private static let start: Int64 = 1_000_000_000

    /// In the middle of a second, too.
    @Test(arguments: [Storage.persistent, .volatile], [Int64(0), 850])
    func anExpiredAliasIsUnknownAtOnce(storage: Storage, milliseconds: Int64) async throws {
        let clock = TestClock()
        let vault = try await memoryVault(clock: clock)
        clock.advance(milliseconds: milliseconds)
        let stored = try await vault.create([Self.item("x", until: Self.start + 10, storage)])[0]
        let alias = stored.aliases[0].alias
        #expect(stored.expiresAt == Self.start + 10)
        clock.advance(milliseconds: 9_999 - milliseconds)
        #expect(try await vault.reveal([alias])[0].stored.expiresAt == Self.start + 10)
        clock.advance(milliseconds: 1)
        await #expect(throws: VaultError.unknownAliases([alias])) { try await vault.reveal([alias]) }
        await #expect(throws: VaultError.unknownAliases([alias])) { try await vault.delete([alias]) }
        await #expect(throws: VaultError.unknownAliases([alias])) {
            try await vault.replaceClassifiers(of: alias, with: [])
        }
        await #expect(throws: VaultError.unknownAliases([alias])) {
            try await vault.create([.reference(alias: alias, format: .rawUUID)])
        }
        await #expect(throws: VaultError.unknownAliases([alias])) {
            try await vault.references(in: [.reference(alias: alias, format: .rawUUID)])
        }
        #expect(try await vault.lookUp([alias]).isEmpty)
    }

    /// What is shown is when it goes, not what was asked for.
    @Test func aVolatileValueShowsNoLaterEndThanTheVaults() async throws {
        let clock = TestClock()
        let vault = try await memoryVault(clock: clock) { $0.volatileLifetime = 60_000 }
        let late = try await vault.create([Self.item("x", until: Self.start + 100, .volatile)])[0]
        let early = try await vault.create([Self.item("x", until: Self.start + 10, .volatile)])[0]
        #expect(late.expiresAt == Self.start + 60)
        #expect(try await vault.reveal([late.aliases[0].alias])[0].stored.expiresAt == Self.start + 60)
        #expect(early.expiresAt == Self.start + 10)
        clock.advance(milliseconds: 60_000)
        #expect(await vault.value(late.aliases[0].alias) == nil)
    }

    @Test(arguments: [true, false])
    func aReuseNeverShortensALife(remembers: Bool) async throws {
        let clock = TestClock()
        let vault = try await memoryVault(clock: clock) { $0.reuseCacheCapacity = remembers ? 100 : 0 }
        let first = try await vault.create([Self.item("x", until: Self.start + 10)])[0]
        #expect(try await vault.create([Self.item("x", until: Self.start + 5)])[0].expiresAt == Self.start + 10)
        #expect(try await vault.create([Self.item("x", until: Self.start + 20)])[0].expiresAt == Self.start + 20)
        clock.advance(milliseconds: 15_000)
        #expect(await vault.value(first.aliases[0].alias) == "x")
        let last = try await vault.create([Self.item("x", until: nil)])[0]
        #expect(last.expiresAt == nil && last.aliases == first.aliases)
        #expect(try await vault.create([Self.item("x", until: Self.start + 20)])[0].expiresAt == nil)
        clock.advance(milliseconds: 1_000_000)
        #expect(await vault.value(first.aliases[0].alias) == "x")
    }

    /// The clock was set forward by mistake, and back.
    @Test func aClockThatIsAheadCostsNoAlias() async throws {
        let clock = TestClock()
        let patient = clock.clock.unixSeconds()
        let vault = try await memoryVault(clock: clock) { $0.clock.patientSeconds = { patient } }
        let old = try await vault.create([Self.item("x", until: Self.start + 10)])[0].aliases[0].alias
        clock.advance(milliseconds: 100_000)
        #expect(await vault.value(old) == nil)
        let again = try await vault.create([Self.item("x", until: Self.start + 110)])[0]
        #expect(again.aliases.map(\.alias) == [old] && again.expiresAt == Self.start + 110)
        clock.advance(milliseconds: -100_000)
        #expect(await vault.value(old) == "x")
    }

    /// What has expired is not reused, even before it is erased.
    @Test func anExpiredValueIsStoredAnew() async throws {
        let clock = TestClock()
        let store = MemoryAliasStore()
        let vault = try await memoryVault(store, clock: clock)
        let old = try await vault.create([Self.item("x", until: Self.start + 10)])[0].aliases[0].alias
        clock.advance(milliseconds: 10_000)
        let new = try await vault.create([Self.item("x", until: nil)])[0].aliases[0].alias
        #expect(new != old)
        #expect(await vault.value(new) == "x")
        #expect(try await store.read { (reading) throws(VaultError) in try reading.holds(alias: old) } == false)
    }

    /// After a clock was set back the reuse cache must not answer with an alias that has been erased.
    @Test func anErasedValueIsStoredAgain() async throws {
        let clock = TestClock()
        let vault = try await memoryVault(clock: clock)
        let item = Self.item("x", until: Self.start + 10)
        let old = try await vault.alias(item)
        clock.advance(milliseconds: 11_000)
        #expect(try await vault.eraseExpired().values == 1)
        clock.advance(milliseconds: -5_000)
        let new = try await vault.alias(item)
        #expect(new != old)
        #expect(await vault.value(new) == "x")
    }

    /// A row whose end was changed is left: erasing it would lose a value that has not expired.
    @Test func aChangedEndErasesNothing() async throws {
        let (clock, store) = (TestClock(), MemoryAliasStore())
        let vault = try await memoryVault(store, clock: clock)
        let alias = try await vault.alias(Self.item("x", until: Self.start + 1_000))
        try await store.write { (transaction) throws(VaultError) in
            guard var record = try transaction.entry(alias: alias)?.value else { return }
            record.expiresAt = Self.start + 1
            try transaction.update(record)
        }
        clock.advance(milliseconds: 2_000)
        let erased = try await vault.eraseExpired()
        #expect(erased.damaged == 1 && erased.values == 0)
        let rows = try await store.read { (reading) throws(VaultError) in
            try reading.values(after: 0, notSealedUnder: 0, limit: 9).count
        }
        #expect(rows == 1)
    }

    @Test func erasing() async throws {
        let clock = TestClock()
        let store = MemoryAliasStore()
        let vault = try await memoryVault(store, clock: clock)
        for number in 0..<10 as Range<Int64> {
            _ = try await vault.create([Self.item("x\(number)", until: Self.start + number + 1)])
        }
        let stays = try await vault.alias(.new("stays"))
        clock.advance(milliseconds: 7_000)
        var (values, aliases, batches) = (0, 0, 0)
        var cursor: ExpiryCursor?
        repeat {
            let erased = try await vault.eraseExpired(limit: 3, after: cursor)
            (values, aliases, batches) = (values + erased.values, aliases + erased.aliases, batches + 1)
            cursor = erased.next
        } while cursor != nil
        #expect(values == 7 && aliases == 7 && batches == 3)
        #expect(await vault.value(stays) == "stays")
        let left = try await store.read { (reading) throws(VaultError) in
            try reading.values(after: 0, notSealedUnder: 0, limit: 100).count
        }
        #expect(left == 4)
    }
}
