import Testing

@testable import Access

private let second: Int64 = 1_000_000_000

@Suite("Token buckets")
struct TokenBucketTests {
    @Test func emptiesAndRefills() {
        let quota = Quota(perMinute: 3)
        var bucket = TokenBucket()
        for remaining in [2, 1, 0] {
            let outcome = bucket.take(of: quota, at: 100 * second)
            #expect(outcome.isAllowed && outcome.remaining == remaining && outcome.wait == 0)
        }
        let refused = bucket.take(of: quota, at: 100 * second)
        #expect(!refused.isAllowed && refused.wait == 20 * second && refused.untilFull == 60 * second)
        #expect(!bucket.take(of: quota, at: 120 * second - 1).isAllowed)
        #expect(bucket.take(of: quota, at: 120 * second).isAllowed)
        #expect(!bucket.take(of: quota, at: 120 * second).isAllowed)
        // After a long time it is full, not fuller.
        let rested = bucket.take(of: quota, at: 10_000 * second)
        #expect(rested.remaining == 2)
    }

    /// Whatever is asked for and however often, no more comes out than the quota and what came back.
    @Test(arguments: [Quota(perMinute: 1), Quota(perMinute: 7), Quota(perMinute: 3_000), Quota(requests: 5, window: 1)])
    func neverGivesMore(quota: Quota) {
        var bucket = TokenBucket()
        var taken = 0
        var now = 5 * second
        let end = now + 600 * second
        while now < end {
            if bucket.take(of: quota, at: now).isAllowed { taken += 1 }
            now += Int64.random(in: 0..<quota.interval)
        }
        #expect(taken <= quota.requests + 600 * quota.requests / quota.window + 1)
        #expect(taken >= 600 * quota.requests / quota.window / 2)
    }

    @Test func noneAtAll() {
        var bucket = TokenBucket()
        let outcome = bucket.take(of: Quota(perMinute: 0), at: second)
        #expect(!outcome.isAllowed && outcome.remaining == 0 && outcome.wait == 60 * second)
    }

    /// Who may overdraw waits until that is possible again, and no longer.
    @Test func anOverdraftIsNoWait() {
        let quota = Quota(perMinute: 4)
        var bucket = TokenBucket()
        for _ in 0..<6 { #expect(bucket.take(of: quota, overdraft: 2, at: 100 * second).isAllowed) }
        let refused = bucket.take(of: quota, overdraft: 2, at: 100 * second)
        #expect(!refused.isAllowed && refused.remaining == 0 && refused.wait == 15 * second)
        #expect(bucket.take(of: quota, at: 100 * second).wait == 45 * second)
        #expect(bucket.take(of: quota, overdraft: 2, at: 115 * second).isAllowed)
    }

    @Test func extremes() {
        let huge = Quota(requests: .max, window: .max)
        var bucket = TokenBucket()
        #expect(bucket.take(of: huge, overdraft: .max, at: .max / 4).isAllowed)
        #expect(!bucket.take(of: Quota(requests: .min, window: .min), at: 0).isAllowed)
    }
}

@Suite("Limits on requests")
struct RateLimitsTests {
    private func anonymous(_ address: UInt32) -> Caller { Caller(anonymousAt: ClientAddress(IPAddress(v4: address))) }

    private func credential(_ name: String) -> Caller {
        Caller(credential: name, Permissions(scopes: .all), at: home)
    }

    /// Both steps that a request takes.
    private func take(
        _ limits: RateLimits, _ caller: Caller, rateLimit: Quota? = nil, at now: Int64 = 1_000 * second
    ) -> Allowance {
        var allowance = limits.take(from: caller.address, at: now)
        guard allowance.isAllowed else { return allowance }
        limits.take(for: caller, rateLimit: rateLimit, into: &allowance, at: now)
        return allowance
    }

    @Test func withoutLimits() {
        let allowance = take(RateLimits(), anonymous(1))
        #expect(allowance.isAllowed && allowance.rateLimit == nil && allowance.rateLimitPolicy == nil)
        #expect(allowance.remaining == nil && allowance.retryAfter == nil)
    }

