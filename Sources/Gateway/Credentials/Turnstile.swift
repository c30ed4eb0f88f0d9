import Synchronization

/// Lets so many in at once; others wait in line, by turns of where they come from, and when the line is full somebody is turned
/// away: of those who have the most in it, the last. So nobody fills it for all others.
final class Turnstile: Sendable {
    private struct Waiting {
        let origin: String
        let continuation: UnsafeContinuation<Bool, Never>
    }

    private struct State {
        var free: Int
        var line: [Waiting] = []
        /// Where the last came from who was let in from the line.
        var lastOrigin: String?

        /// Where whoever has to give way stands; nil if that is somebody from `origin` who is not in line yet.
        func place(givingWayTo origin: String) -> Int? {
            var counts = [origin: 1]
            for waiting in line { counts[waiting.origin, default: 0] += 1 }
            let most = counts.values.max() ?? 0
            guard counts[origin] != most else { return nil }
            return line.lastIndex { counts[$0.origin] == most }
        }

        mutating func takeNext() -> Waiting? {
            guard !line.isEmpty else { return nil }
            let next = line.remove(at: line.firstIndex { $0.origin != lastOrigin } ?? 0)
            lastOrigin = next.origin
            return next
        }
    }

    private let state: Mutex<State>
    private let places: Int

    /// - Parameters:
    ///   - free: how many may be in at once.
    ///   - places: how many may wait.
    init(free: Int, places: Int) {
        state = Mutex(State(free: max(free, 1)))
        self.places = places
    }

    /// How many stand in line.
    var waiting: Int { state.withLock { $0.line.count } }

    /// Whether the caller is in, and then must `leave()`; false if it was turned away.
    ///
    /// - Parameter origin: where it comes from.
    func enter(from origin: String) async -> Bool {
        await withUnsafeContinuation { continuation in
            let (known, turnedAway) = state.withLock { state -> (Bool?, Waiting?) in
                if state.free > 0 {
                    state.free -= 1
                    return (true, nil)
                }
                var turnedAway: Waiting?
                if state.line.count >= places {
                    guard let place = state.place(givingWayTo: origin) else { return (false, nil) }
                    turnedAway = state.line.remove(at: place)
                }
                state.line.append(Waiting(origin: origin, continuation: continuation))
                return (nil, turnedAway)
            }
            turnedAway?.continuation.resume(returning: false)
            if let known { continuation.resume(returning: known) }
        }
    }

    /// Lets the next of the line in.
    func leave() {
        let next = state.withLock { state -> Waiting? in
            if let next = state.takeNext() { return next }
            state.free += 1
            return nil
        }
        next?.continuation.resume(returning: true)
    }
}
