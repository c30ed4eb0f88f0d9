import Configuration
import EventIO
import Synchronization

/// The circuit breaker of one route: after too many failures in a row its callers get 503 at once, until a probe succeeds. Shared
/// by all loops.
final class CircuitBreaker: Sendable {
    /// Name of the route.
    let route: String
    private let state: Mutex<CircuitState>
    /// Whether `state` is closed and without failures, so that a healthy upstream costs no lock. The two may disagree for a moment:
    /// a failure is then counted late.
    private let isCalm = Atomic<Bool>(true)
    private let isOff: Bool
    /// How often the circuit has opened.
    let openings = Counter()
    /// Requests refused while the circuit breaker of their route was open.
    let refusals = Counter()

    init(_ settings: Route.Breaker, route: String) {
        self.route = route
        isOff = settings.failures == 0
        state = Mutex(CircuitState(limit: settings.failures, openTime: settings.rest.wholeMilliseconds))
    }

    var isOpen: Bool { state.withLock { $0.isOpen } }

    /// Milliseconds until the next probe is allowed, for callers that have work to do before they send: counted as a refusal. Nil if they
    /// may send.
    func refusal() -> Int64? {
        if isCalm.load(ordering: .relaxed) { return nil }
        let wait = state.withLock { $0.wait(at: MonotonicTime.now.milliseconds) }
        if wait != nil { refusals.add() }
        return wait
    }

    func admit() -> CircuitState.Admission {
        if isCalm.load(ordering: .relaxed) { return .pass }
        let admission = state.withLock { $0.admit(at: MonotonicTime.now.milliseconds) }
        if case .refused = admission { refusals.add() }
        return admission
    }

    func succeeded(_ admission: CircuitState.Admission) {
        if isCalm.load(ordering: .relaxed) { return }
        state.withLock {
            $0.succeeded(admission)
            isCalm.store($0.isCalm, ordering: .relaxed)
        }
    }

    /// Returns whether the circuit opens with this failure.
    func failed(_ admission: CircuitState.Admission) -> Bool {
        if isOff { return false }
        let opens = state.withLock {
            let opens = $0.failed(admission, at: MonotonicTime.now.milliseconds)
            isCalm.store($0.isCalm, ordering: .relaxed)
            return opens
        }
        if opens { openings.add() }
        return opens
    }

    func abandoned(_ admission: CircuitState.Admission) {
        if admission == .probe { state.withLock { $0.abandoned(admission) } }
    }

    /// The metrics of all routes.
    static func write(_ breakers: [CircuitBreaker], into text: inout MetricsText) {
        text.begin("cloakroom_upstream_resting", .gauge, "Whether the circuit breaker of a route is open.")
        for breaker in breakers { text.sample(["route": breaker.route], breaker.isOpen ? 1 : 0) }
        text.begin("cloakroom_upstream_rests_total", .counter, "Times that a circuit breaker has opened.")
        for breaker in breakers { text.sample(["route": breaker.route], Double(breaker.openings.value)) }
        text.begin("cloakroom_upstream_rest_refusals_total", .counter, "Requests refused while it was open.")
        for breaker in breakers { text.sample(["route": breaker.route], Double(breaker.refusals.value)) }
    }
}
