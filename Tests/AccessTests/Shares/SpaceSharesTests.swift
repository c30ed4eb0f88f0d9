import Testing

@testable import Access

@Suite("Shares of narrow alias spaces")
struct SpaceSharesTests {
    private func address(_ number: UInt32) -> Shares.Holder {
        Caller(anonymousAt: ClientAddress(IPAddress(v4: number))).holder
    }

    private func fill(_ shares: SpaceShares, _ holder: Shares.Holder, space: Int = 1, size: Int, used: inout Int) -> Int
    {
        let before = used
        while shares.claim(in: space, of: size, used: used, for: holder, window: 80, at: 0) == .granted { used += 1 }
        return used - before
    }

    @Test func strangersHaveHalfTogether() {
        let shares = SpaceShares()
        var used = 0
        #expect(fill(shares, address(1), size: 1_000, used: &used) == 200)
        for number in 2...200 { _ = fill(shares, address(UInt32(number)), size: 1_000, used: &used) }
        #expect((480...500).contains(used))
        let shop = Caller(credential: "shop", Permissions(scopes: .all), at: home).holder
        // The vault says when there are none left.
        for _ in 0..<1_000 {
            #expect(shares.claim(in: 1, of: 1_000, used: used, for: shop, window: 80, at: 0) == .granted)
        }
        // Another space has aliases of its own.
        var others = 0
        #expect(fill(shares, address(1), space: 2, size: 1_000, used: &others) == 200)
    }

    @Test func theWindowSlides() {
        let shares = SpaceShares()
        var used = 0
        #expect(fill(shares, address(1), size: 100, used: &used) == 20)
        func claim(_ now: Int64) -> Shares.Outcome {
            shares.claim(in: 1, of: 100, used: 20, for: address(1), window: 80, at: now)
        }
        #expect(claim(0) == .refused(retryAfter: 80))
        #expect(claim(79) == .refused(retryAfter: 1))
        #expect(claim(80) == .granted)
    }

    /// When its group has used up its share, a newcomer waits for the group, not for itself.
    @Test func aNewcomerWaitsForItsGroup() {
        let shares = SpaceShares()
        var used = 0
        for number in 1...200 { _ = fill(shares, address(UInt32(number)), size: 100, used: &used) }
        let outcome = shares.claim(in: 1, of: 100, used: used, for: address(1_000), window: 80, at: 50)
        #expect(outcome == .refused(retryAfter: 30))
    }

    @Test func memoryIsBounded() {
        var count = RecentCount()
        #expect(count.count(8, at: 5) == 0)
        count.add(at: 5)
        #expect(count.weight(at: 5) == 1 && count.count(8, at: 12) == 1)
        #expect(count.count(8, at: 13) == 0 && count.weight(at: 13) == 0)
    }
}
