import Synchronization

/// Token buckets by client address, by credential, by session, and one for all requests (`docs/reference/access.md`
/// section 4).
///
/// No caller slows down another. Each has a bucket of its own, never larger than the global one. When the global bucket
/// runs dry, those who have asked for most of their own quota are refused first: callers that proved who they are may
/// overdraw it by half as long as their own bucket is nearly full, and by less the emptier it is, down to three
/// eighths; anonymous clients by a quarter, down to nothing. What was overdrawn comes out of the next requests of the
/// others, so that the global rate holds over time. A request that only the global limit refused counts against its
/// caller's own: who asks again at once falls behind those who wait.
///
/// Limit: without a limit by address, a client among a thousand that share the global limit looks like any other of
/// them.
public final class RateLimits: Sendable {
    /// Buckets kept for each kind. Each takes 16 bytes: 16 MiB at most for a million addresses.
    static let capacity = 1 << 20

    private let address: Quota?
    private let session: Quota?
    private let global: Quota?
    private let used: Used

    /// What was taken. A bucket only says when it will be full, so that it goes on under another quota.
    private final class Used: Sendable {
        let addresses = BoundedTable(capacity: RateLimits.capacity, vacant: TokenBucket())
        let callers = BoundedTable(capacity: RateLimits.capacity, vacant: TokenBucket())
        let all = Mutex(TokenBucket())
    }

    /// - Parameters:
    ///   - address: of one IPv4 address or IPv6 /64; nil for no limit of its own.
    ///   - session: of one session or one subject of an identity provider.
    ///   - global: of all requests together.
    ///   - old: limits that these take the place of.
    public init(
        address: Quota? = nil, session: Quota? = nil, global: Quota? = nil, following old: RateLimits? = nil
    ) {
        used = old?.used ?? Used()
        self.address = address
        self.session = session
        self.global = global
    }

    /// Takes a request from the bucket of its address, before anything else is looked at: a refused request costs
    /// next to nothing.
    ///
    /// - Parameter now: monotonic nanoseconds.
    public func take(from client: ClientAddress, at now: Int64) -> Allowance {
        var allowance = Allowance()
        guard let quota = address else { return allowance }
        let key = BoundedTable<TokenBucket>.hash(client.subscriber)
        let outcome = used.addresses.withEntry(key, at: now) { $0.take(of: quota, at: now) }
        allowance.append(Allowance.Applied(.address, quota, outcome))
        return allowance
    }

    /// Takes the same request from the bucket of its caller and from the global one, once the caller is known.
    ///
    /// - Parameters:
    ///   - rateLimit: of the caller's credential; nil if it has none.
    ///   - allowance: what ``take(from:at:)`` returned; what these limits say is added.
    ///   - now: monotonic nanoseconds.
    public func take(for caller: Caller, rateLimit: Quota?, into allowance: inout Allowance, at now: Int64) {
        let (policy, own) = quota(of: caller, rateLimit)
        var fullness = allowance.fullness
        if let quota = own ?? (isCountedByAddress(caller) ? nil : global) {
            let key = BoundedTable<TokenBucket>.hash(caller.limitKey)
            let outcome = used.callers.withEntry(key, at: now) { $0.take(of: quota, at: now) }
            // A caller without a limit of its own has the global quota: it cannot have more, and nothing else says
            // how much it took.
            if own != nil || !outcome.isAllowed {
                allowance.append(Allowance.Applied(own == nil ? .global : policy, quota, outcome))
            }
            guard outcome.isAllowed else { return }
            fullness = Double(outcome.remaining) / Double(max(quota.requests, 1))
        }
        guard let global else { return }
        let overdraft = Int(Double(global.requests) * Self.overdraft(of: caller, fullness: fullness))
        let outcome = used.all.withLock { $0.take(of: global, overdraft: overdraft, at: now) }
        allowance.append(Allowance.Applied(.global, global, outcome))
    }

    /// The part of the global limit that a caller may overdraw. A caller that proved who it is may overdraw more than any anonymous one.
    ///
    /// - Parameter fullness: of the caller's own bucket, from 0 to 1.
    private static func overdraft(of caller: Caller, fullness: Double) -> Double {
        let share = fullness * fullness * fullness * fullness
        if case .anonymous = caller.identity { return 0.25 * share }
        return 0.375 + 0.125 * share
    }

    /// Whether the bucket of its address is the caller's own. A credential, session or token may come from many addresses, and share
    /// each of them with other callers.
    private func isCountedByAddress(_ caller: Caller) -> Bool {
        if case .anonymous = caller.identity { address != nil } else { false }
    }

    /// The limit of its own that the configuration gives a caller, besides that of its address.
    private func quota(of caller: Caller, _ rateLimit: Quota?) -> (Allowance.Policy, Quota?) {
        let limit: (Allowance.Policy, Quota?) =
            switch caller.identity {
            case .anonymous: (.address, nil)
            case .credential: (.credential, rateLimit)
            case .session(let claims): claims.form == nil ? (.credential, rateLimit) : (.session, session)
            case .token: (.session, session)
            }
        // A quota above the global one would never be reached.
        guard let global, let quota = limit.1, quota.interval < global.interval else { return limit }
        return (limit.0, global)
    }
}
