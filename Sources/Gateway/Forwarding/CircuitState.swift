/// Whether an upstream is asked or rested. A value without a clock: time is passed in, as milliseconds of one that never jumps.
struct CircuitState: Sendable {
    enum Admission: Equatable, Sendable {
        /// Ask.
        case pass
        /// Ask, as the only one, to see whether the upstream has come back.
        case probe
        /// Do not ask, for so many milliseconds more.
        case refused(wait: Int64)
    }

    private let limit: Int
    private let rest: Int64
    private var failures = 0
    /// While it is rested: until when.
    private var restsUntil: Int64?
    private var isProbing = false

    /// After `limit` failures in a row the upstream is rested for `rest` milliseconds, then probed.
    init(limit: Int, rest: Int64) {
        self.limit = limit
        self.rest = rest
    }

    /// Whether there is nothing to remember.
    var isCalm: Bool { failures == 0 && restsUntil == nil }

    var isResting: Bool { restsUntil != nil }

    /// For how many milliseconds more nobody may ask; nil if somebody may.
    func wait(at now: Int64) -> Int64? {
        guard let restsUntil, now < restsUntil || isProbing else { return nil }
        return max(restsUntil - now, 1)
    }

    mutating func admit(at now: Int64) -> Admission {
        if let wait = wait(at: now) { return .refused(wait: wait) }
        guard restsUntil != nil else { return .pass }
        isProbing = true
        return .probe
    }

    /// The upstream answered. What was asked before the rest began says nothing of now.
    mutating func succeeded(_ admission: Admission) {
        guard restsUntil == nil || admission == .probe else { return }
        failures = 0
        restsUntil = nil
        isProbing = false
    }

    /// The exchange failed; whether the rest begins with it.
    mutating func failed(_ admission: Admission, at now: Int64) -> Bool {
        if restsUntil != nil {
            guard admission == .probe else { return false }
        } else {
            failures += 1
            guard failures >= limit else { return false }
        }
        isProbing = false
        restsUntil = now + rest
        return true
    }

    /// The exchange ended without a word about the upstream. Another may probe.
    mutating func abandoned(_ admission: Admission) {
        if admission == .probe { isProbing = false }
    }
}
