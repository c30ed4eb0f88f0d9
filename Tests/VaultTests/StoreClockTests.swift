import Sensitive
import Synchronization
import Testing
import VaultTesting

@testable import Vault

/// The clock of a shared store is set forward by mistake: nothing is lost by it, in any process.
@Suite("The clock of a shared store") struct StoreClockTests {
    /// A store whose clock can be set, beside one that is not.
    private final class SetClock: Sendable {
        let real = TestClock()
        private let offset = Mutex<Int64>(0)

        func set(ahead seconds: Int64) { offset.withLock { $0 = seconds * 1_000 } }
        var milliseconds: Int64 { real.clock.unixMilliseconds() + offset.withLock { $0 } }
    }

    private static let name = [UInt8](repeating: 7, count: 32)
    private static let day: Int64 = 86_400

    /// Of two processes that share a store.
    private func vaults(by clock: SetClock) async throws -> [Vault] {
        let store = MemoryAliasStore(isExclusive: false, clock: { clock.milliseconds })
        return [
            try await memoryVault(store, clock: clock.real),
            try await memoryVault(MemoryAliasStore(after: store), clock: clock.real),
        ]
    }

    /// How far the clock is set forward, for how many seconds, and whether it is believed then.
    @Test(
        arguments: [
            (400 * Self.day, 17, false), (25 * 3_600, 17, false), (25 * 3_600, 3_599, false), (25 * 3_600, 3_660, true),
        ] as [(Int64, Int64, Bool)])
    func aClockThatIsSetForward(by ahead: Int64, for seconds: Int64, isBelieved: Bool) async throws {
        let clock = SetClock()
        let vaults = try await vaults(by: clock)
        let now = clock.real.clock.unixSeconds()
        let alias = try await vaults[0].alias(
            .value(
                SensitiveText("x"), format: .uuid, classifiers: ["c"], storage: .persistent, expiresAt: now + Self.day))
        #expect(try await vaults[0].claimResponse(Self.name, with: [1], for: Self.day) != nil)
        let use = AccessRecord(.uses, name: Self.name, content: [1], forgottenAt: now + Self.day)
        try await vaults[0].addAccessRecords([use])

        clock.set(ahead: ahead)
        // The vault is swept every fifteen seconds.
        for _ in 0...(seconds / 15) {
            for vault in vaults { try await sweep(vault) }
            if !isBelieved { #expect(try await vaults[1].claimResponse(Self.name, with: [2], for: Self.day) == nil) }
            // What has ended is not revealed, though nothing is erased yet.
            #expect(await vaults[1].value(alias) == nil)
            clock.real.advance(milliseconds: 15_000)
        }
        clock.set(ahead: 0)
        for vault in vaults { try await vault.catchUp() }
        for vault in vaults {
            #expect(await vault.value(alias) == (isBelieved ? nil : "x"))
            #expect(try await vault.response(under: Self.name) == (isBelieved ? nil : [1]))
            #expect(try await vault.accessRecords(.uses, since: nil).records == (isBelieved ? [] : [use]))
        }
        #expect(try await (vaults[1].claimResponse(Self.name, with: [2], for: Self.day) != nil) == isBelieved)
    }

    private func sweep(_ vault: Vault) async throws {
        try await vault.catchUp()
        try await vault.sweepResponses()
        try await vault.sweepAccessRecords()
        _ = try await vault.eraseExpired()
        _ = try await vault.eraseOverdue([Retention(classifier: "c", keep: Self.day)])
    }

    /// How far the clock is set back, for how many seconds, and whether it is believed then: what is stored meanwhile lives as long as it
    /// should, and what has ended stays so.
    @Test(
        arguments: [
            (400 * Self.day, 17, false), (26 * 3_600, 17, false), (26 * 3_600, 3_584, false), (26 * 3_600, 3_660, true),
        ] as [(Int64, Int64, Bool)])
    func aClockThatIsSetBack(by behind: Int64, for seconds: Int64, isBelieved: Bool) async throws {
        let clock = SetClock()
        let vaults = try await vaults(by: clock)
        let now = clock.real.clock.unixSeconds()
        let ended = try await vaults[0].alias(
            .value(SensitiveText("x"), format: .uuid, classifiers: [], storage: .persistent, expiresAt: now + 2))
        // The clock has been right for as long as it is missed then.
        clock.real.advance(milliseconds: 3_600_000)
        for vault in vaults { try await sweep(vault) }
        clock.set(ahead: -behind)
        for _ in 0...(seconds / 15) {
            for vault in vaults { try await sweep(vault) }
            clock.real.advance(milliseconds: 15_000)
        }
        if !isBelieved { for vault in vaults { #expect(await vault.value(ended) == nil) } }
        #expect(try await vaults[0].claimResponse(Self.name, with: [1], for: Self.day) != nil)
        try await vaults[0].storeResponse([2], under: Self.name, for: Self.day)
        let alias = try await vaults[0].alias(
            .value(SensitiveText("y"), format: .uuid, classifiers: ["c"], storage: .persistent, expiresAt: nil))
        clock.set(ahead: 0)
        clock.real.advance(milliseconds: (Self.day - 60) * 1_000)
        for vault in vaults { try await sweep(vault) }
        // It has ended by a clock that is right, and was right for as long as the process is patient.
        if isBelieved { clock.real.advance(milliseconds: 3_700_000) }
        for vault in vaults {
            try await sweep(vault)
            #expect(try await vault.response(under: Self.name) == (isBelieved ? nil : [2]))
            #expect(await vault.value(alias) == (isBelieved ? nil : "y"))
        }
    }

    /// A process that starts then has seen no other time: it believes the clock.
    @Test func aProcessThatStartsBelievesTheClock() async throws {
        let clock = SetClock()
        let store = MemoryAliasStore(isExclusive: false, clock: { clock.milliseconds })
        let vault = try await memoryVault(store, clock: clock.real)
        #expect(try await vault.claimResponse(Self.name, with: [1], for: Self.day) != nil)
        clock.set(ahead: 2 * Self.day)
        let other = try await memoryVault(MemoryAliasStore(after: store), clock: clock.real)
        #expect(try await other.response(under: Self.name) == nil)
        #expect(try await vault.response(under: Self.name) == [1])
    }

    /// It was told at the end of a reading that took eight seconds: what it says now is right.
    @Test func aFirstReadingThatIsToldLate() async throws {
        let clock = TestClock()
        let store = MemoryAliasStore(
            isExclusive: false,
            clock: {
                clock.advance(milliseconds: 8_000)
                return clock.clock.unixMilliseconds()
            })
        let storeClock = StoreClock(clock.clock)
        for _ in 0..<2 {
            try await storeClock.read(store) { _ in }
            #expect(storeClock.clock.unixMilliseconds() == clock.clock.unixMilliseconds())
        }
    }

    /// A process that was started while the clock was ahead: it is right again soon after the clock is.
    @Test func aProcessThatStartedWhileTheClockWasAhead() async throws {
        let clock = SetClock()
        let store = MemoryAliasStore(isExclusive: false, clock: { clock.milliseconds })
        clock.set(ahead: 26 * 3_600)
        let vault = try await memoryVault(store, clock: clock.real)
        clock.real.advance(milliseconds: 10_000)
        clock.set(ahead: 0)
        for _ in 0..<2 {
            try await vault.catchUp()
            clock.real.advance(milliseconds: 15_000)
        }
        try await vault.catchUp()
        let end = clock.real.clock.unixSeconds() + 3_600
        let stored = try await vault.create([
            .value(SensitiveText("x"), format: .uuid, classifiers: [], storage: .persistent, expiresAt: end)
        ])
        #expect(stored.first?.createdAt == end - 3_600)
        #expect(await vault.value(try #require(stored.first?.requested?.alias)) == "x")
    }

    /// The first reading took ten seconds, so that the clock may be that much ahead of what it was taken for: what has ended by a clock
    /// that is right stays so.
    @Test func aSlowFirstReadingHoldsNothingBack() async throws {
        let clock = TestClock()
        let wasRead = Atomic(false)
        let store = MemoryAliasStore(
            isExclusive: false,
            clock: {
                let time = clock.clock.unixMilliseconds()
                if !wasRead.exchange(true, ordering: .relaxed) { clock.advance(milliseconds: 10_000) }
                return time
            })
        let storeClock = StoreClock(clock.clock)
        try await storeClock.read(store) { _ in }
        try await storeClock.read(store) { _ in }
        #expect(storeClock.clock.unixSeconds() == clock.clock.unixSeconds())
        #expect(storeClock.clock.patientSeconds() == clock.clock.unixSeconds())
    }
}
