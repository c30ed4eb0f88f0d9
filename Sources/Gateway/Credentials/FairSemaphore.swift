import Synchronization

/// A counting semaphore with a bounded queue that is fair between client addresses.
///
/// A subscriber holds one permit at a time, so that the failure of one secret is counted before its next is checked. The next permit goes
/// to another subscriber than the last if one waits. When the queue is full, the newest waiter of the subscriber with the most waiters is
/// rejected; among several with as many, that of the one with more failures. So one subscriber cannot fill the queue for all others, nor
/// can many that have failed keep out one that has not.
///
/// Nor can all strangers together: subscribers that have proved a secret lately are known, and all others are the public, which together
/// has half of the queue, and every other turn while known subscribers wait.
///
/// Limit: an attacker with more addresses than the queue has places fills the public's half as long as these addresses have no failures.
/// Each of them has one after its first check, so the attack needs a new address for every check, and it never keeps out known subscribers.
final class FairSemaphore: Sendable {
    private struct Waiter {
        let subscriber: String
        /// How many of its secrets were wrong, when it came.
        let failures: Int
        let continuation: UnsafeContinuation<Bool, Never>
    }

    /// Those who wait, of the public or of the known subscribers.
    private struct Line {
        var waiters: [Waiter] = []
        /// Subscriber of the last waiter that was admitted.
        private var lastSubscriber: String?

        /// Adds a waiter. Returns the one to be rejected for it if there are `limit`: the newest of the subscriber with the most, or of
        /// those with as many and the most failures; perhaps the new one itself.
        mutating func add(_ waiter: Waiter, limit: Int) -> Waiter? {
            guard waiters.count >= limit else {
                waiters.append(waiter)
                return nil
            }
            var counts = [waiter.subscriber: 1]
            for waiter in waiters { counts[waiter.subscriber, default: 0] += 1 }
            func claim(_ waiter: Waiter) -> (Int, Int) { (counts[waiter.subscriber, default: 0], waiter.failures) }
            let weakest = waiters.indices.max { claim(waiters[$0]) < claim(waiters[$1]) }
            guard let weakest, claim(waiter) < claim(waiters[weakest]),
                let index = waiters.lastIndex(where: { claim($0) == claim(waiters[weakest]) })
            else { return waiter }
            waiters.append(waiter)
            return waiters.remove(at: index)
        }

        /// - Parameter holders: the subscribers that hold a permit.
        mutating func removeNext(besides holders: Set<String>) -> Waiter? {
            let others = waiters.indices.filter { !holders.contains(waiters[$0].subscriber) }
            guard let index = others.first(where: { waiters[$0].subscriber != lastSubscriber }) ?? others.first else {
                return nil
            }
            lastSubscriber = waiters[index].subscriber
            return waiters.remove(at: index)
        }
    }

    private struct State {
        var permits: Int
        /// The subscribers that hold a permit.
        var holders: Set<String> = []
        var known = Line()
        var publicLine = Line()
        /// Whether the last waiter that was admitted was a known one.
        var wasKnown = false

        var waiting: Int { known.waiters.count + publicLine.waiters.count }

        /// Whether the subscriber has got a permit.
        mutating func take(for subscriber: String) -> Bool {
            guard permits > 0, holders.insert(subscriber).inserted else { return false }
            permits -= 1
            return true
        }

        /// Gives a permit to the next of those whose subscriber has none.
        mutating func admitNext() -> Waiter? {
            guard permits > 0, let next = removeNext() else { return nil }
            holders.insert(next.subscriber)
            permits -= 1
            return next
        }

        private mutating func removeNext() -> Waiter? {
            let first = wasKnown ? nil : known.removeNext(besides: holders)
            if let next = first {
                wasKnown = true
                return next
            }
            if let next = publicLine.removeNext(besides: holders) {
                wasKnown = false
                return next
            }
            let next = known.removeNext(besides: holders)
            wasKnown = next != nil
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
        self.queueLimit = max(queueLimit, 2)
    }

    /// How many hold it or wait, and how many may.
    var usage: (used: Int, limit: Int) {
        state.withLock { (permits - $0.permits + $0.waiting, permits + queueLimit) }
    }

    /// How many wait.
    var waiting: Int { state.withLock { $0.waiting } }

    /// Waits for a permit. Returns true with one, to be returned by `release(from:)`; false if the caller was rejected.
    ///
    /// - Parameters:
    ///   - isKnown: whether a secret from this subscriber was right lately.
    ///   - failures: how many from it were wrong lately.
    func acquire(from subscriber: String, isKnown: Bool, failures: Int) async -> Bool {
        await withUnsafeContinuation { continuation in
            let waiter = Waiter(subscriber: subscriber, failures: failures, continuation: continuation)
            let (hasPermit, rejected) = state.withLock { state -> (Bool, Waiter?) in
                if state.take(for: subscriber) { return (true, nil) }
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

    /// Passes the permit of the subscriber on to the next waiter.
    func release(from subscriber: String) {
        // At most one may enter for it: the others wait for a permit, or for one of their own subscriber.
        let next = state.withLock { state -> Waiter? in
            state.holders.remove(subscriber)
            state.permits += 1
            return state.admitNext()
        }
        next?.continuation.resume(returning: true)
    }
}
