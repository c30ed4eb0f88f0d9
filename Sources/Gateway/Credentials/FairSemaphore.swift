import Synchronization

/// A counting semaphore with a bounded queue that is fair between origins (client addresses): the next to enter comes from another
/// origin than the last if one waits, and when the queue is full, the newest waiter of the origin with the most waiters is
/// rejected. So one origin can't fill the queue for all others.
final class FairSemaphore: Sendable {
    private struct Waiter {
        let origin: String
        let continuation: UnsafeContinuation<Bool, Never>
    }

    private struct State {
        var permits: Int
        var queue: [Waiter] = []
        /// Origin of the last waiter that was admitted.
        var lastOrigin: String?

        /// Index of the waiter to reject for a newcomer from `origin`; nil if the newcomer's own origin has the most waiters.
        func indexToReject(for origin: String) -> Int? {
            var counts = [origin: 1]
            for waiter in queue { counts[waiter.origin, default: 0] += 1 }
            let most = counts.values.max() ?? 0
            guard counts[origin] != most else { return nil }
            return queue.lastIndex { counts[$0.origin] == most }
        }

        mutating func removeNext() -> Waiter? {
            guard !queue.isEmpty else { return nil }
            let next = queue.remove(at: queue.firstIndex { $0.origin != lastOrigin } ?? 0)
            lastOrigin = next.origin
            return next
        }
    }

    private let state: Mutex<State>
    private let queueLimit: Int
    private let permits: Int

    /// - Parameters:
    ///   - permits: how many may hold it at once; at least one.
    ///   - queueLimit: how many may wait.
    init(permits: Int, queueLimit: Int) {
        self.permits = max(permits, 1)
        state = Mutex(State(permits: max(permits, 1)))
        self.queueLimit = queueLimit
    }

    /// How many hold it or wait, and how many may.
    var usage: (used: Int, limit: Int) {
        state.withLock { (permits - $0.permits + $0.queue.count, permits + queueLimit) }
    }

    /// How many wait.
    var waiting: Int { state.withLock { $0.queue.count } }

    /// Waits for a permit. Returns true with one, to be returned by `release()`; false if the caller was rejected.
    func acquire(from origin: String) async -> Bool {
        await withUnsafeContinuation { continuation in
            let (result, rejected) = state.withLock { state -> (Bool?, Waiter?) in
                if state.permits > 0 {
                    state.permits -= 1
                    return (true, nil)
                }
                var rejected: Waiter?
                if state.queue.count >= queueLimit {
                    guard let index = state.indexToReject(for: origin) else { return (false, nil) }
                    rejected = state.queue.remove(at: index)
                }
                state.queue.append(Waiter(origin: origin, continuation: continuation))
                return (nil, rejected)
            }
            rejected?.continuation.resume(returning: false)
            if let result { continuation.resume(returning: result) }
        }
    }

    /// Passes the permit on to the next waiter.
    func release() {
        let next = state.withLock { state -> Waiter? in
            if let next = state.removeNext() { return next }
            state.permits += 1
            return nil
        }
        next?.continuation.resume(returning: true)
    }
}
