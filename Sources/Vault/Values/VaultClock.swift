import Glibc

/// The two clocks that the vault reads, as values, so that tests can turn them.
public struct VaultClock: Sendable {
    /// The time of day in Unix seconds, for `created_at` and the age of keys.
    public var unixSeconds: @Sendable () -> Int64
    /// Milliseconds since some fixed moment, never set back and running on while the machine sleeps: volatile values
    /// must not live longer because the time of day was corrected.
    public var elapsedMilliseconds: @Sendable () -> Int64

    /// A clock made of two functions.
    public init(
        unixSeconds: @escaping @Sendable () -> Int64, elapsedMilliseconds: @escaping @Sendable () -> Int64
    ) {
        self.unixSeconds = unixSeconds
        self.elapsedMilliseconds = elapsedMilliseconds
    }

    /// The machine's clocks.
    public static let system = VaultClock(
        unixSeconds: { Int64(read(CLOCK_REALTIME).tv_sec) },
        elapsedMilliseconds: {
            let time = read(CLOCK_BOOTTIME)
            return Int64(time.tv_sec) &* 1_000 &+ Int64(time.tv_nsec) / 1_000_000
        }
    )

    private static func read(_ clock: clockid_t) -> timespec {
        var time = timespec()
        clock_gettime(clock, &time)
        return time
    }
}
