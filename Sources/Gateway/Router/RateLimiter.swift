import Glibc
import Synchronization

/// Counts requests of one minute over all loops.
final class RateLimiter: Sendable {
    /// Says how many requests are left of the minute.
    static let header = "x-ratelimit-remaining"

    private let limit: Int
    /// The minute in the upper half, requests in it in the lower.
    private let window = Atomic<UInt64>(0)

    /// - Parameter limit: requests a minute.
    init(limit: Int) {
        self.limit = limit
    }

    /// What the limit says of one request.
    struct Allowance {
        /// What is left of the minute after it; nil if there was nothing left for it.
        let remaining: Int?
        /// Seconds until the next minute.
        let retryAfter: Int

        /// Why the request is not answered, if it is not.
        var fault: RequestFault? { remaining == nil ? .tooManyRequests(retryAfter: retryAfter) : nil }

        /// Tells the caller.
        func note(in answer: inout Answer) {
            answer.headers.append((RateLimiter.header, String(remaining ?? 0)))
        }
    }

    /// Counts one request.
    func take() -> Allowance {
        var now = timespec()
        clock_gettime(CLOCK_MONOTONIC_COARSE, &now)
        let minute = UInt64(truncatingIfNeeded: now.tv_sec / 60) & 0xFFFF_FFFF
        let wait = 60 - now.tv_sec % 60
        var old = window.load(ordering: .relaxed)
        while true {
            let used = old >> 32 == minute ? old & 0xFFFF_FFFF : 0
            guard used < UInt64(limit) else { return Allowance(remaining: nil, retryAfter: wait) }
            let new = minute << 32 | (used + 1)
            let outcome = window.compareExchange(expected: old, desired: new, ordering: .relaxed)
            if outcome.exchanged { return Allowance(remaining: limit - Int(used) - 1, retryAfter: wait) }
            old = outcome.original
        }
    }
}
