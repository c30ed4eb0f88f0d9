import Synchronization

/// What is known of the narrow spaces that are filling up: how full they are and, of those where draws keep colliding,
/// which aliases are still free.
///
/// A list of free aliases is a hint: the store still decides whether one is free. It is made once by looking at
/// the whole space, gives out each alias once, in random order, and gets back those that are deleted, expire or belong
/// to a request that failed; so a space is filled to its last alias at the cost of one look at it.
final class SpaceLedger: Sendable {
    private struct Knowledge {
        var fullness: Double
        var free: [UInt32]?
        /// Unix seconds.
        var listedAt: Int64 = 0
    }

    /// More spaces than this are not tracked at once.
    private static let limit = 256
    private let spaces = Mutex<[AliasSpace: Knowledge]>([:])

    init() {}

    /// How full the fullest known space of each format is, 0–1. Spaces in which no draw ever collided are not known.
    var fullness: [AliasFormat: Double] {
        spaces.withLock { spaces in
            spaces.reduce(into: [:]) { result, space in
                result[space.key.format] = max(result[space.key.format] ?? 0, space.value.fullness)
            }
        }
    }

    /// How full a space is, 0–1; nil if no draw from it ever collided.
    func fullness(of space: AliasSpace) -> Double? {
        spaces.withLock { $0.isEmpty ? nil : $0[space]?.fullness }
    }

    /// Notes a successful draw that was preceded by this many collisions: their share is how full the space is.
    func note(_ space: AliasSpace, collisions: Int) {
        spaces.withLock { spaces in
            guard collisions > 0 || !spaces.isEmpty else { return }
            let share = Double(collisions) / Double(collisions + 1)
            if let known = spaces[space] {
                guard known.free == nil else { return }
                spaces[space]?.fullness = known.fullness + (share - known.fullness) / 16
            } else if collisions > 0 {
                Self.makeRoom(&spaces)
                spaces[space] = Knowledge(fullness: share)
            }
        }
    }

    /// Whether the space's free aliases are listed.
    func isListed(_ space: AliasSpace) -> Bool {
        spaces.withLock { $0[space]?.free != nil }
    }

    /// Whether it was, and before that time.
    func wasListed(_ space: AliasSpace, before time: Int64) -> Bool {
        spaces.withLock { spaces in spaces[space].map { $0.free != nil && $0.listedAt < time } ?? false }
    }

    /// Lists the free aliases of a space, in the order in which they are to be given out.
    func list(_ space: AliasSpace, free: [UInt32], at time: Int64) {
        spaces.withLock { spaces in
            if spaces[space] == nil { Self.makeRoom(&spaces) }
            spaces[space] = Knowledge(
                fullness: Self.fullness(space, free: free.count), free: free, listedAt: time)
        }
    }

    /// Takes one of the listed aliases; `nil` if none is left.
    func next(_ space: AliasSpace) -> UInt32? {
        spaces.withLock { spaces in
            guard let index = spaces[space]?.free?.popLast() else { return nil }
            let left = spaces[space]?.free?.count ?? 0
            spaces[space]?.fullness = Self.fullness(space, free: left)
            return index
        }
    }

    /// Puts aliases back that are not taken any more, into every list that they belong to.
    ///
    /// - Parameter unlessListed: whether they are looked for in the lists, which takes time with their length.
    func released(_ aliases: [String], unlessListed: Bool = false) {
        guard !aliases.isEmpty else { return }
        spaces.withLock { spaces in
            // Over a copy of the keys alone, so that the lists are changed in place.
            for space in Array(spaces.keys) {
                guard let count = spaces[space]?.free?.count else { continue }
                var indexes = aliases.compactMap { space.index(of: $0.utf8).map(UInt32.init) }
                if unlessListed, let free = spaces[space]?.free { indexes.removeAll { free.contains($0) } }
                guard !indexes.isEmpty else { continue }
                spaces[space]?.free?.append(contentsOf: indexes)
                spaces[space]?.fullness = Self.fullness(space, free: count + indexes.count)
            }
        }
    }

    private static func fullness(_ space: AliasSpace, free: Int) -> Double {
        min(1, max(0, 1 - Double(free) / space.size))
    }

    /// Forgets the emptiest space when the table is full. A forgotten list is made again when it is needed.
    private static func makeRoom(_ spaces: inout [AliasSpace: Knowledge]) {
        guard spaces.count >= limit else { return }
        if let emptiest = spaces.min(by: { $0.value.fullness < $1.value.fullness }) {
            spaces[emptiest.key] = nil
        }
    }
}
