import Glibc
import Vault

/// The time of day and a clock that only runs forward.
enum SystemClock {
    /// Unix time in milliseconds.
    static var milliseconds: Int64 {
        let time = read(CLOCK_REALTIME)
        return Int64(time.tv_sec) &* 1_000 &+ Int64(time.tv_nsec) / 1_000_000
    }

    /// Unix time in seconds.
    static var seconds: Int64 { Int64(read(CLOCK_REALTIME).tv_sec) }

    /// The same for when sessions and tokens end: not set back while the process runs (``VaultClock``).
    static var steadySeconds: Int64 { VaultClock.system.unixSeconds() }

    /// Milliseconds since some moment, never set back.
    static var monotonicMilliseconds: Int64 { monotonicMicroseconds / 1_000 }

    /// Microseconds since some moment, never set back.
    static var monotonicMicroseconds: Int64 {
        let time = read(CLOCK_MONOTONIC)
        return Int64(time.tv_sec) &* 1_000_000 &+ Int64(time.tv_nsec) / 1_000
    }

    private static func read(_ clock: clockid_t) -> timespec {
        var time = timespec()
        clock_gettime(clock, &time)
        return time
    }
}
