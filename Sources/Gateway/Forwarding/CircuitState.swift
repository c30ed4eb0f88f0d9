/// The state of a circuit breaker, as a value without a clock: time is passed in, in milliseconds of a monotonic clock.
struct CircuitState: Sendable {
    enum Admission: Equatable, Sendable {
        /// The circuit is closed: send.
        case pass
        /// The circuit is half open: send, as the only one, to see whether the upstream has recovered.
        case probe
        /// The circuit is open for so many milliseconds more: do not send.
        case refused(wait: Int64)
    }

    private let limit: Int
    private let openTime: Int64
    private var failures = 0
    /// When the next probe is allowed; nil while the circuit is closed.
    private var openUntil: Int64?
    private var isProbing = false

    /// - Parameters:
    ///   - limit: failures in a row that open the circuit.
    ///   - openTime: milliseconds until the first probe.
    init(limit: Int, openTime: Int64) {
        self.limit = limit
        self.openTime = openTime
    }

    /// Whether the circuit is closed and has no failures.
    var isCalm: Bool { failures == 0 && openUntil == nil }

    var isOpen: Bool { openUntil != nil }

    /// Milliseconds until a request may be sent; nil if one may be sent now.
    func wait(at now: Int64) -> Int64? {
        guard let openUntil, now < openUntil || isProbing else { return nil }
        return max(openUntil - now, 1)
    }

    mutating func admit(at now: Int64) -> Admission {
        if let wait = wait(at: now) { return .refused(wait: wait) }
        guard openUntil != nil else { return .pass }
        isProbing = true
        return .probe
    }

    /// The upstream has responded. A request from before the circuit opened does not close it.
    mutating func succeeded(_ admission: Admission) {
        guard openUntil == nil || admission == .probe else { return }
        failures = 0
        openUntil = nil
        isProbing = false
    }

    /// The exchange failed; returns whether the circuit opens with it.
    mutating func failed(_ admission: Admission, at now: Int64) -> Bool {
        if openUntil != nil {
            guard admission == .probe else { return false }
        } else {
            failures += 1
            guard failures >= limit else { return false }
        }
        isProbing = false
        openUntil = now + openTime
        return true
    }

    /// The exchange ended without a result that is about the upstream. Another request may probe.
    mutating func abandoned(_ admission: Admission) {
        if admission == .probe { isProbing = false }
    }
}
