import Synchronization

/// Runs the passes of one kind of work in the background, one after the other.
final class PassRunner: Sendable {
    /// How long a stop waits: a step may be waiting for a database that does not respond.
    private static let longestStop = Duration.seconds(5)

    private struct State {
        var isRunning = false
        /// Work may have become due that the running pass has already gone past.
        var isDue = false
        var isStopping = false
    }

    private let state = Mutex(State())

    /// Begins a pass, or has one more follow the one that is running; returns at once. After `stop()` nothing begins.
    func wake(_ pass: @escaping @Sendable () async -> Void) {
        let begins = state.withLock { state in
            guard !state.isStopping else { return false }
            state.isDue = true
            defer { state.isRunning = true }
            return !state.isRunning
        }
        guard begins else { return }
        Task { while takeDue() { await pass() } }
    }

    /// If true, a pass ends after its present step.
    var isStopping: Bool { state.withLock { $0.isStopping } }

    /// Returns once no pass is running, or after five seconds.
    func stop() async {
        state.withLock { $0.isStopping = true }
        let deadline = ContinuousClock.now + Self.longestStop
        while state.withLock({ $0.isRunning }), ContinuousClock.now < deadline {
            try? await Task.sleep(for: .milliseconds(5))
        }
    }

    /// Whether there may be something to do; if not, the task has ended.
    private func takeDue() -> Bool {
        state.withLock { state in
            guard state.isDue, !state.isStopping else {
                state.isRunning = false
                return false
            }
            state.isDue = false
            return true
        }
    }
}
