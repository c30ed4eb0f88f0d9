/// What is left under older data keys than the active one.
public struct RewrapRemainder: Sendable {
    /// The older keys.
    public var keys: [Int64] = []
    /// Values that are damaged, or were stored by a process that did not know the active key yet.
    public var values = 0
    /// Stored responses of the same kind.
    public var responses = 0
    /// Seconds after which all processes know the active key; 0 if they do.
    public var wait: Int64 = 0
    /// Seconds after which a new fingerprint key is used, with its data key: nothing is under them before. 0 if there is none.
    public var fingerprintWait: Int64 = 0
}

extension Vault {
    /// Seals values of older keys again under the active one, a batch at a time, beginning after the value `cursor`.
    /// Returns the cursor to go on with, or `nil` at the end: then responses are sealed again, too, and keys that seal nothing
    /// any more are removed.
    ///
    /// Can be stopped and begun again at any time, from 0 or from the last cursor: a value's own row says which key it
    /// is under. Serving goes on meanwhile: no index leads to the values of a key, so they are looked for without writing, some at a time,
    /// and writes wait for no more than a batch. Values that are damaged stay as they are, and with them their key.
    public func rewrap(after cursor: Int64 = 0, batch: Int = 256) async throws(VaultError) -> Int64? {
        try await catchUp()
        let spans = try await keySpans(after: cursor)
        let end = try Self.next(spans.map(\.last).max(), behind: cursor)
        let hasMore = spans.reduce(0) { $0 + $1.count } >= Self.lookedAt
        if Self.stale(spans, under: keyring.active) != nil {
            try await allotSeals(Int64(batch), now: configuration.clock.unixSeconds())
        }
        let active = keyring.active
        guard let end, let stale = Self.stale(spans, under: active) else {
            if hasMore { return end }
            try await rewrapResponses(under: active)
            try await removeUnusedKeys(but: active)
            return nil
        }
        return try await write { [self] (transaction) throws(VaultError) -> Int64 in
            // Nothing is to be sealed again under a key that another process has just replaced.
            if isShared { try keyring.learn(try transaction.keys()) }
            guard keyring.active.data.id == active.data.id else { return cursor }
            let records = try transaction.values(
                after: max(cursor, stale.first &- 1), through: stale.last, notSealedUnder: active.data.id, limit: batch)
            try learnKeys(records.records.lazy.map(\.keyID), transaction)
            for var record in records.records {
                guard let value = try openIfIntact(record) else { continue }
                try reseal(&record, value, under: active, in: transaction)
                try transaction.update(record)
            }
            counters.foundDamage(records.malformed.count)
            guard records.count == batch else { return end }
            return try Self.next(records.last?.id, behind: cursor) ?? end
        }
    }

    /// Values that are looked at in one step. Of large ones each may cost a read of its own from the disk.
    static let lookedAt = 1_024

    /// Under which keys the next values behind the value `cursor` are sealed.
    private func keySpans(after cursor: Int64) async throws(VaultError) -> [KeySpan] {
        try await store.read { (reading) throws(VaultError) in
            try reading.keySpans(ofValuesAfter: cursor, count: Self.lookedAt)
        }
    }

    /// The first and the last of these values that are not sealed under the active key; nil if all are.
    private static func stale(_ spans: [KeySpan], under active: Keyring.Active) -> (first: Int64, last: Int64)? {
        let stale = spans.filter { $0.key != active.data.id }
        guard let first = stale.map(\.first).min(), let last = stale.map(\.last).max() else { return nil }
        return (first, last)
    }

    /// Where to go on: an index of the database that is damaged may lead back to rows that were passed, for ever.
    static func next(_ last: Int64?, behind cursor: Int64) throws(VaultError) -> Int64? {
        if let last, last <= cursor {
            throw .corrupt("the database's index is damaged: row \(last) stands behind \(cursor)")
        }
        return last
    }

    /// Seals responses of older keys again. Those that are damaged stay as they are: their names must go on being refused.
    private func rewrapResponses(under active: Keyring.Active) async throws(VaultError) {
        var cursor: [UInt8]? = []
        while let position = cursor {
            let (stale, next) = try await responses(after: position, notSealedUnder: active.data.id)
            cursor = next
            guard !stale.isEmpty else { continue }
            try await allotSeals(Int64(Self.responsesLookedAt), now: configuration.clock.unixSeconds())
            cursor = try await write { [self] (transaction) throws(VaultError) -> [UInt8]? in
                let (records, next) = try transaction.responses(
                    after: position, notSealedUnder: active.data.id, limit: Self.responsesLookedAt)
                try learnKeys(records.lazy.map(\.keyID), transaction)
                for record in records {
                    guard let response = try openIfIntact(record),
                        try transaction.delete(response: record.name, sealed: record.sealed)
                    else { continue }
                    let renewed = try sealer.seal(
                        response: response, name: record.name, expiresAt: record.expiresAt, under: active.data)
                    _ = try transaction.insert(renewed)
                }
                return next
            }
        }
    }

