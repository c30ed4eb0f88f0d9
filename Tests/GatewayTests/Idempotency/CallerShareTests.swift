import Testing

@testable import Gateway

@Suite struct CallerShareTests {
    private typealias Use = CallerShares.Use

    /// The value behind a reference, as `#expect` takes no mutating calls.
    private final class Shares {
        private var shares: CallerShares

        init(_ limits: IdempotencyLimits) { shares = CallerShares(limits) }

        func mayAdd(_ caller: String?, total: Use, now: Int64) -> Bool {
            shares.mayAdd(caller, total: total, now: now)
        }
        func mayAdd(bytes: Int, _ caller: String?, total: Use, now: Int64) -> Bool {
            shares.mayAdd(bytes: bytes, caller, total: total, now: now)
        }
        func add(entries: Int = 0, bytes: Int = 0, _ caller: String?, now: Int64) {
            shares.add(entries: entries, bytes: bytes, caller, now: now)
        }
        func use(of caller: String?) -> Use { shares.use(of: caller) }
    }

    /// Fills the storage of 12 entries with those that callers may add, in turns, until none may.
    private func filled(_ callers: [String?]) -> [Int] {
        let shares = Shares(IdempotencyLimits(lifetime: 640, entries: 12))
        var total = 0
        var isFull = false
        while !isFull {
            isFull = true
            for caller in callers where shares.mayAdd(caller, total: Use(entries: total), now: 0) {
                shares.add(entries: 1, caller, now: 0)
                total += 1
                isFull = false
            }
        }
        return callers.map { shares.use(of: $0).entries }
    }

    @Test func everyCallerLeavesRoomForAnother() {
        #expect(filled(["a"]) == [6])
        #expect(filled([nil]) == [6])
        #expect(filled(["a", "b"]) == [4, 4])
        #expect(filled(["a", "b", nil]) == [3, 3, 3])
    }

    /// What was stored before this process started leaves less for everybody.
    @Test func whatIsThereCounts() {
        let shares = Shares(IdempotencyLimits(bytes: 1_000, entries: 12))
        #expect(shares.mayAdd("a", total: Use(entries: 11), now: 0))
        #expect(!shares.mayAdd("a", total: Use(entries: 12), now: 0))
        #expect(shares.mayAdd(bytes: 500, "a", total: Use(), now: 0))
        #expect(!shares.mayAdd(bytes: 501, "a", total: Use(), now: 0))
        #expect(!shares.mayAdd(bytes: 500, "a", total: Use(bytes: 1), now: 0))
        shares.add(bytes: 300, "a", now: 0)
        #expect(!shares.mayAdd(bytes: 250, "a", total: Use(bytes: 300), now: 0))
        #expect(shares.mayAdd(bytes: 250, "b", total: Use(bytes: 300), now: 0))
    }

    @Test func entriesExpire() {
        let shares = Shares(IdempotencyLimits(lifetime: 640, entries: 4))
        for time: Int64 in [0, 5] { shares.add(entries: 1, "a", now: time) }
        #expect(!shares.mayAdd("a", total: Use(entries: 2), now: 6))
        #expect(!shares.mayAdd("a", total: Use(entries: 2), now: 640))
        #expect(shares.mayAdd("a", total: Use(entries: 2), now: 651))
        #expect(shares.use(of: "a").entries == 0)
    }
}
