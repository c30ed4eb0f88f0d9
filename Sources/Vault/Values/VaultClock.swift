import Glibc

/// The clocks that the vault reads, as values, so that tests can turn them.
public struct VaultClock: Sendable {
    /// The time of day in Unix seconds, for `created_at`, the age of keys, and when something ends. It runs on while the clock was set back
    /// (`PatientClock`).
    public var unixSeconds: @Sendable () -> Int64
    /// The same in milliseconds, for how long it is until some time of day.
    public var unixMilliseconds: @Sendable () -> Int64
    /// The same as ``unixSeconds`` for what can't be taken back: erasing, and sending once more. Held back while the clock was set
    /// forward (`PatientClock`).
    public var patientSeconds: @Sendable () -> Int64
    /// What the clock says, in Unix seconds, whether it was set or not.
    public var toldSeconds: @Sendable () -> Int64
    /// Milliseconds since some fixed moment, never set back and running on while the machine sleeps: volatile values
    /// must not live longer because the time of day was corrected.
    public var elapsedMilliseconds: @Sendable () -> Int64

    /// A clock made of two functions, which nobody sets.
    public init(
        unixSeconds: @escaping @Sendable () -> Int64, elapsedMilliseconds: @escaping @Sendable () -> Int64
    ) {
        self.unixSeconds = unixSeconds
        self.elapsedMilliseconds = elapsedMilliseconds
        unixMilliseconds = { unixSeconds() &* 1_000 }
        patientSeconds = unixSeconds
        toldSeconds = unixSeconds
    }

    /// The machine's clocks.
    public static let system = VaultClock(
        told: { milliseconds(CLOCK_REALTIME) }, elapsedMilliseconds: { milliseconds(CLOCK_BOOTTIME) })

    /// A clock that may be set.
    ///
    /// - Parameter told: Unix milliseconds.
    init(told: @escaping @Sendable () -> Int64, elapsedMilliseconds elapsed: @escaping @Sendable () -> Int64) {
        let patient = PatientClock()
        let unix = { @Sendable in patient.milliseconds(unix: told(), elapsed: elapsed()) }
        self.init(unixSeconds: { unix() / 1_000 }, elapsedMilliseconds: elapsed)
        unixMilliseconds = unix
        patientSeconds = { patient.seconds(unix: told() / 1_000, elapsed: elapsed()) }
        toldSeconds = { told() / 1_000 }
    }

    private static func milliseconds(_ clock: clockid_t) -> Int64 {
        let time = read(clock)
        return Int64(time.tv_sec) &* 1_000 &+ Int64(time.tv_nsec) / 1_000_000
    }

    private static func read(_ clock: clockid_t) -> timespec {
        var time = timespec()
        clock_gettime(clock, &time)
        return time
    }
}
