/// A quota: so many requests in so many seconds.
public struct Quota: Sendable, Hashable {
    /// Requests of a full bucket.
    public let requests: Int
    /// Seconds in which an empty bucket is full again.
    public let window: Int

    /// Requests a minute, as `rateLimit` is configured.
    public init(perMinute requests: Int) {
        self.init(requests: requests, window: 60)
    }

    /// So many requests in a window of so many seconds.
    public init(requests: Int, window: Int) {
        self.requests = min(max(requests, 0), 1_000_000_000)
        self.window = min(max(window, 1), 86_400)
    }

    /// Nanoseconds in which one request comes back.
    var interval: Int64 { Int64(window) * 1_000_000_000 / Int64(max(requests, 1)) }
    /// Nanoseconds in which all come back.
    var span: Int64 { interval * Int64(requests) }
}

/// A token bucket in one number: the time at which it will be full again (the generic cell rate algorithm of ITU-T
/// I.371). Nothing has to run to refill it, and a bucket that is full is the same as no bucket.
struct TokenBucket: TableEntry {
    /// Monotonic nanoseconds.
    private var fullAt: Int64 = .min

    func weight(at now: Int64) -> Int64 {
        fullAt > now ? fullAt - now : 0
    }

    /// What taking one request from a bucket gave.
    struct Outcome {
        let isAllowed: Bool
        /// Requests that are left.
        let remaining: Int
        /// Nanoseconds until one request is possible; 0 if one is.
        let wait: Int64
        /// Nanoseconds until the bucket is full.
        let untilFull: Int64
    }

    /// Takes one request, if the bucket has one.
    ///
    /// - Parameter overdraft: how many requests the bucket may be short of. They are paid back before others get any.
    mutating func take(of quota: Quota, overdraft: Int = 0, at now: Int64) -> Outcome {
        let start = max(fullAt, now)
        let deficit = Int64(min(max(overdraft, 0), quota.requests)) * quota.interval
        let isAllowed = start - now + quota.interval <= quota.span + deficit && quota.requests > 0
        if isAllowed { fullAt = start + quota.interval }
        return outcome(of: quota, deficit: deficit, isAllowed: isAllowed, at: now)
    }

    private func outcome(of quota: Quota, deficit: Int64, isAllowed: Bool, at now: Int64) -> Outcome {
        let untilFull = max(fullAt, now) - now
        let free = quota.span - untilFull
        let remaining = free > 0 ? Int(free / quota.interval) : 0
        // Of an empty bucket of no requests, nothing ever comes back: the window is as good a time to ask again as any.
        let wait = quota.requests == 0 ? Int64(quota.window) * 1_000_000_000 : max(quota.interval - free - deficit, 0)
        return Outcome(isAllowed: isAllowed, remaining: remaining, wait: isAllowed ? 0 : wait, untilFull: untilFull)
    }
}
