import EventIO

/// Which of those who are turned away are recorded one by one: the first twenty of each second. The others are recorded together,
/// when it is over: anybody may call without a credential as often as he likes, and the disk is not to be filled by that.
struct RefusalTally {
    static let interval = Duration.seconds(1)
    private static let toldApart = 20

    private var end: MonotonicTime?
    private var told = 0
    private var withheld: [AuditEvent.Action: Int] = [:]

    /// What is to be done about a refusal.
    enum Verdict {
        case record
        /// It is counted; it is the first of its interval, at whose end the sum is due.
        case beginSum
        case count
    }

    mutating func take(_ action: AuditEvent.Action, now: MonotonicTime) -> Verdict {
        if end.map({ now >= $0 }) ?? true {
            end = now + Self.interval
            told = 0
        }
        guard told >= Self.toldApart else {
            told += 1
            return .record
        }
        let isFirst = withheld.isEmpty
        withheld[action, default: 0] += 1
        return isFirst ? .beginSum : .count
    }

    /// How many were not recorded, by what they wanted to do; from now on none.
    mutating func takeSums() -> [(action: AuditEvent.Action, count: Int)] {
        defer { withheld = [:] }
        return withheld.map { ($0.key, $0.value) }.sorted { $0.0.rawValue < $1.0.rawValue }
    }
}
