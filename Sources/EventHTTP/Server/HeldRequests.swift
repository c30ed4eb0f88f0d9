/// What the connections of one loop hold of requests, and whose it is. A client can send slowly on every connection that it may have, so
/// their sum is bounded. Beyond the limit requests that are not complete are given up of those addresses that hold most: one address cannot
/// have the requests of others refused. A value without I/O.
struct HeldRequests<Owner: AnyObject> {
    private struct Entry {
        /// In the order in which the requests began.
        let number: Int
        var bytes: Int
        /// Retained here alone: what has been removed must not stay in memory with what it has received.
        let owner: Owner
        let subscriber: Subscriber
        /// A complete request is always handled.
        var isComplete = false
    }

    private var entries: [ObjectIdentifier: Entry] = [:]
    private var held: [Subscriber: Int] = [:]
    private var count = 0
    private(set) var used = 0

    /// What is received of a request of `owner` occupies `bytes`.
    mutating func set(_ bytes: Int, for owner: Owner, of subscriber: Subscriber) {
        let id = ObjectIdentifier(owner)
        if let entry = entries[id] {
            add(bytes - entry.bytes, to: entry.subscriber)
            entries[id]?.bytes = bytes
        } else {
            count &+= 1
            entries[id] = Entry(number: count, bytes: bytes, owner: owner, subscriber: subscriber)
            add(bytes, to: subscriber)
        }
    }

    /// The request of `owner` is complete: it still counts for its address, and is not given up any more.
    mutating func complete(_ owner: Owner) { entries[ObjectIdentifier(owner)]?.isComplete = true }

    /// The request of `owner` is held no more.
    mutating func remove(_ owner: Owner) {
        guard let entry = entries.removeValue(forKey: ObjectIdentifier(owner)) else { return }
        add(-entry.bytes, to: entry.subscriber)
    }

    private mutating func add(_ bytes: Int, to subscriber: Subscriber) {
        used += bytes
        let sum = held[subscriber, default: 0] + bytes
        held[subscriber] = sum > 0 ? sum : nil
    }

    /// The bytes of all requests of an address.
    func bytes(of subscriber: Subscriber) -> Int { held[subscriber, default: 0] }

    /// What each address may hold at most if all together are to hold `excess` bytes less.
    func level(without excess: Int) -> Int {
        let descending = held.values.sorted(by: >)
        var sum = 0
        for (index, bytes) in descending.enumerated() {
            sum += bytes
            let level = (sum - excess) / (index + 1)
            if index + 1 < descending.count, level >= descending[index + 1] { return level }
        }
        return max(0, sum - excess) / max(1, descending.count)
    }

    /// Removes and returns the owners of the oldest requests of each address that holds more than `level`, until it does not, or the others
    /// are complete.
    ///
    /// - Parameter address: the only one that is looked at; nil for all.
    mutating func popOldest(above level: Int, of address: Subscriber? = nil) -> [Owner] {
        let oldestFirst = entries.values.filter { entry in
            !entry.isComplete && (address ?? entry.subscriber) == entry.subscriber
                && bytes(of: entry.subscriber) > level
        }
        .sorted { $0.number < $1.number }
        var owners: [Owner] = []
        for entry in oldestFirst where bytes(of: entry.subscriber) > level {
            remove(entry.owner)
            owners.append(entry.owner)
        }
        return owners
    }
}
