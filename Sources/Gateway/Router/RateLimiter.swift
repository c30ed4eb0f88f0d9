import Glibc
import Synchronization

/// Counts requests of one minute over all loops.
final class RateLimiter: Sendable {
    private let limit: Int
    /// The minute in the upper half, requests in it in the lower.
    private let window = Atomic<UInt64>(0)

    /// - Parameter limit: requests a minute.
    init(limit: Int) {
        self.limit = limit
    }

    /// Counts one request. `remaining` is what is left of the minute afterwards; nil if there was nothing left, and then
    /// `retryAfter` is the number of seconds until the next one.
    func take() -> (remaining: Int?, retryAfter: Int) {
        var now = timespec()
        clock_gettime(CLOCK_MONOTONIC_COARSE, &now)
        let minute = UInt64(truncatingIfNeeded: now.tv_sec / 60) & 0xFFFF_FFFF
        let wait = 60 - now.tv_sec % 60
        var old = window.load(ordering: .relaxed)
        while true {
            let used = old >> 32 == minute ? old & 0xFFFF_FFFF : 0
            guard used < UInt64(limit) else { return (nil, wait) }
            let new = minute << 32 | (used + 1)
            let outcome = window.compareExchange(expected: old, desired: new, ordering: .relaxed)
            if outcome.exchanged { return (limit - Int(used) - 1, wait) }
            old = outcome.original
        }
    }
}
