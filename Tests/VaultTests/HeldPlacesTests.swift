import Synchronization
import Testing
import VaultTesting

@testable import Vault

@Suite("What is held as long as a shared volatile alias lives") struct HeldPlacesTests {
    /// Counts those of its places that are held.
    private final class Holder: Sendable {
        private let held = Atomic(0)
        var count: Int { held.load(ordering: .relaxed) }

        final class Place: Sendable {
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

    private func places(_ lives: [(String, Int64)]) -> HeldPlaces {
        let places = HeldPlaces(clock.clock)
        for (alias, seconds) in lives { places.keep(Holder.Place(holder), with: alias, for: seconds) }
        return places
    }

    /// Not with the longest of all.
    @Test func itEndsWithTheAliasOwnEnd() {
        let places = places([("long", 3_600), ("short", 5)])
        for (seconds, count) in [(4, 2), (2, 1), (3_590, 1), (10, 0)] as [(Int64, Int)] {
            clock.advance(milliseconds: seconds * 1_000)
            places.dropEnded()
            #expect(holder.count == count)
        }
    }

    @Test func itEndsWithTheRemovalOfTheAlias() {
        let places = places([("a", 60), ("b", 60), ("b", 60)])
        #expect(holder.count == 2)
        places.drop(["a", "unknown"])
        #expect(holder.count == 1)
        // An alias of the same text that is made later has one of its own.
        places.keep(Holder.Place(holder), with: "a", for: 120)
        clock.advance(milliseconds: 62_000)
        places.dropEnded()
        #expect(holder.count == 1)
    }

    /// What the server has left when it is asked, and how many are held then; one came while it was asked.
    @Test(arguments: [(5, 4), (3, 4), (2, 3), (0, 1)]) func noMoreAreHeldThanTheServerHas(left: Int, held: Int) {
        let places = places([("a", 60), ("b", 60), ("c", 60)])
        clock.advance(milliseconds: 1)
        let time = clock.clock.elapsedMilliseconds()
        places.keep(Holder.Place(holder), with: "d", for: 60)
        places.keep(atMost: left, from: time)
        #expect(holder.count == held)
    }

    /// The places of a value go with it, not with the alias that it was made with, and count as many as they are.
    @Test func theValuesOwnPlacesStayWithIt() {
        let (places, value) = (HeldPlaces(clock.clock), Binding(bits: 1))
        places.note(value, of: "a", for: 60)
        places.keep(Holder.Place(holder), and: FurtherPlaces(Holder.Place(holder), count: 5), with: "a", for: 60)
        places.keep(FurtherPlaces(Holder.Place(holder), count: 2), of: value, for: 60)
        #expect(holder.count == 3 && places.further(of: value) == 7)
        places.drop(["a"])
        #expect(holder.count == 2)
        clock.advance(milliseconds: 1)
        places.keep(atMost: 7, from: clock.clock.elapsedMilliseconds())
        #expect(holder.count == 2)
        // One alias fewer on the server: the value may well be another that lives.
        places.keep(atMost: 6, from: clock.clock.elapsedMilliseconds())
        #expect(holder.count == 2)
        places.keep(atMost: 0, from: clock.clock.elapsedMilliseconds())
        #expect(holder.count == 0)
        places.keep(FurtherPlaces(Holder.Place(holder), count: 2), of: value, for: 60)
        places.drop([], andValues: [value])
        #expect(holder.count == 0)
        places.keep(FurtherPlaces(Holder.Place(holder), count: 2), of: value, for: 5)
        clock.advance(milliseconds: 7_000)
        places.dropEnded()
        #expect(holder.count == 0)
        // Without a note nobody knows whose they are: they come back at once.
        places.keep(Holder.Place(holder), and: FurtherPlaces(Holder.Place(holder), count: 5), with: "b", for: 60)
        #expect(holder.count == 1)
    }

    @Test func theOldestGoFirst() {
        let places = places([("a", 60)])
        clock.advance(milliseconds: 1_000)
        places.keep(Holder.Place(holder), with: "b", for: 5)
        clock.advance(milliseconds: 1)
        places.keep(atMost: 1, from: clock.clock.elapsedMilliseconds())
        #expect(holder.count == 1)
        // It was the later one that stayed: it ends first.
        clock.advance(milliseconds: 7_000)
        places.dropEnded()
        #expect(holder.count == 0)
    }
}
