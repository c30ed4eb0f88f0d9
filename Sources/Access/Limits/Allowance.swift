/// What the limits say of one request: the strictest of them.
public struct Allowance: Sendable {
    /// What a limit counts by. Raw values are the policy names of `RateLimit-Policy`.
    public enum Policy: String, Sendable, CaseIterable {
        case address, credential, session, global
    }

    /// One limit that applied.
    struct Applied: Sendable {
        let policy: Policy
        let quota: Quota
        let isAllowed: Bool
        let remaining: Int
        /// Seconds until one request is possible.
        let retryAfter: Int
        /// Seconds until the quota is whole again.
        let reset: Int

        init(_ policy: Policy, _ quota: Quota, _ outcome: TokenBucket.Outcome) {
            self.policy = policy
            self.quota = quota
            isAllowed = outcome.isAllowed
            remaining = outcome.isAllowed ? outcome.remaining : 0
            retryAfter = max(1, Int((outcome.wait + 999_999_999) / 1_000_000_000))
            reset = Int((outcome.untilFull + 999_999_999) / 1_000_000_000)
        }

        /// Whether this one leaves the caller less.
        func isStricter(than other: Applied) -> Bool {
            if isAllowed != other.isAllowed { return !isAllowed }
            return isAllowed ? remaining < other.remaining : retryAfter > other.retryAfter
        }
    }

    /// In the order in which they were asked.
    private(set) var applied: [Applied] = []

    init() {}

    mutating func append(_ limit: Applied) { applied.append(limit) }

    /// How much of its quota the strictest limit leaves, from 0 to 1; 1 without limits.
    var fullness: Double { strictest.map { Double($0.remaining) / Double(max($0.quota.requests, 1)) } ?? 1 }

    private var strictest: Applied? {
        applied.reduce(nil) { strictest, limit in
            guard let strictest else { return limit }
            return limit.isStricter(than: strictest) ? limit : strictest
        }
    }

    /// Whether the request may be carried out.
    public var isAllowed: Bool { applied.allSatisfy(\.isAllowed) }

    /// The limit that refused the request; nil if none did.
    public var refusedBy: Policy? { isAllowed ? nil : strictest?.policy }

    /// `Retry-After` of a refusal, in whole seconds and at least one (RFC 9110 section 10.2.3); nil if nothing refused.
    public var retryAfter: Int? { isAllowed ? nil : strictest?.retryAfter }

    /// `x-ratelimit-remaining`: what the strictest limit leaves (`docs/reference/vault-api.md` section 1); nil
    /// without limits.
    public var remaining: Int? { strictest?.remaining }

    /// `RateLimit` (IETF draft-ietf-httpapi-ratelimit-headers, version 9 and later): the strictest limit with what
    /// remains of it and the seconds until it is whole again. Nil without limits.
    public var rateLimit: String? {
        strictest.map { "\"\($0.policy.rawValue)\";r=\($0.remaining);t=\($0.isAllowed ? $0.reset : $0.retryAfter)" }
    }

    /// `RateLimit-Policy` (the same draft): each limit with its quota and window in seconds. Nil without limits.
    public var rateLimitPolicy: String? {
        guard !applied.isEmpty else { return nil }
        return applied.map { "\"\($0.policy.rawValue)\";q=\($0.quota.requests);w=\($0.quota.window)" }
            .joined(separator: ", ")
    }
}
