import Glibc

/// The time of day and a clock that only runs forward.
enum WallClock {
    /// Unix time in milliseconds.
    static var milliseconds: Int64 {
        let time = read(CLOCK_REALTIME)
        return Int64(time.tv_sec) &* 1_000 &+ Int64(time.tv_nsec) / 1_000_000
    }

    /// Microseconds since some moment, never set back.
    static var monotonicMicroseconds: Int64 {
        let time = read(CLOCK_MONOTONIC)
        return Int64(time.tv_sec) &* 1_000_000 &+ Int64(time.tv_nsec) / 1_000
    }

    /// Unix seconds for erasing what would let somebody in again: never further on than this process has run since its start. A clock
    /// that is set forward and back must not have erased anything meanwhile.
    static var secondsNotSetForward: Int64 {
        let elapsed = (monotonicMicroseconds - start.monotonic) / 1_000_000
        return min(milliseconds / 1_000, start.unix + elapsed)
    }

    private static let start = (unix: milliseconds / 1_000, monotonic: monotonicMicroseconds)

    private static func read(_ clock: clockid_t) -> timespec {
        var time = timespec()
        clock_gettime(clock, &time)
        return time
    }
}
