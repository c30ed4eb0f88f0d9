import Synchronization
import Testing
import VaultTesting

@testable import Vault

@Suite("What is held as long as a shared volatile alias lives") struct SharedLeaseTests {
    /// Counts those of its leases that are held.
    private final class Holder: Sendable {
        private let held = Atomic(0)
        var count: Int { held.load(ordering: .relaxed) }

        final class Lease: Sendable {
            private let holder: Holder
            init(_ holder: Holder) {
                self.holder = holder
                holder.held.wrappingAdd(1, ordering: .relaxed)
            }
            deinit { holder.held.wrappingSubtract(1, ordering: .relaxed) }
        }
    }

    private let clock = TestClock()
    private let holder = Holder()

    private func leases(_ lives: [(String, Int64)]) -> SharedLeases {
        let leases = SharedLeases(clock.clock)
        for (alias, seconds) in lives { leases.keep(Holder.Lease(holder), with: alias, for: seconds) }
        return leases
    }

    /// Not with the longest of all.
    @Test func itEndsWithTheAliasOwnEnd() {
        let leases = leases([("long", 3_600), ("short", 5)])
        for (seconds, count) in [(4, 2), (2, 1), (3_590, 1), (10, 0)] as [(Int64, Int)] {
            clock.advance(milliseconds: seconds * 1_000)
            leases.dropEnded()
            #expect(holder.count == count)
        }
    }

    @Test func itEndsWithTheRemovalOfTheAlias() {
        let leases = leases([("a", 60), ("b", 60), ("b", 60)])
        #expect(holder.count == 2)
        leases.drop(["a", "unknown"])
        #expect(holder.count == 1)
        // An alias of the same text that is made later has one of its own.
        leases.keep(Holder.Lease(holder), with: "a", for: 120)
        clock.advance(milliseconds: 62_000)
        leases.dropEnded()
        #expect(holder.count == 1)
    }

    /// What the server has left when it is asked, and how many are held then; one came while it was asked.
    @Test(arguments: [(5, 4), (3, 4), (2, 3), (0, 1)]) func noMoreAreHeldThanTheServerHas(left: Int, held: Int) {
        let leases = leases([("a", 60), ("b", 60), ("c", 60)])
        clock.advance(milliseconds: 1)
        let time = clock.clock.elapsedMilliseconds()
        leases.keep(Holder.Lease(holder), with: "d", for: 60)
        leases.keep(atMost: left, from: time)
        #expect(holder.count == held)
    }

    @Test func theOldestGoFirst() {
        let leases = leases([("a", 60)])
        clock.advance(milliseconds: 1_000)
        leases.keep(Holder.Lease(holder), with: "b", for: 5)
        clock.advance(milliseconds: 1)
        leases.keep(atMost: 1, from: clock.clock.elapsedMilliseconds())
        #expect(holder.count == 1)
        // It was the later one that stayed: it ends first.
        clock.advance(milliseconds: 7_000)
        leases.dropEnded()
        #expect(holder.count == 0)
    }
}
