import Crypto
import Synchronization

/// A data key as `keys status` shows it.
public struct KeyStatus: Sendable {
    /// The key's number.
    public let id: Int64
    /// Unix seconds.
    public let createdAt: Int64
    /// Seals allotted under it, used or not.
    public let allottedUses: Int64
    /// Whether it seals new values.
    public let isActive: Bool
    /// Whether it is to be used once all processes know the fingerprint key that was made with it.
    public let isWaiting: Bool
    /// Ten hexadecimal digits that show whether two keys are the same.
    public let checkValue: String
}

/// The master key as `keys status` shows it.
public struct MasterKeyStatus: Sendable {
    /// The check value of the key that this process was started with.
    public let checkValue: String
    /// Whether that is the one that is to follow: the change is completed when the vault is served with it.
    public let isNext: Bool
    /// Whether all keys are wrapped under another master key too, which is to follow it.
    public let isBeingChanged: Bool
    /// The check value of that one, if this process was given it.
    public let nextCheckValue: String?
}

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
    /// The data keys, oldest first.
    public func keyStatus() async throws(VaultError) -> [KeyStatus] {
        let keys =
            isShared
            ? try await followedKeys()
            : try await store.read { (reading) throws(VaultError) in try reading.keys() }
        let active = keyring.active.data.id
        return keys.compactMap { record in
            guard record.purpose == .data, let key = keyring.key(record.id) else { return nil }
            return KeyStatus(
                id: record.id, createdAt: record.createdAt, allottedUses: record.allottedUses,
                isActive: record.id == active, isWaiting: record.id > active, checkValue: key.checkValue)
        }
    }

    /// The master key, and whether a change of it is under way.
    public func masterKeyStatus() async throws(VaultError) -> MasterKeyStatus {
        let keys = try await store.read { (reading) throws(VaultError) in try reading.keys() }
        let (masters, envelope) = (keyring.masters, keyring.envelope)
        let next = masters.next.flatMap { next in keys.contains { envelope.isPending($0, under: next) } ? next : nil }
        return MasterKeyStatus(
            checkValue: masters.current.checkValue,
            isNext: keys.contains { envelope.isPending($0, under: masters.current) },
            isBeingChanged: keys.contains { $0.pendingWrapped != nil }, nextCheckValue: next?.checkValue)
    }

    /// A key for another use than values, the same for as long as this vault exists.
    public func key(for use: RootKey) -> [UInt8] { keyring.root(use) }

    /// Makes a new data key for what is written from now on.
    ///
    /// - Parameter fingerprints: makes a new fingerprint key too. Until `rewrap` has gone through all values, those that are not yet
    ///   sealed again are found by the key before. In a store that several processes write to, both new keys are used a minute later,
    ///   when all know them: one that did not would not find a value again, and store it a second time.
    public func rotateKey(fingerprints: Bool = false) async throws(VaultError) {
        try await allot(0, now: configuration.clock.unixSeconds(), fingerprints ? .allKeys : .dataKey)
    }

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

    /// The oldest key that this process has made by itself, because the one before had become too old or was used up, and that no call
    /// of this function has returned yet; nil if there is none.
    public func takeRotation() -> Int64? {
        rotations.withLock { $0.isEmpty ? nil : $0.removeFirst() }
    }

    /// Wraps all keys under another master key too; no value is touched. Both wrappings stay until the vault has been opened with
    /// the new key, so that neither key is the wrong one until then. Replaces a change that was begun and not completed; gives it up
    /// if `master` is the key that they are under.
    ///
    /// - Returns: whether a change is under way from now on.
    @discardableResult
    public func changeMasterKey(to master: MasterKey) async throws(VaultError) -> Bool {
        let (envelope, current) = (keyring.envelope, keyring.masters.current)
        let next = master.checkValue == current.checkValue ? nil : master
        try await write { (transaction) throws(VaultError) in
            let keys = try transaction.keys()
            guard !keys.contains(where: { envelope.isPending($0, under: current) }) else {
                throw .unavailable("the master key is being changed to this one: serve the vault with it first")
            }
            for key in keys { try transaction.update(envelope.preparing(key, for: next, under: current)) }
        }
        keyring.prepare(for: next)
        return next != nil
    }

    /// Drops the wrappings under the old master key, now that all keys have been opened with the new one. Returns whether there were any.
    public func completeMasterKeyChange() async throws(VaultError) -> Bool {
        let (envelope, master) = (keyring.envelope, keyring.masters.current)
        let keys = try await store.read { (reading) throws(VaultError) in try reading.keys() }
        guard keys.contains(where: { envelope.isPending($0, under: master) }) else { return false }
        return try await write { (transaction) throws(VaultError) in
            var isCompleted = false
            for var key in try transaction.keys() where envelope.isPending(key, under: master) {
                guard let pending = key.pendingWrapped else { continue }
                key.wrapped = pending
                key.pendingWrapped = nil
                try transaction.update(key)
                isCompleted = true
            }
            return isCompleted
        }
    }

    /// Makes sure that `uses` seals are allotted in the store before they are made.
    func allotSeals(_ uses: Int64, now: Int64) async throws(VaultError) {
        guard !keyring.spend(uses, now: now) else { return }
        try await allot(uses, now: now, .whenDue)
        _ = keyring.spend(uses, now: now)
    }

    private func allot(_ uses: Int64, now: Int64, _ rotation: KeyMaintenance.Rotation) async throws(VaultError) {
        let maintenance = KeyMaintenance(keyring: keyring, random: random)
        let active = keyring.active.data.id
        let allotment = try await write { (transaction) throws(VaultError) in
            try maintenance.allot(uses, in: transaction, now: now, rotation)
        }
        keyring.adopt(allotment)
        if case .whenDue = rotation, allotment.key.id > active, allotment.isNew {
            rotations.withLock { $0.append(allotment.key.id) }
        }
        // What is remembered of values is found by fingerprints, which are others from now on.
        if allotment.fingerprint != nil { cache?.removeAll() }
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
