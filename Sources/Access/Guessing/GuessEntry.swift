/// The distinct values of one caller and pattern. Most have one, which needs no memory of its own.
struct GuessEntry: TableEntry {
    /// A value's digest, and when it was last allowed as a new one: monotonic seconds.
    struct Observation: Sendable, Equatable {
        var value: UInt32
        var at: Int32
    }

    /// Seconds for which a value counts.
    var window: Int64 = 0
    private var isRefusing = false
    private var isReported = false
    /// In the table of reports, of the last value that was added; in the table of counts, of the reports that were merged last.
    private var revision: UInt64 = 0
    private var first: Observation?
    private var rest: [Observation] = []

    /// How many values are in the window: the more, the longer the entry is kept.
    func weight(at now: Int64) -> Int64 {
        let oldest = now - window
        var count: Int64 = 0
        if let first, Int64(first.at) > oldest { count += 1 }
        for observation in rest where Int64(observation.at) > oldest { count += 1 }
        return count
    }

    private func live(at now: Int64) -> [Observation] {
        let oldest = now - window
        return ((first.map { [$0] } ?? []) + rest).filter { Int64($0.at) > oldest }
    }

    /// Why a value is refused; nil if it may be counted, or was counted before.
    mutating func refusal(of value: UInt32, limit: Int, at now: Int64) -> GuessCounter.Verdict? {
        if rest.isEmpty, limit > 1 { return nil }
        let live = live(at: now)
        guard live.count >= limit, !live.contains(where: { $0.value == value }) else { return nil }
        defer { isRefusing = true }
        // Reports, and a limit that was lowered since, can leave more than `limit` values: so many must leave the window.
        let leaving = live.map(\.at).sorted()[live.count - limit]
        let wait = Int64(leaving) + window - now
        return .refused(retryAfter: Int(max(wait, 1)), isFirst: !isRefusing)
    }

    /// Counts a value, and returns what has to be reported: nothing while there is only one value.
    mutating func add(_ value: UInt32, at now: Int64) -> [Observation] {
        // The one value that most callers have, again.
        if let first, first.value == value, Int64(first.at) > now - window { return [] }
        let before = live(at: now)
        if before.isEmpty { isReported = false }
        guard !before.contains(where: { $0.value == value }) else { return [] }
        let observation = Observation(value: value, at: Int32(clamping: now))
        keep(before + [observation])
        isRefusing = false
        guard !before.isEmpty else { return [] }
        defer { isReported = true }
        return isReported ? [observation] : before + [observation]
    }

    /// Notes a value that another process reported.
    ///
    /// - Parameter revision: higher than that of any note before.
    mutating func note(_ value: UInt32, at time: Int64, revision: UInt64) {
        let before = live(at: time)
        guard !before.contains(where: { $0.value == value }), before.count < Self.reportedAtMost else { return }
        keep(before + [Observation(value: value, at: Int32(clamping: time))])
        self.revision = revision
    }

    /// Counts what was reported of the same pair, unless that was done before.
    mutating func merge(_ reported: GuessEntry, at now: Int64) {
        guard revision != reported.revision else { return }
        revision = reported.revision
        let before = live(at: now)
        let known = Set(before.map(\.value))
        let added = reported.live(at: now).filter { !known.contains($0.value) }
        keep(before + added.prefix(max(0, Self.reportedAtMost - before.count)))
    }

    private static let reportedAtMost = 1_000

    private mutating func keep(_ observations: [Observation]) {
        first = observations.first
        rest = Array(observations.dropFirst())
    }
}
