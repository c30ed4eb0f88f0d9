import Synchronization

/// When a server that could not be reached is tried again. The threads that write share one, and those that read another: once any of
/// them has a connection, the others may try at once, and no request fails on a server that is back.
final class PostgresRest: Sendable {
    /// After a connection could not be made, requests fail at once for so long, or for as long as the attempt took.
    private static let shortest = Duration.seconds(1)

    private struct State {
        var end: ContinuousClock.Instant?
        var lastSuccess: ContinuousClock.Instant?
    }

    private let state = Mutex(State())

    /// Whether a connection may be tried.
    func isOver(at now: ContinuousClock.Instant) -> Bool {
        state.withLock { $0.end.map { now >= $0 } ?? true }
    }

    /// A connection was made.
    func noteSuccess(at now: ContinuousClock.Instant = .now) {
        state.withLock { $0 = State(lastSuccess: now) }
    }

    /// A connection that was tried from `began` on could not be made. One that was made meanwhile proves more.
    func noteFailure(since began: ContinuousClock.Instant, at now: ContinuousClock.Instant = .now) {
        state.withLock { state in
            if let success = state.lastSuccess, success >= began { return }
            // As long again as it took, at least.
            let end = now + max(Self.shortest, now - began)
            state.end = max(state.end ?? end, end)
        }
    }
}
