import Crypto

/// What a `VolatileStore` guards.
struct VolatileState {
    private enum Slot {
        /// - Parameters:
        ///   - value: may not be there yet.
        ///   - further: places that a new value takes beside those of its aliases.
        case reserved(value: Int64, further: Int)
        /// - Parameter place: retained for as long as the alias lives.
        case live(Int64, place: (any AnyObject & Sendable)?)
    }

    /// What came of a wish for an alias.
    enum Reservation {
        case reserved
        case taken
        case noRoom
        /// The value has as many as it may have.
        case tooMany
    }

    private let capacity: Int
    private var slots: [ExactText: Slot] = [:]
    /// Aliases that are about to become persistent.
    private var persistent: Set<String> = []
    private var records: [Int64: VolatileRecord] = [:]
    /// Places that values take beside those of their aliases, with what is reserved.
    private var further = 0
    /// What is retained for as long as a value lives.
    private var furtherPlaces: [Int64: [any AnyObject & Sendable]] = [:]
    /// Ids in the order in which they expire. Values that were removed stay in it until it is tidied.
    private(set) var queue = ExpiryQueue()
    private var lastID: Int64 = 0
    private var freed: [String] = []

    init(capacity: Int) {
        self.capacity = capacity
    }

    var count: Int { slots.count }
    var isFull: Bool { !hasRoom(for: 1) }

    private func hasRoom(for places: Int) -> Bool { places <= capacity - slots.count - further }

    mutating func nextID() -> Int64 {
        lastID += 1
        return lastID
    }

    mutating func reservePersistent(_ alias: String, now: Int64) -> Bool {
        isFree(alias, now: now) && persistent.insert(alias).inserted
    }

    /// Those that are reserved at the same time count for the value.
    ///
    /// - Parameter further: places of a new value beside those of its aliases.
    mutating func reserveVolatile(_ alias: String, of id: Int64, further: Int = 0, now: Int64) -> Reservation {
        guard isFree(alias, now: now), !persistent.contains(alias) else { return .taken }
        guard hasRoom(for: 1 + further) else { return .noRoom }
        if let record = records[id] {
            guard record.aliases.count + record.promised < Vault.aliasesPerValue else { return .tooMany }
            records[id]?.promised += 1
        }
        slots[ExactText(alias)] = .reserved(value: id, further: further)
        self.further += further
        return .reserved
    }

    mutating func release(persistent: [String], volatile: [String]) {
        for alias in persistent { self.persistent.remove(alias) }
        for alias in volatile {
            guard case .reserved(let id, let further)? = slots[ExactText(alias)] else { continue }
            slots[ExactText(alias)] = nil
            self.further -= further
            records[id]?.promised -= 1
        }
    }

    /// - Parameter expiresAt: the end of the vault's time to live; the record's own may be earlier.
    mutating func publish(_ record: VolatileRecord, expiresAt: Int64) {
        var record = record
        record.expiresAt = min(record.expiresAt, expiresAt)
        for alias in record.aliases {
            // From now on they are the value's.
            if case .reserved(_, let further)? = slots[ExactText(alias.alias)] { record.further += further }
            slots[ExactText(alias.alias)] = .live(record.id, place: nil)
        }
        records[record.id] = record
        queue.add(record.id, expiringAt: record.expiresAt)
    }

    /// A value that has gone in the meantime takes the new alias with it.
    mutating func add(_ alias: Alias, to id: Int64, now: Int64) {
        guard let record = records[id], record.expiresAt > now else {
            slots[ExactText(alias.alias)] = nil
            freed.append(alias.alias)
            return
        }
        records[id]?.aliases.append(alias)
        records[id]?.promised -= 1
        slots[ExactText(alias.alias)] = .live(id, place: nil)
    }

    /// Retains `place` until the alias goes, unless it has one: then it is older than the request that brings this one.
    ///
    /// - Parameter further: retained until the value goes.
    mutating func keep(_ place: any AnyObject & Sendable, and further: FurtherPlaces?, with alias: String) {
        guard case .live(let id, place: nil)? = slots[ExactText(alias)] else { return }
        slots[ExactText(alias)] = .live(id, place: place)
        if let further { furtherPlaces[id, default: []].append(further.object) }
    }

    func live(_ alias: String, now: Int64) -> VolatileRecord? {
        guard case .live(let id, _)? = slots[ExactText(alias)], let record = records[id], record.expiresAt > now else {
            return nil
        }
        return record
    }

    /// Nil if there is no room for what the value takes then.
    ///
    /// - Parameter places: retained until the value goes.
    mutating func replaceClassifiers(
        of alias: String, with classifiers: [String], holding places: FurtherPlaces?, now: Int64
    ) -> Bool? {
        guard let record = live(alias, now: now) else { return false }
        let growth = record.furtherPlaces(with: classifiers)
        guard growth == 0 || hasRoom(for: growth) else { return nil }
        records[record.id]?.classifiers = classifiers
        records[record.id]?.further += growth
        further += growth
        if let places { furtherPlaces[record.id, default: []].append(places.object) }
        return true
    }

    mutating func remove(_ aliases: [String]) {
        for alias in aliases {
            guard case .live(let id, _)? = slots.removeValue(forKey: ExactText(alias)) else { continue }
            freed.append(alias)
            records[id]?.aliases.removeAll { $0.alias == alias }
            if records[id]?.aliases.isEmpty == true { drop(id) }
        }
        tidyQueue()
    }

    /// The values that carry this classifier.
    func records(classifier: String, now: Int64) -> [VolatileRecord] {
        records.values.filter { record in
            record.expiresAt > now && record.classifiers.contains { $0.utf8.elementsEqual(classifier.utf8) }
        }
    }

    /// Whether there is anything to be dropped.
    func hasExpired(now: Int64) -> Bool {
        queue.first.map { $0.expiresAt <= now } ?? false
    }

    mutating func dropExpired(now: Int64, limit: Int) {
        var dropped = 0
        while dropped < limit, hasExpired(now: now), let first = queue.removeFirst() {
            drop(first.id)
            dropped += 1
        }
        tidyQueue()
    }

    /// The aliases that have become free since the last call.
    mutating func takeFreed() -> [String] {
        guard !freed.isEmpty else { return [] }
        defer { freed = [] }
        return freed
    }

    /// Drops the ids of values that were removed once they outnumber the live ones: each is passed over once or twice in its life, and the
    /// queue stays in proportion to what it holds.
    private mutating func tidyQueue() {
        let removed = queue.count - records.count
        if removed > 1_024, removed > records.count { queue.keep { records[$0] != nil } }
    }

    private mutating func isFree(_ alias: String, now: Int64) -> Bool {
        switch slots[ExactText(alias)] {
        case nil: return true
        case .reserved: return false
        case .live(let id, _):
            guard let record = records[id], record.expiresAt > now else {
                drop(id)
                return slots[ExactText(alias)] == nil
            }
            return false
        }
    }

    private mutating func drop(_ id: Int64) {
        guard var record = records.removeValue(forKey: id) else { return }
        further -= record.further
        furtherPlaces[id] = nil
        SecureWipe.wipe(&record.sealed)
        for alias in record.aliases {
            slots[ExactText(alias.alias)] = nil
            freed.append(alias.alias)
        }
    }
}
