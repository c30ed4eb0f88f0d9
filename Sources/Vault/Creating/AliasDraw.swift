import Crypto
import Sensitive

/// Draws candidates for one alias, each different from the value; whether one is free, and makes it the value's, is the caller's
/// affair.
///
/// In a narrow space random draws come first: they are all that is needed until some 98 in 100 aliases are taken. When they keep
/// colliding, the aliases that are still free are listed and given out in random order down to the last one. Spaces of more than 20
/// million combinations are not listed; they are given up after 4,096 draws.
struct AliasDraw {
    /// Where candidates come from.
    enum Source: Sendable {
        /// A token of its own, in the shape of this format.
        case token(AliasFormat, VaultEnvironment)
        /// A space of limited size.
        case space(AliasSpace)
    }

    private enum Phase {
        case random(left: Int)
        case listed
        /// The list has been made again.
        case listedAgain
    }

    /// A list that is used up is not made again for so many seconds.
    private static let listLasts: Int64 = 30

    let source: Source
    /// Candidates differ from this.
    let value: SensitiveText
    /// Knows the spaces that are filling up.
    let spaces: SpaceLedger
    /// Where values expire, whose aliases are free then.
    let volatile: VolatileStore
    let random: RandomPool
    /// Where taken aliases can be looked up; nil where a source is so wide that it need not be.
    let taken: (any AliasReading)?
    /// Whether other processes take and free aliases, too.
    let isShared: Bool
    /// Unix seconds.
    let now: Int64

    private var phase: Phase?
    private var collisions = 0

    init(
        _ source: Source, value: SensitiveText, spaces: SpaceLedger, volatile: VolatileStore, random: RandomPool,
        taken: (any AliasReading)?, isShared: Bool, now: Int64
    ) {
        self.source = source
        self.value = value
        self.spaces = spaces
        self.volatile = volatile
        self.random = random
        self.taken = taken
        self.isShared = isShared
        self.now = now
    }

    /// The next candidate; `nil` once the space is used up.
    mutating func next() throws(VaultError) -> String? {
        switch source {
        case .token(let format, let environment):
            while true {
                let token = try crypto(
                    try random.draw { (block) throws(CryptoError) in
                        try TokenAlias.draw(format, value: value.exposed, environment: environment, &block)
                    })
                if token != value.exposed { return token }
            }
        case .space(let space): return try next(in: space)
        }
    }

    /// Notes that the last candidate was free.
    func accept() {
        guard case .space(let space) = source, case .random? = phase else { return }
        spaces.note(space, collisions: collisions - 1)
    }

    private mutating func next(in space: AliasSpace) throws(VaultError) -> String? {
        while true {
            switch phase {
            case nil:
                let attempts = space.combinations.map { min(512, max(32, $0 / 1_000)) } ?? 4_096
                phase = taken != nil && spaces.isListed(space) ? .listed : .random(left: attempts)
            case .random(let left) where left > 0:
                phase = .random(left: left - 1)
                collisions += 1
                let bytes = try crypto(try random.draw { (block) throws(CryptoError) in try space.draw(&block) })
                let alias = String(decoding: bytes, as: UTF8.self)
                if alias != value.exposed { return alias }
            case .random:
                guard let combinations = space.combinations, let taken else { return nil }
                spaces.list(space, free: try free(of: combinations, in: space, taken), at: now)
                phase = .listed
            case .listed:
                if let alias = nextListed(in: space) { return alias }
                // Other processes may have freed some since, without telling this one.
                guard isShared, spaces.wasListed(space, before: now - Self.listLasts),
                    let combinations = space.combinations, let taken
                else { return nil }
                spaces.list(space, free: try free(of: combinations, in: space, taken), at: now)
                phase = .listedAgain
            case .listedAgain: return nextListed(in: space)
            }
        }
    }

    private func nextListed(in space: AliasSpace) -> String? {
        var own: String?
        // The value itself is free for others: it goes back when it was drawn.
        defer { if let own { spaces.released([own]) } }
        while let index = spaces.next(space) ?? nextAfterSweeping(space) {
            guard let bytes = space.alias(at: Int(index)) else { continue }
            let alias = String(decoding: bytes, as: UTF8.self)
            if alias != value.exposed { return alias }
            own = alias
        }
        return nil
    }

    /// One more listed alias, once what has expired has given its own back: an empty list alone does not say that none is
    /// free.
    private func nextAfterSweeping(_ space: AliasSpace) -> UInt32? {
        volatile.sweep()
        return spaces.next(space)
    }

    /// The indexes of all aliases that the store does not hold, in random order. Those that are taken in memory are
    /// among them; taking one of those fails, and it comes back when it is freed.
    private func free(
        of combinations: Int, in space: AliasSpace, _ taken: any AliasReading
    ) throws(VaultError) -> [UInt32] {
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

    private func shuffle(_ indexes: inout [UInt32]) throws(CryptoError) {
        try random.draw { (block) throws(CryptoError) in
            for last in stride(from: indexes.count - 1, to: 0, by: -1) {
                indexes.swapAt(last, try block.index(below: last + 1))
            }
        }
    }
}

extension AliasDraw.Source {
    /// Whether one drawn at random can be taken for a new one without looking (``AliasSpace/isWide``).
    var isWide: Bool {
        switch self {
        case .token: true
        case .space(let space): space.isWide
        }
    }
}
