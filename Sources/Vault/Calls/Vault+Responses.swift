import Synchronization

/// Responses that are stored for repeatable requests. They are sealed like values: they contain aliases, and what an
/// upstream sent. None is removed before its time has passed: how many there may be is for the caller to decide, who can refuse.
extension Vault {
    /// How many rows one transaction drops at most.
    private static let dropped = 64

    /// Stores `response` under `name` (32 bytes) for so many seconds, in place of what was stored there. When it returns, it is durable.
    public func storeResponse(_ response: [UInt8], under name: [UInt8], for seconds: Int64) async throws(VaultError) {
        let now = configuration.clock.unixSeconds()
        try await allotSeals(1, now: now)
        let record = try sealer.seal(
            response: response, name: name, expiresAt: now + seconds, under: keyring.active.data)
        let replaced = try await write { (transaction) throws(VaultError) in
            let old = try transaction.response(name)
            try transaction.replace(record)
            return old.map { ResponseTotals(count: 1, bytes: $0.sealed.count) } ?? ResponseTotals()
        }
        responses.withLock { known in
            known?.totals += ResponseTotals(count: 1, bytes: record.sealed.count)
            known?.totals -= replaced
        }
    }

    /// What is stored under `name`, unless its time has passed, or it is a claim that this process is to remove: its request was not carried
    /// out. Throws `damaged` if it is not what this vault wrote.
    public func response(under name: [UInt8]) async throws(VaultError) -> [UInt8]? {
        let use = keyring.beginUse()
        defer { keyring.endUse(use) }
        let record = try await store.read { [self] (reading) throws(VaultError) in
            let record = try reading.response(name)
            try learnKeys(record.map { [$0.keyID] } ?? [], reading)
            return record
        }
        guard let record else { return nil }
        let response = try open(record, under: name)
        return record.expiresAt > configuration.clock.patientSeconds() && !owesRelease(of: record) ? response : nil
    }

    /// The response in this record, which was stored under `name`.
    func open(_ record: ResponseRecord, under name: [UInt8]) throws(VaultError) -> [UInt8] {
        try naming(nil) { () throws(VaultError) in
            guard record.name == name else { throw .damaged(alias: nil) }
            return try sealer.open(record, with: keyring.key(record.keyID))
        }
    }

    /// Drops responses whose time has passed, and claims that could not be released. To be called regularly; until then the former are
    /// only unknown.
    public func sweepResponses() async throws(VaultError) {
        try await releaseOwed()
        guard try await responseTotals().count > 0 else { return }
        let now = configuration.clock.patientSeconds()
        while true {
            let removed = try await write { (transaction) throws(VaultError) in
                try transaction.deleteResponses(expiringBy: now, limit: Self.dropped)
            }
            responses.withLock { $0?.totals -= removed }
            guard removed.count == Self.dropped else { return }
        }
    }

    /// How much is stored: counted once, and again from time to time where others store responses too.
    public func responseTotals() async throws(VaultError) -> ResponseTotals {
        let began = configuration.clock.elapsedMilliseconds()
        let known = responses.withLock { known in
            if let counted = known, isShared, began >= counted.end { known = nil }
            return known?.totals
        }
        if let known { return known }
        let counted = try await store.read { (reading) throws(VaultError) in try reading.responseTotals() }
        let now = configuration.clock.elapsedMilliseconds()
        let end = now + max(Self.countLasts, (now - began) * Self.countRests)
        responses.withLock { if $0 == nil { $0 = CountedResponses(totals: counted, end: end) } }
        return counted
    }
}
