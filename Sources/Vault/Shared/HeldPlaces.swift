import Synchronization

/// Places in the shares of this process's callers for the shared volatile aliases that it has made: each is held until its alias ends, or
/// until this process removes the alias. A removal by another process shows only as fewer aliases on the server than places here: the
/// oldest are released then.
final class HeldPlaces: Sendable {
    private struct Place {
        let object: any AnyObject & Sendable
        /// Both in milliseconds of the elapsed time.
        let since: Int64
        let end: Int64
    }

    private struct Held {
        var places: [ExactText: Place] = [:]
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

    /// Holds `place` for so many seconds at the most.
    func keep(_ place: any AnyObject & Sendable, with alias: String, for seconds: Int64) {
        let now = clock.elapsedMilliseconds()
        let end = now + max(0, seconds) * 1_000
        dropEnded()
        let name = ExactText(alias)
        held.withLock { held in
            guard held.places[name] == nil else { return }
            held.places[name] = Place(object: place, since: now, end: end)
            held.ends[end / 1_000, default: []].append(name)
        }
    }

    /// Drops those of aliases that are gone.
    func drop(_ aliases: [String]) {
        // Released after the lock: the `deinit` of a place takes the lock of its caller's shares.
        let dropped = held.withLock { held in aliases.map { held.places.removeValue(forKey: ExactText($0)) } }
        _ = consume dropped
    }

    /// Drops the oldest of those that were there at that time (milliseconds of the elapsed time), until no more are left than the server
    /// had aliases then.
    func keep(atMost count: Int, from time: Int64) {
        let dropped = held.withLock { held -> [Place] in
            guard held.places.count > count else { return [] }
            let known = held.places.filter { $0.value.since < time }.sorted { $0.value.since < $1.value.since }
            let gone = known.prefix(max(0, known.count - count))
            for (name, _) in gone { held.places[name] = nil }
            return gone.map(\.value)
        }
        _ = consume dropped
    }

    /// Drops those whose aliases have ended; looks at most once a second.
    func dropEnded() {
        let now = clock.elapsedMilliseconds()
        let dropped = held.withLock { held -> [Place] in
            guard now / 1_000 > held.droppedBy else { return [] }
            held.droppedBy = now / 1_000
            var dropped: [Place] = []
            for second in Array(held.ends.keys) where second < now / 1_000 {
                for name in held.ends.removeValue(forKey: second) ?? [] {
                    // The alias may have been given out again: a later place ends later.
                    guard let place = held.places[name], place.end <= now else { continue }
                    dropped.append(place)
                    held.places[name] = nil
                }
            }
            return dropped
        }
        _ = consume dropped
    }
}
