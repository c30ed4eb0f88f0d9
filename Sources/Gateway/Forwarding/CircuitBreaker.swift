import Configuration
import EventIO
import Synchronization

/// Rests the upstream of one route while it keeps failing: its callers get their answer at once, and it gets time to recover.
/// Shared by all loops.
final class CircuitBreaker: Sendable {
    /// Name of the route.
    let route: String
    private let state: Mutex<CircuitState>
    /// Whether `state` has nothing to remember, so that a healthy upstream costs no lock. A moment's disagreement between the
    /// two is a failure counted late, no more.
    private let isCalm = Atomic<Bool>(true)
    private let isOff: Bool
    /// How often it began to rest.
    let rests = Counter()
    /// Requests refused meanwhile.
    let refusals = Counter()

    init(_ settings: Route.Breaker, route: String) {
        self.route = route
        isOff = settings.failures == 0
        state = Mutex(CircuitState(limit: settings.failures, rest: settings.rest.wholeMilliseconds))
    }

    var isResting: Bool { state.withLock { $0.isResting } }

    /// For how many milliseconds more nobody may ask, for those who have something to do before they do; nil if somebody may.
    var wait: Int64? {
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

    /// Whether the rest begins with this failure.
    func failed(_ admission: CircuitState.Admission) -> Bool {
        if isOff { return false }
        let begins = state.withLock {
            let begins = $0.failed(admission, at: MonotonicTime.now.milliseconds)
            isCalm.store($0.isCalm, ordering: .relaxed)
            return begins
        }
        if begins { rests.add() }
        return begins
    }

    func abandoned(_ admission: CircuitState.Admission) {
        if admission == .probe { state.withLock { $0.abandoned(admission) } }
    }
}
