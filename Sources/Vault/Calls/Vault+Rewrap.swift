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
    /// is under. Serving goes on meanwhile. Values that are damaged stay as they are, and with them their key.
    public func rewrap(after cursor: Int64 = 0, batch: Int = 256) async throws(VaultError) -> Int64? {
        try await catchUp()
        try await allotSeals(Int64(batch), now: configuration.clock.unixSeconds())
        let active = keyring.active
        let last = try await write { [self] (transaction) throws(VaultError) -> Int64? in
            // Nothing is to be sealed again under a key that another process has just replaced.
            if isShared { try keyring.learn(try transaction.keys()) }
            guard keyring.active.data.id == active.data.id else { return cursor }
            let records = try transaction.values(after: cursor, notSealedUnder: active.data.id, limit: batch)
            try learnKeys(records.records.lazy.map(\.keyID), transaction)
            for var record in records.records {
                guard let value = try openIfIntact(record) else { continue }
                try reseal(&record, value, under: active, in: transaction)
                try transaction.update(record)
            }
            counters.foundDamage(records.malformed.count)
            return try Self.next(records.last?.id, behind: cursor)
        }
        if let last { return last }
        try await rewrapResponses(under: active)
        try await removeUnusedKeys(but: active)
        return nil
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
            try await allotSeals(64, now: configuration.clock.unixSeconds())
            cursor = try await write { [self] (transaction) throws(VaultError) -> [UInt8]? in
                let (records, next) = try transaction.responses(
                    after: position, notSealedUnder: active.data.id, limit: 64)
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
        var cursor: Int64? = 0
        while let position = cursor {
            let records = try await store.read { (reading) throws(VaultError) in
                try reading.values(after: position, notSealedUnder: active.id, limit: 1_024)
            }
            remainder.values += records.count
            cursor = try Self.next(records.last?.id, behind: position)
        }
        var place: [UInt8]? = []
        while let position = place {
            let (count, next) = try await store.read { (reading) throws(VaultError) in
                let page = try reading.responses(after: position, notSealedUnder: active.id, limit: 256)
                return (page.records.count, page.next)
            }
            remainder.responses += count
            place = next
        }
        let age = configuration.clock.unixSeconds() - keyring.active.since
        if isShared { remainder.wait = max(0, Self.keyLingers - age) }
        return remainder
    }

    private func removeUnusedKeys(but active: Keyring.Active) async throws(VaultError) {
        let isFresh = configuration.clock.unixSeconds() - active.since < Self.keyLingers
        guard !isShared || !isFresh else { return }
        let removed = try await write { (transaction) throws(VaultError) in
            var removed: [Int64] = []
            let keys = try transaction.keys()
            for key in keys where key.purpose == .data && key.id < active.data.id {
                guard try !transaction.hasRecords(sealedUnder: key.id) else { continue }
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
