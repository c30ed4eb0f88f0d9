import Synchronization

/// Token buckets by client address, by credential, by session, and one for all requests (`docs/reference/access.md`
/// section 4).
///
/// A stranger slows down nobody else. Each caller has a bucket of its own, never larger than the global one. When the
/// global bucket runs dry, those who have used most of their own are refused first: callers that proved who they are
/// may overdraw it by half, clients that have taken less than a quarter of their own quota by a quarter, all others
/// not at all. What was overdrawn comes out of the next requests of the others, so that the global rate holds over
/// time.
public final class RateLimits: Sendable {
    /// Buckets kept for each kind. Each takes 16 bytes: 16 MiB at most for a million addresses.
    static let capacity = 1 << 20

    private let address: Quota?
    private let session: Quota?
    private let global: Quota?
    private let addresses = BoundedTable(capacity: RateLimits.capacity, vacant: TokenBucket())
    private let callers = BoundedTable(capacity: RateLimits.capacity, vacant: TokenBucket())
    private let all = Mutex(TokenBucket())

    /// - Parameters:
    ///   - address: of one IPv4 address or IPv6 /64; nil for no limit of its own.
    ///   - session: of one session or one subject of an identity provider.
    ///   - global: of all requests together.
    public init(address: Quota? = nil, session: Quota? = nil, global: Quota? = nil) {
        self.address = address
        self.session = session
        self.global = global
    }

    /// Takes a request from the bucket of its address, before anything else is looked at: a refused request costs
    /// next to nothing.
    ///
    /// - Parameter now: monotonic nanoseconds.
    public func take(from client: IPAddress, at now: Int64) -> Allowance {
        var allowance = Allowance()
        guard let quota = address else { return allowance }
        let key = BoundedTable<TokenBucket>.hash(client.subscriber)
        let outcome = addresses.withEntry(key, at: now) { $0.take(of: quota, at: now) }
        allowance.append(Allowance.Applied(.address, quota, outcome))
        return allowance
    }

    /// Takes the same request from the bucket of its caller and from the global one, once the caller is known. A
    /// request that one of them refuses is not taken from the other.
    ///
    /// - Parameters:
    ///   - rateLimit: of the caller's credential; nil if it has none.
    ///   - now: monotonic nanoseconds.
    public func take(for caller: Caller, rateLimit: Quota?, at now: Int64) -> Allowance {
        var allowance = Allowance()
        // The limit that the configuration gives the caller, and the one that keeps it from taking all of the global
        // bucket.
        let (policy, own) = quota(of: caller, rateLimit)
        let key = BoundedTable<TokenBucket>.hash(caller.limitKey)
        var ownOutcome: TokenBucket.Outcome?
        if let quota = own ?? global {
            let outcome = callers.withEntry(key, at: now) { $0.take(of: quota, at: now) }
            ownOutcome = outcome
            if own != nil || !outcome.isAllowed {
                allowance.append(Allowance.Applied(own == nil ? .global : policy, quota, outcome))
            }
            guard outcome.isAllowed else { return allowance }
        }
        guard let global else { return allowance }
        let overdraft = Self.overdraft(caller, ownOutcome, own ?? global, global)
        let outcome = all.withLock { $0.take(of: global, overdraft: overdraft, at: now) }
        if !outcome.isAllowed, let quota = own {
            callers.withEntry(key, at: now) { $0.giveBack(of: quota) }
        } else if !outcome.isAllowed {
            callers.withEntry(key, at: now) { $0.giveBack(of: global) }
        }
        allowance.append(Allowance.Applied(.global, global, outcome))
        return allowance
    }

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

    /// How many requests the caller may overdraw the global bucket by.
    private static func overdraft(
        _ caller: Caller, _ own: TokenBucket.Outcome?, _ quota: Quota, _ global: Quota
    ) -> Int {
        if case .anonymous = caller.identity {
            guard let own, quota.requests > 0, own.remaining * 4 >= quota.requests * 3 else { return 0 }
            return global.requests / 4
        }
        return global.requests / 2
    }
}
