import Glibc
import Synchronization

/// Limits the requests of one minute, over all loops.
final class RateLimiter: Sendable {
    /// Header with the number of requests left in the minute.
    static let header = "x-ratelimit-remaining"

    private let limit: Int
    /// The minute in the upper half, its requests in the lower half.
    private let window = Atomic<UInt64>(0)

    /// - Parameter limit: requests a minute.
    init(limit: Int) {
        self.limit = limit
    }

    /// The limit's verdict on one request.
    struct Allowance {
        /// Requests left in the minute after this one; nil if this one is above the limit.
        let remaining: Int?
        /// Seconds until the next minute.
        let retryAfter: Int

        /// The error of a request above the limit.
        var error: CallError? { remaining == nil ? .tooManyRequests(retryAfter: retryAfter) : nil }

        /// Adds the header.
        func note(in response: inout CallResponse) {
            response.headers.append((RateLimiter.header, String(remaining ?? 0)))
        }
    }

    /// Counts one request.
    func count() -> Allowance {
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
