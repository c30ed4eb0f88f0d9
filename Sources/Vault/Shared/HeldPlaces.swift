import Synchronization

/// Places in the shares of this process's callers for the shared volatile aliases that it has made, and for their values: each is held
/// until its alias or value ends, or until this process removes that. A removal by another process shows only as fewer places that are
/// taken on the server than are held here: the oldest are released then.
final class HeldPlaces: Sendable {
    /// What a place is held for.
    private enum Holding: Hashable {
        case alias(ExactText)
        case value(Binding)
    }

    private struct Place {
        var objects: [any AnyObject & Sendable]
        var count: Int
        /// Both in milliseconds of the elapsed time.
        let since: Int64
        var end: Int64
    }

    private struct Held {
        var places: [Holding: Place] = [:]
        /// Places that are held in all.
        var count = 0
        /// Of new aliases whose values take more places than theirs, until these are held.
        var values: [ExactText: Binding] = [:]
        /// What places are held for, by the second in which it ends.
        var ends: [Int64: [Holding]] = [:]
        /// The second up to which those that ended were dropped.
        var droppedBy: Int64 = 0

        mutating func add(_ place: Place, for holding: Holding) {
            var place = place
            if let known = places[holding] {
                place.objects += known.objects
                place.count += known.count
                place.end = max(place.end, known.end)
            }
            count += place.count - (places[holding]?.count ?? 0)
            places[holding] = place
            ends[place.end / 1_000, default: []].append(holding)
        }

        mutating func remove(_ holding: Holding) -> Place? {
            let place = places.removeValue(forKey: holding)
            count -= place?.count ?? 0
            return place
        }
    }

    private let held = Mutex(Held())
    private let clock: VaultClock

    init(_ clock: VaultClock) {
        self.clock = clock
    }

    /// Notes which value an alias was made for, so that the places of the value can be held with it.
    func note(_ value: Binding, of alias: String, for seconds: Int64) {
        let end = end(in: seconds)
        held.withLock { held in
            held.values[ExactText(alias)] = value
            held.ends[end / 1_000, default: []].append(.alias(ExactText(alias)))
        }
    }

    /// Holds `place` until the alias is removed, and `further` until its value is, for so many seconds at the most.
    func keep(
        _ place: any AnyObject & Sendable, and further: FurtherPlaces? = nil, with alias: String, for seconds: Int64
    ) {
        let (now, end) = (clock.elapsedMilliseconds(), end(in: seconds))
        dropEnded()
        let name = ExactText(alias)
        held.withLock { held in
            let value = held.values.removeValue(forKey: name)
            guard held.places[.alias(name)] == nil else { return }
            held.add(Place(objects: [place], count: 1, since: now, end: end), for: .alias(name))
            guard let further, let value else { return }
            held.add(Place(objects: [further.object], count: further.count, since: now, end: end), for: .value(value))
        }
    }

    /// Holds further places of a value for so many seconds at the most.
    func keep(_ further: FurtherPlaces, of value: Binding, for seconds: Int64) {
        let (now, end) = (clock.elapsedMilliseconds(), end(in: seconds))
        held.withLock { held in
            held.add(Place(objects: [further.object], count: further.count, since: now, end: end), for: .value(value))
        }
    }

    /// Places that are held for a value, beside those of its aliases.
    func further(of value: Binding) -> Int { held.withLock { $0.places[.value(value)]?.count ?? 0 } }

    private func end(in seconds: Int64) -> Int64 { clock.elapsedMilliseconds() + max(0, seconds) * 1_000 }

    /// Drops those of aliases and values that are gone.
    func drop(_ aliases: [String], andValues values: [Binding] = []) {
        // Released after the lock: the `deinit` of a place takes the lock of its caller's shares.
        let dropped = held.withLock { held in
            for alias in aliases { held.values[ExactText(alias)] = nil }
            return (aliases.map { .alias(ExactText($0)) } + values.map { .value($0) }).map { held.remove($0) }
        }
        _ = consume dropped
    }

    /// Drops the oldest of those that were there at that time (milliseconds of the elapsed time), as long as those that are left are no fewer
    /// than were taken on the server then: the places of a large value are not given back for one alias that is gone.
    func keep(atMost count: Int, from time: Int64) {
        let dropped = held.withLock { held -> [Place] in
            guard held.count > count else { return [] }
            let known = held.places.filter { $0.value.since < time }.sorted { $0.value.since < $1.value.since }
            var (left, dropped) = (known.reduce(0) { $0 + $1.value.count }, [Place]())
            for (holding, place) in known where left - place.count >= count {
                left -= place.count
                _ = held.remove(holding)
                dropped.append(place)
            }
            return dropped
        }
        _ = consume dropped
    }

    /// Drops those whose aliases or values have ended; looks at most once a second.
    func dropEnded() {
        let now = clock.elapsedMilliseconds()
        let dropped = held.withLock { held -> [Place] in
            guard now / 1_000 > held.droppedBy else { return [] }
            held.droppedBy = now / 1_000
            var dropped: [Place] = []
            for second in Array(held.ends.keys) where second < now / 1_000 {
                for holding in held.ends.removeValue(forKey: second) ?? [] {
                    if case .alias(let name) = holding { held.values[name] = nil }
                    // The alias may have been given out again: a later place ends later.
                    guard let place = held.places[holding], place.end <= now else { continue }
                    dropped.append(place)
                    _ = held.remove(holding)
                }
            }
            return dropped
        }
        _ = consume dropped
    }
}
