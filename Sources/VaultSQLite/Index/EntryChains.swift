/// Entries in memory, in chains by the upper bits of their hashes: a hash table whose memory grows by blocks, without a copy, so that
/// neither a start nor an insertion waits for it. An entry takes 16 bytes.
struct EntryChains {
    /// A chain for each value of so many upper bits: eight entries in each when a round of merges has half a million rows.
    private static let bits: UInt64 = 16
    private static let restBits = 40 - bits
    private static let blockBits = 12
    /// Ends a chain.
    private static let none = UInt32.max

    private struct Slot {
        var place: Int64 = 0
        /// The lower bits of the hash.
        var rest: UInt32 = 0
        /// The next slot of the chain, or of those that are free.
        var next = EntryChains.none
    }

    /// The first slot of each chain.
    private var first = [UInt32](repeating: none, count: 1 << Int(bits))
    private var blocks: [[Slot]] = []
    /// Slots that were used once and are free: the first one of their chain.
    private var free = none
    /// Slots up to here have been used.
    private var used: UInt32 = 0
    private(set) var count = 0

    /// Entries that there is memory for.
    var allocated: Int { blocks.count << Self.blockBits }

    /// The places of entries with this hash.
    func places(of hash: UInt64) -> [Int64] {
        var (places, number) = ([Int64](), first[Self.chain(hash)])
        while number != Self.none {
            let slot = self[number]
            if slot.rest == Self.rest(hash) { places.append(slot.place) }
            number = slot.next
        }
        return places
    }

    mutating func add(_ entry: IndexEntry) {
        let chain = Self.chain(entry.hash)
        let number = unusedSlot()
        self[number] = Slot(place: entry.place, rest: Self.rest(entry.hash), next: first[chain])
        first[chain] = number
        count += 1
    }

    /// Removes an entry, of several equal ones the last that was added; whether it was there.
    mutating func remove(_ entry: IndexEntry) -> Bool {
        let (chain, rest) = (Self.chain(entry.hash), Self.rest(entry.hash))
        var (before, number) = (Self.none, first[chain])
        while number != Self.none {
            let slot = self[number]
            if slot.rest == rest, slot.place == entry.place {
                if before == Self.none { first[chain] = slot.next } else { self[before].next = slot.next }
                release(number)
                return true
            }
            (before, number) = (number, slot.next)
        }
        return false
    }

    /// The entries whose hashes are in the range, which begins and ends with chains; in no order.
    func entries(in hashes: Range<UInt64>) -> [IndexEntry] {
        var entries: [IndexEntry] = []
        for chain in Self.chains(hashes) {
            var number = first[chain]
            while number != Self.none {
                entries.append(entry(number, of: chain))
                number = self[number].next
            }
        }
        return entries
    }

    /// Removes what `entries(in:)` returns, and returns it.
    @discardableResult
    mutating func removeAll(in hashes: Range<UInt64>) -> [IndexEntry] {
        var removed: [IndexEntry] = []
        for chain in Self.chains(hashes) {
            while first[chain] != Self.none {
                let number = first[chain]
                removed.append(entry(number, of: chain))
                first[chain] = self[number].next
                release(number)
            }
        }
        return removed
    }

    // MARK: Slots

    private func entry(_ number: UInt32, of chain: Int) -> IndexEntry {
        let slot = self[number]
        return IndexEntry(hash: UInt64(chain) << Self.restBits | UInt64(slot.rest), place: slot.place)
    }

    private subscript(number: UInt32) -> Slot {
        get { blocks[Int(number >> UInt32(Self.blockBits))][Int(number) & (1 << Self.blockBits - 1)] }
        _modify { yield &blocks[Int(number >> UInt32(Self.blockBits))][Int(number) & (1 << Self.blockBits - 1)] }
    }

    private mutating func unusedSlot() -> UInt32 {
        if free != Self.none {
            defer { free = self[free].next }
            return free
        }
        if Int(used) == allocated {
            blocks.append([Slot](repeating: Slot(), count: 1 << Self.blockBits))
        }
        defer { used += 1 }
        return used
    }

    private mutating func release(_ number: UInt32) {
        self[number].next = free
        free = number
        count -= 1
    }

    private static func chain(_ hash: UInt64) -> Int {
        Int(truncatingIfNeeded: hash >> restBits) & (1 << Int(bits) - 1)
    }
    private static func rest(_ hash: UInt64) -> UInt32 { UInt32(truncatingIfNeeded: hash & (1 << restBits - 1)) }
    private static func chains(_ hashes: Range<UInt64>) -> Range<Int> {
        Int(hashes.lowerBound >> restBits)..<Int(hashes.upperBound >> restBits)
    }
}