    @Test func headers() {
        let limits = RateLimits(address: Quota(perMinute: 3), global: Quota(perMinute: 10))
        let first = take(limits, anonymous(1))
        #expect(first.rateLimitPolicy == #""address";q=3;w=60, "global";q=10;w=60"#)
        #expect(first.rateLimit == #""address";r=2;t=20"#)
        #expect(first.remaining == 2)
        _ = take(limits, anonymous(1))
        _ = take(limits, anonymous(1))
        let refused = take(limits, anonymous(1))
        #expect(!refused.isAllowed && refused.refusedBy == .address && refused.retryAfter == 20)
        #expect(refused.rateLimit == #""address";r=0;t=20"# && refused.remaining == 0)
    }

    /// One caller alone gets the whole global limit and no more, as before there were others.
    @Test(arguments: [false, true])
    func globalAlone(isProven: Bool) {
        let limits = RateLimits(global: Quota(perMinute: 3))
        let caller = isProven ? credential("shop") : anonymous(1)
        for remaining in [2, 1, 0] {
            let allowance = take(limits, caller)
            #expect(allowance.isAllowed && allowance.remaining == remaining)
            #expect(allowance.rateLimitPolicy == #""global";q=3;w=60"#)
        }
        let refused = take(limits, caller)
        #expect(refused.refusedBy == .global && refused.retryAfter == 20 && refused.remaining == 0)
    }

    @Test func credentialsAndSessions() throws {
        let limits = RateLimits(session: Quota(perMinute: 2))
        let session = try Caller(
            session: sessionClaims(), of: Permissions(scopes: .all), at: home, now: 1_000)
        let other = try Caller(session: sessionClaims(), of: Permissions(scopes: .all), at: home, now: 1_000)
        #expect(take(limits, session).isAllowed && take(limits, session).isAllowed)
        #expect(take(limits, session).refusedBy == .session)
        #expect(take(limits, other).isAllowed)
        let own = Quota(perMinute: 1)
        #expect(take(limits, credential("shop"), rateLimit: own).isAllowed)
        #expect(take(limits, credential("shop"), rateLimit: own).refusedBy == .credential)
        #expect(take(limits, credential("other"), rateLimit: own).isAllowed)
        #expect(take(limits, credential("third")).isAllowed)
    }

