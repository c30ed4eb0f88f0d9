import Glibc

/// A point on the machine's monotonic clock, in milliseconds. It never jumps when the wall clock is set.
public struct MonotonicTime: Comparable, Sendable {
    /// Milliseconds since an arbitrary start.
    public let milliseconds: Int64

    package init(milliseconds: Int64) { self.milliseconds = milliseconds }

    /// Now, at the resolution of the kernel's tick (4 ms or better): reading it costs a few nanoseconds.
    public static var now: MonotonicTime {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC_COARSE, &time)
        return MonotonicTime(milliseconds: Int64(time.tv_sec) &* 1000 &+ Int64(time.tv_nsec) / 1_000_000)
    }

    /// Later by `count` milliseconds; saturates instead of overflowing.
    public func advanced(byMilliseconds count: Int64) -> MonotonicTime {
        let (sum, overflow) = milliseconds.addingReportingOverflow(count)
        return MonotonicTime(milliseconds: overflow ? .max : sum)
    }

    /// Later by `duration`; saturates instead of overflowing.
    public static func + (start: MonotonicTime, duration: Duration) -> MonotonicTime {
        start.advanced(byMilliseconds: duration.wholeMilliseconds)
    }

    public static func < (one: MonotonicTime, other: MonotonicTime) -> Bool { one.milliseconds < other.milliseconds }
}

extension Duration {
    /// Milliseconds, rounded up so that a short limit never becomes zero; saturates at 100 years.
    public var wholeMilliseconds: Int64 {
        let (seconds, attoseconds) = components
        let century: Int64 = 100 * 366 * 86_400
        guard seconds < century else { return century * 1000 }
        guard seconds > -century else { return -century * 1000 }
        return seconds * 1000 + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000
    }
}