    private static let responsesLookedAt = 64

    /// The next responses behind the place, but for those under this key.
    private func responses(
        after place: [UInt8], notSealedUnder key: Int64
    ) async throws(VaultError) -> (records: [ResponseRecord], next: [UInt8]?) {
        try await store.read { (reading) throws(VaultError) in
            try reading.responses(after: place, notSealedUnder: key, limit: Self.responsesLookedAt)
        }
    }

    private func openIfIntact(_ record: ResponseRecord) throws(VaultError) -> [UInt8]? {
        do { return try open(record, under: record.name) } catch .damaged { return nil }
    }

    /// The highest id of a value; 0 if there is none. `rewrap` ends behind it.
    public func lastValueID() async throws(VaultError) -> Int64 {
        try await store.read { (reading) throws(VaultError) in try reading.lastValueID() }
    }

    /// What is left under older data keys than the active one.
    public func rewrapRemainder() async throws(VaultError) -> RewrapRemainder {
        var remainder = RewrapRemainder()
        let keys = try await keyStatus()
        guard let active = keys.first(where: \.isActive) else { return remainder }
        if let since = keyring.nextSince {
            remainder.keys = keys.dropLast().map(\.id)
            remainder.fingerprintWait = max(1, since - configuration.clock.unixSeconds())
            return remainder
        }
        remainder.keys = keys.filter { !$0.isActive }.map(\.id)
        guard !remainder.keys.isEmpty else { return remainder }
        let found = try await recordsByKey(but: active.id)
        remainder.values = found.values.values.reduce(0, +)
        remainder.responses = found.responses.values.reduce(0, +)
        let age = configuration.clock.unixSeconds() - keyring.active.since
        if isShared { remainder.wait = max(0, Self.keyLingers - age) }
        return remainder
    }

    /// How many values and responses are under each key, and how far was looked. Of what is stored meanwhile some may be missing.
    private struct RecordsByKey: Sendable {
        var values: [Int64: Int] = [:]
        var responses: [Int64: Int] = [:]
        var lastValue: Int64 = 0
        var lastResponse: [UInt8] = []

        func holds(_ key: Int64) -> Bool { values[key] != nil || responses[key] != nil }
    }

    private func recordsByKey(but active: Int64) async throws(VaultError) -> RecordsByKey {
        var found = RecordsByKey()
        while case let spans = try await keySpans(after: found.lastValue),
            let last = try Self.next(spans.map(\.last).max(), behind: found.lastValue)
        {
            for span in spans where span.key != active { found.values[span.key, default: 0] += span.count }
            found.lastValue = last
        }
        var isDone = false
        while !isDone {
            let (records, next) = try await responses(after: found.lastResponse, notSealedUnder: active)
            for record in records { found.responses[record.keyID, default: 0] += 1 }
            if let next { found.lastResponse = next } else { isDone = true }
        }
        return found
    }

    /// Removes keys that seal nothing. They are looked for without writing; what is stored meanwhile, behind the places that were reached,
    /// is looked at by the transaction that removes them. Before, an empty one: when it has ended, so have those that were queued when an older
    /// key was active, and may have changed rows that are behind no place. (Of other processes the database itself keeps what refers to a
    /// key that is removed.)
    private func removeUnusedKeys(but active: Keyring.Active) async throws(VaultError) {
        let isFresh = configuration.clock.unixSeconds() - active.since < Self.keyLingers
        guard !isShared || !isFresh, try await keyStatus().contains(where: { !$0.isActive }) else { return }
        try await write { _ in }
        let found = try await recordsByKey(but: active.data.id)
        let removed = try await write { (transaction) throws(VaultError) in
            var removed: [Int64] = []
            let keys = try transaction.keys()
            for key in keys where key.purpose == .data && key.id < active.data.id {
                let isUsed = try transaction.hasRecords(
                    sealedUnder: key.id, afterValue: found.lastValue, afterResponse: found.lastResponse)
                guard !found.holds(key.id), !isUsed else { continue }
                try transaction.delete(key: key.id)
                removed.append(key.id)
            }
            // A fingerprint key goes once no data key is left whose values have their fingerprints under it.
            let oldest = keys.first { $0.purpose == .data && !removed.contains($0.id) }?.id ?? active.data.id
            let needed = keys.last { $0.purpose == .fingerprint && $0.id < oldest }?.id ?? active.fingerprint.id
            for key in keys where key.purpose == .fingerprint && key.id < needed {
                try transaction.delete(key: key.id)
                removed.append(key.id)
            }
            return removed
        }
        for id in removed { keyring.remove(id) }
    }
}
