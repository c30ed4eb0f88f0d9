import Access
import Testing

@testable import Gateway

@Suite struct ResponseShareTests {
    private typealias Use = ResponseShares.Use

    private static func holder(_ name: String) -> Shares.Holder {
        if name.hasPrefix("192.") {
            let last = name.split(separator: ".").last.flatMap { UInt32($0) } ?? 0
            return Caller(anonymousAt: ClientAddress(IPAddress(v4: 0xC000_0200 + last))).holder
        }
        let address = ClientAddress(IPAddress(v4: 0xC000_0201))
        return Caller(credential: name, Permissions(scopes: .all), at: address).holder
    }

    /// The value behind a reference, as `#expect` takes no mutating calls.
    private final class Callers {
        private var shares: ResponseShares

        init(_ limits: IdempotencyLimits) { shares = ResponseShares(limits) }

        func wait(_ caller: String, total: Use, now: Int64 = 0) -> Int64? {
            shares.wait(of: holder(caller), total: total, now: now)
        }
        func mayAdd(bytes: Int, _ caller: String, total: Use) -> Bool {
            shares.mayAdd(bytes: bytes, holder(caller), total: total, now: 0)
        }
        func add(entries: Int = 0, bytes: Int = 0, _ caller: String, now: Int64 = 0) {
            shares.add(entries: entries, bytes: bytes, holder(caller), now: now)
        }
        func use(of caller: String) -> Use { shares.use(of: holder(caller)) }
        var count: Int { shares.count }
    }

    /// Fills the storage with what callers may add, in turns, until none may.
    private func filled(_ callers: [String], entries: Int = 12) -> [Int] {
        let shares = Callers(IdempotencyLimits(lifetime: 640, entries: entries))
        var total = 0
        var isFull = false
        while !isFull {
            isFull = true
            for caller in callers where shares.wait(caller, total: Use(entries: total)) == nil {
                shares.add(entries: 1, caller)
                total += 1
                isFull = false
            }
        }
        return callers.map { shares.use(of: $0).entries }
    }

    @Test func everyCallerLeavesRoomForAnother() {
        #expect(filled(["a"]) == [6])
        #expect(filled(["a", "b"]) == [4, 4])
    }

    /// One stranger cannot use up what all strangers have, and all of them together get half.
    @Test func strangersShareHalf() {
        #expect(filled(["192.0.2.1"], entries: 100) == [20])
        let many = filled((1...50).map { "192.0.2.\($0)" }, entries: 100)
        #expect(many.reduce(0, +) == 50 && many.allSatisfy { (1...20).contains($0) })
        let mixed = filled(["a", "192.0.2.1", "192.0.2.2"], entries: 100)
        #expect(mixed[0] >= 33)
    }

    /// What was stored before this process started leaves less for everybody.
    @Test func whatIsThereCounts() {
        let shares = Callers(IdempotencyLimits(bytes: 1_000, entries: 12))
        #expect(shares.wait("a", total: Use(entries: 11)) == nil)
        #expect(shares.wait("a", total: Use(entries: 12)) == 60)
        #expect(shares.mayAdd(bytes: 500, "a", total: Use()))
        #expect(!shares.mayAdd(bytes: 501, "a", total: Use()))
        #expect(!shares.mayAdd(bytes: 500, "a", total: Use(bytes: 1)))
        shares.add(bytes: 300, "a")
        #expect(!shares.mayAdd(bytes: 250, "a", total: Use(bytes: 300)))
        #expect(shares.mayAdd(bytes: 250, "b", total: Use(bytes: 300)))
    }

    /// Through several processes, too: what others have stored counts for the public as its own.
    @Test func thePublicHasAtMostHalfOfAllProcesses() {
        let processes = (0..<3).map { _ in Callers(IdempotencyLimits(lifetime: 640, entries: 600)) }
        var total = 0
        for address in 1...200 {
            for process in processes {
                while process.wait("192.0.2.\(address)", total: Use(entries: total)) == nil {
                    process.add(entries: 1, "192.0.2.\(address)")
                    total += 1
                }
            }
        }
        #expect(total <= 300 && total > 200)
        #expect(processes[2].wait("shop", total: Use(entries: total)) == nil)
    }

    /// A refused caller is told when the first of its own entries expires.
    @Test func entriesExpire() {
        let shares = Callers(IdempotencyLimits(lifetime: 640, entries: 4))
        for time: Int64 in [0, 5] { shares.add(entries: 1, "a", now: time) }
        #expect(shares.wait("a", total: Use(entries: 2), now: 6) == 644)
        #expect(shares.wait("a", total: Use(entries: 2), now: 640) == 10)
        #expect(shares.wait("a", total: Use(entries: 2), now: 651) == nil)
        #expect(shares.use(of: "a").entries == 0)
    }

    /// Callers whose entries have expired are forgotten: sessions and addresses come and go without end.
    @Test func memoryIsBounded() {
        let shares = Callers(IdempotencyLimits(lifetime: 64, entries: 1_000_000))
        for number in 0..<20_000 { shares.add(entries: 1, "c\(number)", now: Int64(number)) }
        #expect(shares.count < 1_200)
    }

    /// An entry that is taken back, or the response of a request that has run for long, belongs to the time of its request.
    @Test func whatComesLateBelongsToItsTime() {
        let shares = Callers(IdempotencyLimits(lifetime: 640, bytes: 1_000, entries: 4))
        shares.add(entries: 1, "a", now: 0)
        shares.add(entries: 1, "a", now: 20)
        shares.add(entries: -1, "a", now: 0)
        shares.add(bytes: 100, "a", now: 10)
        #expect(shares.use(of: "a") == Use(entries: 1, bytes: 100))
        // Each at its own end: 650, 660 and 670.
        for (now, entries, bytes) in [(651, 1, 100), (661, 1, 0), (671, 0, 0)] as [(Int64, Int, Int)] {
            _ = shares.wait("a", total: Use(entries: 1), now: now)
            #expect(shares.use(of: "a") == Use(entries: entries, bytes: bytes), "\(now)")
        }
    }
}
