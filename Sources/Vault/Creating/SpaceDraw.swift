import Crypto
import Sensitive

/// Drawing of a free alias from a narrow space.
struct SpaceDraw {
    let space: AliasSpace
    /// The alias must differ from this.
    let value: SensitiveText
    let spaces: SpaceLedger
    /// Where values expire, whose aliases are free then.
    let volatile: VolatileStore
    let random: RandomPool
    /// Where the aliases that are taken can be looked up.
    let taken: any AliasReading
    /// Whether other processes take and free aliases, too.
    let isShared: Bool
    /// Unix seconds.
    let now: Int64

    /// Draws until `take` accepts an alias; `nil` once the space is used up.
    ///
    /// Random draws come first: they are all that is needed until some 98 in 100 aliases are taken. When they keep
    /// colliding, the aliases that are still free are listed and given out in random order down to the last one.
    /// Spaces of more than 20 million combinations are not listed; they are given up after 4,096 draws.
    func run(_ take: (String) throws(VaultError) -> Bool) throws(VaultError) -> String? {
        if !spaces.isListed(space) {
            if let alias = try drawAtRandom(take) { return alias }
            guard let combinations = space.combinations else { return nil }
            spaces.list(space, free: try free(of: combinations), at: now)
        }
        if let alias = try drawFromList(take) { return alias }
        // Other processes may have freed some, of which nobody has told us.
        guard isShared, spaces.wasListed(space, before: now - Self.listLasts), let combinations = space.combinations
        else { return nil }
        spaces.list(space, free: try free(of: combinations), at: now)
        return try drawFromList(take)
    }

    /// A list that is used up is not made again for so many seconds.
    private static let listLasts: Int64 = 30

    private func drawAtRandom(_ take: (String) throws(VaultError) -> Bool) throws(VaultError) -> String? {
        let attempts = space.combinations.map { min(512, max(32, $0 / 1_000)) } ?? 4_096
        for collisions in 0..<attempts {
            let bytes = try crypto(try random.draw { (block) throws(CryptoError) in try space.draw(&block) })
            let alias = String(decoding: bytes, as: UTF8.self)
            if alias != value.exposed, try take(alias) {
                spaces.note(space, collisions: collisions)
                return alias
            }
        }
        return nil
    }

    private func drawFromList(_ take: (String) throws(VaultError) -> Bool) throws(VaultError) -> String? {
        var own: String?
        // The value itself is free for others: it goes back when it was drawn.
        defer { if let own { spaces.released([own]) } }
        while let index = spaces.next(space) ?? nextAfterSweeping() {
            guard let bytes = space.alias(at: Int(index)) else { continue }
            let alias = String(decoding: bytes, as: UTF8.self)
            if alias == value.exposed {
                own = alias
            } else if try take(alias) {
                return alias
            }
        }
        return nil
    }

    /// One more listed alias, once what has expired has given its own back: an empty list alone does not say that none is
    /// free.
    private func nextAfterSweeping() -> UInt32? {
        volatile.sweep()
        return spaces.next(space)
    }

    private func shuffle(_ indexes: inout [UInt32]) throws(CryptoError) {
        try random.draw { (block) throws(CryptoError) in
            for last in stride(from: indexes.count - 1, to: 0, by: -1) {
                indexes.swapAt(last, try block.index(below: last + 1))
            }
        }
    }

    /// The indexes of all aliases that the store does not hold, in random order. Those that are taken in memory are
    /// among them; taking one of those fails, and it comes back when it is freed.
    private func free(of combinations: Int) throws(VaultError) -> [UInt32] {
        var isTaken = [UInt64](repeating: 0, count: combinations / 64 + 1)
        if combinations <= 20_000 {
            for index in 0..<combinations {
                guard let alias = space.alias(at: index) else { continue }
                if try taken.holds(alias: String(decoding: alias, as: UTF8.self)) {
                    isTaken[index / 64] |= 1 << UInt64(index % 64)
                }
            }
        } else {
            try taken.visitAliases(prefix: space.prefix) { alias in
                guard let index = space.index(of: alias.utf8) else { return }
                isTaken[index / 64] |= 1 << UInt64(index % 64)
            }
        }
        var free: [UInt32] = []
        for index in 0..<combinations where isTaken[index / 64] >> UInt64(index % 64) & 1 == 0 {
            if space.alias(at: index) != nil { free.append(UInt32(index)) }
        }
        try crypto(try shuffle(&free))
        return free
    }
}
