import Testing

@testable import Access

@Suite("Shares of what all use")
struct SharesTests {
    private func address(_ number: UInt32) -> Shares.Holder {
        Caller(anonymousAt: ClientAddress(IPAddress(v4: number))).holder
    }

    private func credential(_ name: String) -> Shares.Holder {
        Caller(credential: name, Permissions(scopes: .all), at: home).holder
    }

    private func session() throws -> Shares.Holder {
        try Caller(session: sessionClaims(), of: Permissions(scopes: .all), at: home, now: 1_500).holder
    }

    /// Places that a holder gets if it takes all it can.
    private func fill(_ shares: Shares, _ holder: Shares.Holder, until end: Int64? = nil) -> Int {
        var count = 0
        while shares.claim(for: holder, until: end, at: 0) == .granted { count += 1 }
        return count
    }

    @Test func theOneCallerThatThereIs() {
        #expect(fill(Shares(capacity: 100_000), credential("shop")) == 50_000)
        #expect(fill(Shares(capacity: 100_000), address(1)) == 20_000)
        #expect(fill(Shares(capacity: 1), credential("shop")) == 1)
        #expect(fill(Shares(capacity: 2), address(1)) == 1)
        #expect(fill(Shares(capacity: 0), address(1)) == 1)
    }

    /// What is there already counts, also beyond what is free.
    @Test func whatIsThereCounts() {
        let shares = Shares(capacity: 100)
        let (shop, other) = (credential("shop"), credential("other"))
        shares.add(90, for: shop)
        shares.add(20, for: shop)
        #expect(shares.usage.used == 110 && fill(shares, other) == 0)
        shares.release(shop, 90)
        #expect(fill(shares, other) == 40 && fill(shares, shop) == 10)
    }

    /// 64 anonymous connections filled 100,000 VOLATILE places for everybody.
    @Test func thePublicHasAtMostHalf() {
        let shares = Shares(capacity: 100_000)
        var total = 0
        for stranger in 0..<10_000 { total += fill(shares, address(UInt32(stranger))) }
        #expect(total <= 50_000)
        #expect(fill(shares, credential("shop")) >= 20_000)
        #expect(fill(shares, credential("other")) >= 5_000)
    }

    /// Through two processes or ten: what is stored in all is what they have stored.
    @Test(arguments: [2, 10]) func thePublicHasAtMostHalfOfAllProcesses(count: Int) {
        let processes = (0..<count).map { _ in Shares(capacity: 10_000) }
        var total = 0
        for round in 0..<400 {
            for (number, shares) in processes.enumerated() {
                for stranger in 0..<20 {
                    let holder = address(UInt32(round * 1_000 + number * 100 + stranger))
                    while shares.claim(for: holder, at: 0, stored: total) == .granted { total += 1 }
                }
            }
        }
        #expect(total <= 5_000 && total > 4_000)
        #expect(processes[0].claim(for: credential("shop"), at: 0, stored: total) == .granted)
    }

