import EventIO

/// The open connections of one loop, and how many of them each client address has.
///
/// An address can hold as many connections as the server may have. So beyond the limit one of its connections is displaced for a client
/// whose address has fewer: an address that only keeps connections open does not exclude others. A value without I/O.
struct OpenConnections<Owner: AnyObject> {
    private struct Entry {
        let owner: Owner
        var subscriber: Subscriber
    }

    private var entries: [Entry] = []
    /// Where each one stands in `entries`.
    private var indexes: [ObjectIdentifier: Int] = [:]
    private var counts: [Subscriber: Int] = [:]

    /// How many of a larger number are looked at for one to be displaced. An address that has a tenth of all is missed once in 800 times;
    /// one that has half of them, never.
    private static var looks: Int { 64 }

    var count: Int { entries.count }
    var owners: some Sequence<Owner> { entries.lazy.map(\.owner) }

    mutating func add(_ owner: Owner, from subscriber: Subscriber) {
        indexes[ObjectIdentifier(owner)] = entries.count
        entries.append(Entry(owner: owner, subscriber: subscriber))
        counts[subscriber, default: 0] += 1
    }

    mutating func remove(_ owner: Owner) {
        guard let index = indexes.removeValue(forKey: ObjectIdentifier(owner)) else { return }
        leave(entries[index].subscriber)
        entries.swapAt(index, entries.count - 1)
        entries.removeLast()
        if index < entries.count { indexes[ObjectIdentifier(entries[index].owner)] = index }
    }

    /// The header of the PROXY protocol has said where a connection comes from.
    mutating func move(_ owner: Owner, to subscriber: Subscriber) {
        guard let index = indexes[ObjectIdentifier(owner)] else { return }
        leave(entries[index].subscriber)
        entries[index].subscriber = subscriber
        counts[subscriber, default: 0] += 1
    }

    private mutating func leave(_ subscriber: Subscriber) {
        let count = counts[subscriber, default: 1] - 1
        counts[subscriber] = count > 0 ? count : nil
    }

    /// One of the connections that may be displaced for `owner`'s: of the address that has most among those that are looked at, and more
    /// than `owner`'s has; of those the one that has waited for longest. Nil if there is none.
    ///
    /// - Parameter waitingSince: since when a connection waits for its client; nil if it may not be displaced.
    func candidate(toDisplaceFor owner: Owner, waitingSince: (Owner) -> MonotonicTime?) -> Owner? {
        guard let own = indexes[ObjectIdentifier(owner)] else { return nil }
        var most = counts[entries[own].subscriber, default: 0]
        var found: (owner: Owner, since: MonotonicTime)?
        // From anywhere, and then in equal steps: connections of one address stand together where they came together.
        let (start, step) = (Int.random(in: entries.indices), max(1, entries.count / Self.looks))
        for look in 0..<min(entries.count, Self.looks) {
            let entry = entries[(start + look * step) % entries.count]
            guard let since = waitingSince(entry.owner) else { continue }
            let count = counts[entry.subscriber, default: 0]
            guard count > most || count == most && found.map({ since < $0.since }) ?? false else { continue }
            (found, most) = ((entry.owner, since), count)
        }
        return found?.owner
    }
}
