/// The names that are being looked up or wait for it, and who waits for each. A value without I/O.
///
/// A name is looked up once for all that wait for it. One that is waited for no longer leaves the queue, so that names whose
/// callers have given up do not delay others.
struct LookUps<Waiter> {
    private struct Name {
        var waiters: [(number: Int, waiter: Waiter)]
        var isRunning = false
    }

    private let maximumQueue: Int
    private var names: [String: Name] = [:]
    /// Names to be looked up, in the order in which they came.
    private var queue: [String] = []
    private var count = 0

    /// - Parameter maximumQueue: how many names may wait while all threads are busy.
    init(maximumQueue: Int) { self.maximumQueue = maximumQueue }

    var isQueueEmpty: Bool { queue.isEmpty }

    /// Adds a waiter for `host`. Returns its number, or `nil` if too many names wait.
    mutating func add(_ waiter: Waiter, for host: String) -> Int? {
        if names[host] == nil {
            guard queue.count < maximumQueue else { return nil }
            names[host] = Name(waiters: [])
            queue.append(host)
        }
        count &+= 1
        names[host]?.waiters.append((count, waiter))
        return count
    }

    /// Removes a waiter that has given up.
    mutating func remove(_ number: Int, for host: String) {
        guard var name = names[host] else { return }
        name.waiters.removeAll { $0.number == number }
        guard name.waiters.isEmpty, !name.isRunning else {
            names[host] = name
            return
        }
        names[host] = nil
        queue.removeAll { $0 == host }
    }

    /// The next name to be looked up.
    mutating func next() -> String? {
        guard !queue.isEmpty else { return nil }
        let host = queue.removeFirst()
        names[host]?.isRunning = true
        return host
    }

    /// A look-up has ended. Returns who waits for it.
    mutating func finish(_ host: String) -> [Waiter] {
        names.removeValue(forKey: host)?.waiters.map(\.waiter) ?? []
    }
}
