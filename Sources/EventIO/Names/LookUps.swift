/// The names that are being looked up or queued for it, and the callers that wait for each. A value without I/O.
///
/// A name is looked up once for all its callers. It leaves the queue with its last caller, so that names whose callers have
/// given up do not delay others.
struct LookUps<Caller> {
    private struct Name {
        var callers: [(number: Int, caller: Caller)]
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

    /// Adds a caller for `host`. Returns its number, or `nil` if too many names wait.
    mutating func add(_ caller: Caller, for host: String) -> Int? {
        if names[host] == nil {
            guard queue.count < maximumQueue else { return nil }
            names[host] = Name(callers: [])
            queue.append(host)
        }
        count &+= 1
        names[host]?.callers.append((count, caller))
        return count
    }

    /// Removes a caller that has given up.
    mutating func remove(_ number: Int, for host: String) {
        guard var name = names[host] else { return }
        name.callers.removeAll { $0.number == number }
        guard name.callers.isEmpty, !name.isRunning else {
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

    /// A look-up has ended. Returns its callers.
    mutating func finish(_ host: String) -> [Caller] {
        names.removeValue(forKey: host)?.callers.map(\.caller) ?? []
    }
}
