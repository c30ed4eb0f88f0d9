/// What happens to a value that does not fit its format, or whose alias space is used up.
public enum AliasFallback: String, CaseIterable, Sendable {
    /// The request is refused.
    case none
    /// The alias has the shape of `UUID`, under the name of the format that was asked for.
    case uuid
}

/// How a vault behaves. The defaults are those of the reference.
public struct VaultConfiguration: Sendable {
    /// Names the environment in UUID aliases.
    public var environment: VaultEnvironment = .sandbox
    /// Whether the same persistent value in the same format gets the same alias (`docs/reference/vault-api.md` section 5).
    public var reuse = true
    /// What to do with values that do not fit.
    public var fallback: AliasFallback = .none
    /// How long a volatile value lives, in milliseconds from its creation.
    public var volatileLifetime: Int64 = 3_600_000
    /// How many volatile aliases may be alive at once.
    public var volatileCapacity = 100_000
    /// How many reused values are remembered so that they are answered without asking the store.
    public var reuseCacheCapacity = 32_768
    /// After how many seconds a data key is replaced by a new one: a year, as NIST SP 800-57 part 1, 5.3.6 suggests.
    public var dataKeyLifetime: Int64 = 365 * 86_400
    /// How many seals one data key may make. Nonces of 192 bits would allow far more; a bound keeps keys changing.
    public var dataKeyUses: Int64 = 1 << 31
    /// Opens large values: a megabyte takes a millisecond, for which the other requests of a loop must not wait. Asked for when there is one;
    /// nil for the executor of the caller.
    public var largeValues: @Sendable () -> (any TaskExecutor)? = { nil }
    /// Where the time comes from.
    public var clock: VaultClock = .system

    /// The defaults.
    public init() {}

    /// The first whole second (Unix) by which a volatile value that is stored now has lived its time: not earlier, or a life of 900 ms could be
    /// over after a tenth of it. None shows a later end.
    func volatileEnd() -> Int64 { Self.wholeSeconds(clock.unixMilliseconds() + min(volatileLifetime, 1 << 50)) }

    /// Seconds after which no volatile value lives that lives now.
    var longestVolatileLife: Int64 { Self.wholeSeconds(min(volatileLifetime, 1 << 50)) }

    private static func wholeSeconds(_ milliseconds: Int64) -> Int64 {
        milliseconds / 1_000 + (milliseconds % 1_000 > 0 ? 1 : 0)
    }
}
