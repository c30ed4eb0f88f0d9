/// Which refusals of callers without a credential are recorded one by one: the first twenty of each second. The others are
/// recorded as a sum when the second is over: such calls cost the caller nothing, and must not fill the disk.
struct RefusalTally {
    static let interval = Duration.seconds(1)
    private static let singlesAtMost = 20

    private var end: ContinuousClock.Instant?
    private var singles = 0
    private var withheld: [AuditEvent.Action: Int] = [:]

    /// What is done about a refusal.
    enum Verdict {
        /// Record it on its own.
        case record
        /// Add it to the sum. It is the first one, so the sum must be scheduled for the end of the interval.
        case beginSum
        /// Add it to the sum.
        case count
    }

    mutating func take(_ action: AuditEvent.Action, now: ContinuousClock.Instant) -> Verdict {
        if end.map({ now >= $0 }) ?? true {
            end = now + Self.interval
            singles = 0
        }
        guard singles >= Self.singlesAtMost else {
            singles += 1
            return .record
        }
        let isFirst = withheld.isEmpty
        withheld[action, default: 0] += 1
        return isFirst ? .beginSum : .count
    }

    /// How many were not recorded, by action. The counts start again from zero.
    mutating func takeSums() -> [(action: AuditEvent.Action, count: Int)] {
        defer { withheld = [:] }
        return withheld.map { ($0.key, $0.value) }.sorted { $0.0.rawValue < $1.0.rawValue }
    }
}
