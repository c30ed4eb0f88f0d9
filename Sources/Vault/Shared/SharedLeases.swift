import Synchronization

/// What callers of this process hold for the shared volatile aliases that it has made: each until its alias ends, or until this process
/// removes the alias. A removal by another process shows only as fewer aliases on the server than are held for here: the oldest are
/// released then.
final class SharedLeases: Sendable {
    private struct Lease {
        let object: any AnyObject & Sendable
        /// Both in milliseconds of the elapsed time.
        let since: Int64
        let end: Int64
    }

    private struct Held {
        var leases: [ExactText: Lease] = [:]
        /// Aliases by the second in which they end.
        var ends: [Int64: [ExactText]] = [:]
        /// The second up to which those that ended were dropped.
        var droppedBy: Int64 = 0
    }

    private let held = Mutex(Held())
    private let clock: VaultClock

    init(_ clock: VaultClock) {
        self.clock = clock
    }

    /// Keeps `lease` for so many seconds at the most.
    func keep(_ lease: any AnyObject & Sendable, with alias: String, for seconds: Int64) {
        let now = clock.elapsedMilliseconds()
        let end = now + max(0, seconds) * 1_000
        dropEnded()
        let name = ExactText(alias)
        held.withLock { held in
            guard held.leases[name] == nil else { return }
            held.leases[name] = Lease(object: lease, since: now, end: end)
            held.ends[end / 1_000, default: []].append(name)
        }
    }

    /// Drops those of aliases that are gone.
    func drop(_ aliases: [String]) {
        // Out of the lock: the end of a lease calls who gave it.
        let dropped = held.withLock { held in aliases.map { held.leases.removeValue(forKey: ExactText($0)) } }
        _ = consume dropped
    }

    /// Drops the oldest of those that were there at that time (milliseconds of the elapsed time), until no more are left than the server
    /// had aliases then.
    func keep(atMost count: Int, from time: Int64) {
        let dropped = held.withLock { held -> [Lease] in
            guard held.leases.count > count else { return [] }
            let known = held.leases.filter { $0.value.since < time }.sorted { $0.value.since < $1.value.since }
            let gone = known.prefix(max(0, known.count - count))
            for (name, _) in gone { held.leases[name] = nil }
            return gone.map(\.value)
        }
        _ = consume dropped
    }

    /// Drops those whose aliases have ended; looks at most once a second.
    func dropEnded() {
        let now = clock.elapsedMilliseconds()
        let dropped = held.withLock { held -> [Lease] in
            guard now / 1_000 > held.droppedBy else { return [] }
            held.droppedBy = now / 1_000
            var dropped: [Lease] = []
            for second in Array(held.ends.keys) where second < now / 1_000 {
                for name in held.ends.removeValue(forKey: second) ?? [] {
                    // The alias may have been given out again: a later lease ends later.
                    guard let lease = held.leases[name], lease.end <= now else { continue }
                    dropped.append(lease)
                    held.leases[name] = nil
                }
            }
            return dropped
        }
        _ = consume dropped
    }
}
