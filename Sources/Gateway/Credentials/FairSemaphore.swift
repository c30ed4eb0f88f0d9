import Synchronization

/// A counting semaphore with a bounded queue that is fair between client addresses: the next to enter comes from another
/// subscriber than the last if one waits, and when the queue is full, the newest waiter of the subscriber with the most waiters is
/// rejected. So one subscriber can't fill the queue for all others.
///
/// Nor can many: subscribers that have proved a secret lately are known, and all others are the public, which together has half of the
/// queue, and every other turn while known subscribers wait.
final class FairSemaphore: Sendable {
    private struct Waiter {
        let subscriber: String
        let continuation: UnsafeContinuation<Bool, Never>
    }

    /// Those who wait, of the public or of the known subscribers.
    private struct Line {
        var waiters: [Waiter] = []
        /// Subscriber of the last waiter that was admitted.
        private var lastSubscriber: String?

        /// Adds a waiter. Returns the one to be rejected for it if there are `limit`: the newest of the subscriber with the most, perhaps
        /// the new one itself.
        mutating func add(_ waiter: Waiter, limit: Int) -> Waiter? {
            guard waiters.count >= limit else {
                waiters.append(waiter)
                return nil
            }
            var counts = [waiter.subscriber: 1]
            for waiter in waiters { counts[waiter.subscriber, default: 0] += 1 }
            let most = counts.values.max() ?? 0
            guard counts[waiter.subscriber] != most,
                let index = waiters.lastIndex(where: { counts[$0.subscriber] == most })
            else { return waiter }
            waiters.append(waiter)
            return waiters.remove(at: index)
        }

        mutating func removeNext() -> Waiter? {
            guard !waiters.isEmpty else { return nil }
            let next = waiters.remove(at: waiters.firstIndex { $0.subscriber != lastSubscriber } ?? 0)
            lastSubscriber = next.subscriber
            return next
        }
    }

    private struct State {
        var permits: Int
        var known = Line()
        var publicLine = Line()
        /// Whether the last waiter that was admitted was a known one.
        var wasKnown = false

        var waiting: Int { known.waiters.count + publicLine.waiters.count }

        mutating func removeNext() -> Waiter? {
            wasKnown = known.waiters.isEmpty ? false : !wasKnown || publicLine.waiters.isEmpty
            return wasKnown ? known.removeNext() : publicLine.removeNext()
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
        self.queueLimit = max(queueLimit, 2)
    }

    /// How many hold it or wait, and how many may.
    var usage: (used: Int, limit: Int) {
        state.withLock { (permits - $0.permits + $0.waiting, permits + queueLimit) }
    }

    /// How many wait.
    var waiting: Int { state.withLock { $0.waiting } }

    /// Waits for a permit. Returns true with one, to be returned by `release()`; false if the caller was rejected.
    ///
    /// - Parameter isKnown: whether a secret from this subscriber was right lately.
    func acquire(from subscriber: String, isKnown: Bool = false) async -> Bool {
        await withUnsafeContinuation { continuation in
            let waiter = Waiter(subscriber: subscriber, continuation: continuation)
            let (hasPermit, rejected) = state.withLock { state -> (Bool, Waiter?) in
                if state.permits > 0 {
                    state.permits -= 1
                    return (true, nil)
                }
                if isKnown {
                    return (false, state.known.add(waiter, limit: queueLimit - state.publicLine.waiters.count))
                }
                let limit = min(queueLimit / 2, queueLimit - state.known.waiters.count)
                return (false, state.publicLine.add(waiter, limit: limit))
            }
            rejected?.continuation.resume(returning: false)
            if hasPermit { continuation.resume(returning: true) }
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
