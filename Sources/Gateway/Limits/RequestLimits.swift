import Access
import Configuration
import EventHTTP
import Glibc

/// Limits on requests, over all loops: by client address before anything is looked at, then by caller and for all together
/// (`docs/reference/access.md` section 4).
final class RequestLimits: Sendable {
    private let rates: RateLimits
    /// The quotas of credentials that have one, by name.
    private let quotas: [String: Quota]
    private let refusals: [Counter]

    /// Nil if nothing is limited.
    ///
    /// - Parameter old: limits that these take the place of: what callers have used of them stays used.
    init?(
        _ settings: ServerSettings.RateLimit, _ credentials: [CredentialSettings], following old: RequestLimits? = nil
    ) {
        let limits = credentials.compactMap { credential in credential.rateLimit.map { (credential.name, $0) } }
        guard settings != ServerSettings.RateLimit() || !limits.isEmpty else { return nil }
        refusals = old?.refusals ?? Allowance.Policy.allCases.map { _ in Counter() }
        quotas = Dictionary(limits.map { ($0, Quota(perMinute: $1)) }) { first, _ in first }
        rates = RateLimits(
            address: settings.address.map { Quota(perMinute: $0) },
            session: settings.session.map { Quota(perMinute: $0) },
            global: settings.global.map { Quota(perMinute: $0) }, following: old?.rates)
    }

    /// Takes a call from the quota of its address.
    func begin(_ call: Call) throws(CallError) {
        let allowance = rates.take(from: call.client, at: Self.now)
        call.allowance = allowance
        try check(allowance)
    }

    /// Takes a call that has begun from the quota of its caller and from that of all. Does nothing the second time.
    func take(_ call: Call, for caller: Caller) throws(CallError) {
        guard !call.isCounted, var allowance = call.allowance else { return }
        call.isCounted = true
        let name: String? =
            switch caller.identity {
            case .credential(let name): name
            case .session(let session): session.form == nil ? session.credential : nil
            case .anonymous, .token: nil
            }
        rates.take(for: caller, rateLimit: name.flatMap { quotas[$0] }, into: &allowance, at: Self.now)
        call.allowance = allowance
        try check(allowance)
    }

    /// Takes a request that the HTTP layer refused. Its allowance is returned also if it is above a limit.
    func take(from client: ClientAddress) -> Allowance {
        var allowance = rates.take(from: client, at: Self.now)
        if allowance.isAllowed {
            rates.take(for: Caller(anonymousAt: client), rateLimit: nil, into: &allowance, at: Self.now)
        }
        if let policy = allowance.refusedBy { refusals[policy.index].add() }
        return allowance
    }

    private func check(_ allowance: Allowance) throws(CallError) {
        guard let policy = allowance.refusedBy else { return }
        refusals[policy.index].add()
        throw .tooManyRequests(retryAfter: allowance.retryAfter ?? 1)
    }

    func write(into text: inout MetricsText) {
        text.begin("cloakroom_rate_limited_total", .counter, "Requests refused by a limit, by what it counts by.")
        for policy in Allowance.Policy.allCases {
            text.sample(["policy": policy.rawValue], Double(refusals[policy.index].value))
        }
    }

    /// Monotonic nanoseconds. The coarse clock does for limits of a minute, and costs a tenth.
    private static var now: Int64 {
        var now = timespec()
        clock_gettime(CLOCK_MONOTONIC_COARSE, &now)
        return Int64(now.tv_sec) * 1_000_000_000 + Int64(now.tv_nsec)
    }
}

extension Allowance.Policy {
    /// Its place in `allCases`.
    fileprivate var index: Int {
        switch self {
        case .address: 0
        case .credential: 1
        case .session: 2
        case .global: 3
        }
    }
}

extension Allowance {
    /// Names of the headers that say what is left, for pages of other origins.
    static let headers = ["x-ratelimit-remaining", "RateLimit", "RateLimit-Policy"]

    /// Adds what is left to a response; an upstream's own headers of these names would be about something else.
    func note(in response: inout CallResponse) {
        guard let remaining, let rateLimit, let rateLimitPolicy else { return }
        response.headers.removeAll { header in Self.headers.contains { header.0.lowercased() == $0.lowercased() } }
        response.headers.append(("x-ratelimit-remaining", String(remaining)))
        response.headers.append(("RateLimit", rateLimit))
        response.headers.append(("RateLimit-Policy", rateLimitPolicy))
    }
}