    /// What a caller's own limit refuses takes nothing of the global one.
    @Test func ownRefusalsAreNotCountedForAll() {
        let limits = RateLimits(global: Quota(perMinute: 10))
        let own = Quota(perMinute: 12)
        for _ in 0..<2 { #expect(take(limits, credential("shop"), rateLimit: Quota(perMinute: 2)).isAllowed) }
        for _ in 0..<50 {
            let refused = take(limits, credential("shop"), rateLimit: Quota(perMinute: 2))
            #expect(refused.refusedBy == .credential && refused.rateLimitPolicy == #""credential";q=2;w=60"#)
        }
        // A quota above the global one is announced as that.
        let other = take(limits, credential("other"), rateLimit: own)
        #expect(other.rateLimitPolicy == #""credential";q=10;w=60, "global";q=10;w=60"#)
        #expect(other.rateLimit == #""global";r=7;t=18"#)
    }

    /// A limit that allows, asked after one that refused, does not undo the refusal.
    @Test func everyLimitRefuses() {
        let limits = RateLimits(address: Quota(perMinute: 1), global: Quota(perMinute: 10))
        _ = take(limits, anonymous(1))
        var allowance = limits.take(from: anonymous(1).address, at: 1_000 * second)
        limits.take(for: credential("shop"), rateLimit: Quota(perMinute: 5), into: &allowance, at: 1_000 * second)
        #expect(!allowance.isAllowed && allowance.refusedBy == .address && allowance.retryAfter == 60)
    }

    /// The limit that refused is the one that is told, even if it needs no longer wait than one that allowed.
    @Test func theLimitThatRefusedIsTold() {
        let limits = RateLimits(address: Quota(perMinute: 1_000), global: Quota(requests: 2, window: 1))
        for _ in 0..<2 { #expect(take(limits, anonymous(1)).isAllowed) }
        let refused = take(limits, anonymous(1))
        #expect(refused.refusedBy == .global && refused.retryAfter == 1 && refused.remaining == 0)
        #expect(refused.rateLimit == #""global";r=0;t=1"#)
    }

    @Test func aSubnetIsOneStranger() throws {
        let limits = RateLimits(address: Quota(perMinute: 5))
        var allowed = 0
        for host in 0..<1_000 {
            let address = IPAddress(high: 0x2001_0db8_0000_0001, low: UInt64(host) << 32 | 1)
            if limits.take(from: ClientAddress(address), at: second).isAllowed { allowed += 1 }
        }
        #expect(allowed == 5)
    }

    /// Who hides behind a proxy uses up nothing of the proxy, nor of a program beside it, whatever limit there is.
    @Test(arguments: [nil, Quota(perMinute: 5)])
    func whoIsHiddenIsAnotherStranger(address: Quota?) {
        let limits = RateLimits(address: address, global: Quota(perMinute: 10))
        let hidden = Caller(anonymousAt: ClientAddress(home.address, isProven: false))
        for _ in 0..<20 { _ = take(limits, hidden) }
        #expect(!take(limits, hidden).isAllowed)
        #expect(take(limits, Caller(anonymousAt: home)).isAllowed)
    }

    /// A thousand addresses that ask without pause, beside one caller that asks twice a second: none of its requests is refused.
    @Test(arguments: [true, false])
    func strangersSlowDownThemselvesAlone(isProven: Bool) {
        let limits = RateLimits(address: Quota(perMinute: 300), global: Quota(perMinute: 60_000))
        let honest = isProven ? credential("shop") : anonymous(7)
        var (refused, strangers) = (0, 0)
        for step in 0..<600 {
            let now = 1_000 * second + Int64(step) * second / 10
            for stranger in 0..<1_000 where take(limits, anonymous(UInt32(1_000 + stranger)), at: now).isAllowed {
                strangers += 1
            }
            if step % 5 == 0, !take(limits, honest, at: now).isAllowed { refused += 1 }
        }
        #expect(refused == 0)
        // What was full at the start, what was overdrawn, and what came back in a minute.
        #expect(strangers <= 135_000)
    }

    /// How a caller proves who it is, and the limit of its own that there may be.
    enum Kind: CaseIterable { case credential, session, token }

    private func caller(_ kind: Kind, _ name: String, at address: UInt32) throws -> Caller {
        let (address, permissions) = (ClientAddress(IPAddress(v4: address)), Permissions(scopes: .all))
        switch kind {
        case .credential: return Caller(credential: name, permissions, at: address)
        case .session:
            let claims = SessionClaims(
                id: try #require(SessionID(bytes: [UInt8](repeating: name.utf8.first ?? 0, count: 16))),
                credential: "shop", form: "checkout", operations: [], scopes: [], origin: nil, paths: nil,
                maxRequests: nil, issuedAt: 1_000, expiresAt: 1_900)
            return Caller(session: claims, of: permissions, at: address, now: 1_000)
        case .token: return Caller(token: TokenSubject(issuer: "i", subject: name, id: nil), permissions, at: address)
        }
    }

    /// A caller that asks twice as often as all may, from a thousand addresses, beside one that asks once a second: however it proves who
    /// it is and whatever else is limited, it has a bucket of its own, and the other is not refused.
    @Test(arguments: Kind.allCases, [nil, Quota(perMinute: 300)])
    func callersSlowDownThemselvesAlone(kind: Kind, address: Quota?) throws {
        let limits = RateLimits(address: address, global: Quota(perMinute: 600))
        var (refused, busy) = (0, 0)
        for step in 0..<20 * 1_200 {
            let now = 1_000 * second + Int64(step) * second / 20
            if take(limits, try caller(kind, "busy", at: UInt32(step % 1_000)), at: now).isAllowed { busy += 1 }
            if step % 20 == 1, !take(limits, try caller(kind, "other", at: 7_000), at: now).isAllowed { refused += 1 }
        }
        #expect(refused == 0)
        // What the other leaves of twenty minutes, what was full at the start, and what may be overdrawn.
        #expect(busy > 10_700 && busy < 10_800 + 600 + 300)
    }

    @Test func aMillionAddresses() {
        let limits = RateLimits(address: Quota(perMinute: 60), global: Quota(perMinute: 1_000_000))
        let victim = anonymous(1)
        for _ in 0..<60 { _ = take(limits, victim) }
        #expect(!take(limits, victim).isAllowed)
        for address in 2..<200_002 { _ = take(limits, anonymous(UInt32(address))) }
        // Its used up bucket was not forgotten for the sake of the others.
        #expect(!take(limits, victim).isAllowed)
    }
}