    /// What takes several places at once gets as many as if it took them one after the other.
    @Test(arguments: [(50, 49), (20, 0)]) func severalPlacesAtOnce(share: Int, before: Int) {
        let shares = Shares(capacity: 100)
        let holder = share == 50 ? credential("shop") : address(1)
        #expect(shares.claim(share + 1, for: holder, until: 9_000, at: 0) == .refused(retryAfter: 1))
        #expect(shares.isPossible(share, for: holder) && !shares.isPossible(share + 1, for: holder))
        if before > 0 { #expect(shares.claim(before, for: holder, until: 9_000, at: 0) == .granted) }
        #expect(shares.claim(share - before + 1, for: holder, until: 9_000, at: 0) != .granted)
        #expect(shares.claim(share - before, for: holder, until: 9_000, at: 0) == .granted)
        #expect(shares.claim(for: holder, until: 9_000, at: 0) == .refused(retryAfter: 9))
        shares.postpone(share, holder, from: 9_000, until: 20_000)
        #expect(shares.claim(for: holder, until: 9_000, at: 0) == .refused(retryAfter: 20))
        shares.release(holder, share, until: 20_000)
        #expect(shares.usage.used == 0 && fill(shares, holder) == share)
    }

    /// One address leaves room for the next, and that for the next.
    @Test func newcomersFindRoom() {
        let shares = Shares(capacity: 100_000)
        let taken = (0..<20).map { fill(shares, address(UInt32($0))) }
        #expect(taken.allSatisfy { $0 > 0 })
        #expect(taken == taken.sorted(by: >))
    }

    @Test func sessionsShareWithTheirCredential() throws {
        let shares = Shares(capacity: 1_000)
        var total = 0
        for _ in 0..<1_000 { total += fill(shares, try session()) }
        #expect(total <= 500)
        #expect(fill(shares, credential("other")) > 0)
        #expect(fill(shares, address(1)) > 0)
    }

    /// One visitor of a shop, or one user of an identity provider, has a part of what the group has.
    @Test func membersHaveAPartOfTheirGroup() throws {
        let token = Caller(
            token: TokenSubject(issuer: "https://idp.example", subject: "u", id: nil), Permissions(scopes: .all),
            at: home)
        #expect(fill(Shares(capacity: 1_000), token.holder) == 200)
        #expect(fill(Shares(capacity: 1_000), try session()) == 200)
        // An access token stands for its credential.
        let access = try Caller(
            session: sessionClaims(form: nil, operations: [], scopes: .all), of: Permissions(scopes: .all), at: home,
            now: 1_500)
        #expect(fill(Shares(capacity: 1_000), access.holder) == 500)
    }

    @Test func placesOfAMemberComeBack() {
        let shares = Shares(capacity: 1_000)
        for _ in 0..<3 {
            let taken = fill(shares, address(1))
            #expect(taken == 200)
            for _ in 0..<taken { shares.release(address(1)) }
        }
        #expect(shares.usage.used == 0)
    }

    @Test func roomComesBack() {
        let shares = Shares(capacity: 10)
        let holder = credential("shop")
        #expect(shares.claim(for: holder, until: 100_000, at: 0) == .granted)
        for end in 101..<105 { #expect(shares.claim(for: holder, until: Int64(end) * 1_000, at: 0) == .granted) }
        #expect(shares.claim(for: holder, until: 200_000, at: 40_000) == .refused(retryAfter: 60))
        #expect(shares.claim(for: holder, until: 200_000, at: 40_001) == .refused(retryAfter: 60))
        #expect(shares.usage == Shares.Usage(used: 5, capacity: 10, refusals: 2))
        shares.release(holder, until: 100_000)
        #expect(shares.claim(for: holder, until: 200_000, at: 100_000) == .granted)
        #expect(shares.claim(for: holder, until: 200_000, at: 100_000) == .refused(retryAfter: 1))
        for end in [101, 102, 103, 104, 200] { shares.release(holder, until: Int64(end) * 1_000) }
        #expect(shares.usage.used == 0)
        // A place that is given back twice is not counted twice.
        shares.release(holder)
        #expect(shares.usage.used == 0 && fill(shares, holder) == 5)
    }

    /// The wait is for the place that comes free first, in whatever order places were given out and came back.
    @Test(arguments: [true, false]) func placesOfDifferentLives(isMember: Bool) {
        let shares = Shares(capacity: isMember ? 25 : 10)
        let holder = isMember ? address(1) : credential("shop")
        func wait(at now: Int64) -> Int? {
            if case .refused(let wait) = shares.claim(for: holder, until: nil, at: now) { wait } else { nil }
        }
        for end: Int64 in [60_000, 10_900, 90_000, 10_100, 30_000] {
            #expect(shares.claim(for: holder, until: end, at: 0) == .granted)
        }
        // By the end of the second in which the first place ends there is one.
        #expect(wait(at: 0) == 11)
        // One is given back early; then a later one, which changes nothing.
        shares.release(holder, until: 10_900)
        #expect(shares.claim(for: holder, until: 80_000, at: 1_000) == .granted)
        shares.release(holder, until: 10_100)
        #expect(shares.claim(for: holder, until: 70_000, at: 1_000) == .granted)
        #expect(wait(at: 1_000) == 29)
        shares.release(holder, until: 90_000)
        #expect(shares.claim(for: holder, until: 20_000, at: 1_000) == .granted)
        #expect(wait(at: 1_000) == 19)
        for end: Int64 in [20_000, 30_000, 60_000, 70_000, 80_000] { shares.release(holder, until: end) }
        #expect(shares.usage.used == 0)
    }
}
