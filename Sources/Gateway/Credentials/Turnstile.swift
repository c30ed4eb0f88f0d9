import Synchronization

/// Lets so many in at once; others wait in line, and when the line is full they are turned away.
final class Turnstile: Sendable {
    private struct State {
        var free: Int
        var line: [UnsafeContinuation<Bool, Never>] = []
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
    func enter() async -> Bool {
        await withUnsafeContinuation { continuation in
            let answer = state.withLock { state -> Bool? in
                if state.free > 0 {
                    state.free -= 1
                    return true
                }
                if state.line.count >= places { return false }
                state.line.append(continuation)
                return nil
            }
            if let answer { continuation.resume(returning: answer) }
        }
    }

    /// Lets the first of the line in.
    func leave() {
        let next = state.withLock { state -> UnsafeContinuation<Bool, Never>? in
            if !state.line.isEmpty { return state.line.removeFirst() }
            state.free += 1
            return nil
        }
        next?.resume(returning: true)
    }
}
