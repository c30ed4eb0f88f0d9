import Crypto

/// Erasure of all values that carry a classifier (`docs/reference/vault-api.md` section 4). It is done in short steps, so that no other
/// request waits for it, and how far it has got is stored with every step: it goes on after a restart, and in any process.
extension Vault {
    /// Values that are looked at in one step.
    private static let page = 256
    /// Pages without anything to erase that are passed over in one step.
    private static let pages = 16
    /// Pages that are counted before the response: half a second of a vault of any size.
    private static let countedPages = 1_024

    /// Stores that all values with this classifier are to be erased, durably; `advance` erases them. Volatile ones go before it returns,
    /// if their server responds. Values that are stored later stay. Those among the first 262,144 values of the vault are counted before
    /// it returns, the rest while they are erased. If it throws, nothing is erased but for `outcomeUnknown`: then it may be stored.
    ///
    /// - Parameter storage: erases only values of this storage.
    public func beginErasure(
        classifier: String, storage: Storage?, requestID: String, credential: String
    ) async throws(VaultError) -> Erasure {
        let now = configuration.clock.unixSeconds()
        guard let number = UInt128(bigEndianBytes: try crypto(try random.bytes(16))) else {
            throw VaultError(CryptoError.noRandomness)
        }
        let id = String(decoding: Base58.encode(number), as: UTF8.self)
        let isPersistent = storage != .volatile
        let end = isPersistent ? try await endOfValues() : 0
        let count = isPersistent ? try await values(in: OpenErasures.Scope(classifier: classifier, end: end)) : 0
        let begun = Erasure(
            id: id, classifier: classifier, requestID: requestID, credential: credential, createdAt: now, count: count,
            values: 0, aliases: 0, cursor: storage == .persistent ? 0 : Erasure.beforeVolatiles, end: end)
        try await allotSeals(2, now: now)
        try await write { [self] (transaction) throws(VaultError) in
            try noteBeginning(of: id, isPersistentOnly: storage == .persistent, in: transaction)
            _ = try transaction.insert(try sealed(begun, now: now))
        }
        // A value that is to be erased is not used again: see `OpenErasures`.
        if isPersistent { cache?.removeAll() }
        guard begun.hasVolatilesLeft else { return begun }
        // It is stored that it is to be done: what fails here, `advance` does, and meets the same error.
        return (try? await eraseVolatiles(of: begun)) ?? begun
    }

    /// Values from this id on are stored later.
    private func endOfValues() async throws(VaultError) -> Int64 {
        let last = try await lastValueID()
        guard last < .max else { throw .corrupt("a value has an id that was never given out") }
        return last + 1
    }

    /// An erasure that is under way or has finished within the last 30 days.
    public func erasure(_ id: String) async throws(VaultError) -> Erasure? {
        guard let bytes = try await response(under: erasureNotes.name(id)) else { return nil }
        return Erasure(bytes)
    }

    /// Goes on with an erasure for one step. Returns what it has done so far; nil if it has finished before, or another process goes
    /// on with it at the same time.
    public func advance(erasure id: String) async throws(VaultError) -> Erasure? {
        guard let known = try await erasure(id), known.finishedAt == nil else { return nil }
        if known.hasVolatilesLeft { return try await eraseVolatiles(of: known) }
        let cursor = try await firstMatch(known)
        let now = configuration.clock.unixSeconds()
        try await allotSeals(3, now: now)
        let done = try await write { [self] (transaction) throws(VaultError) -> (Erasure, [String])? in
            let name = try erasureNotes.name(id)
            guard let old = try transaction.response(name) else { return nil }
            try learnKeys([old.keyID], transaction)
            guard Erasure(try open(old, under: name)) == known,
                try transaction.delete(response: name, sealed: old.sealed)
            else { return nil }
            var (erasure, names) = (known, [String]())
            erasure.cursor = cursor ?? known.end
            if cursor != nil { names = try erasePage(of: &erasure, in: transaction) }
            if erasure.cursor >= erasure.end - 1 {
                erasure.finishedAt = now
                try noteEnd(of: id, in: transaction)
            }
            _ = try transaction.insert(try sealed(erasure, now: now))
            return (erasure, names)
        }
        guard let (erasure, names) = done else { return nil }
        // What a damaged value is remembered by is not known.
        if erasure.damaged > known.damaged { cache?.removeAll() }
        spaces.released(names)
        counters.deleted(names.count)
        return erasure
    }

    // MARK: Steps

    /// Values with this classifier, or whose classifiers are not known because they are damaged.
    private struct Page: Sendable {
        /// Those whose rows name the classifier, damaged or not.
        var matching: [ValueRecord] = []
        var damaged = 0
        /// The last value that was looked at; nil if none is left.
        var last: Int64?
    }

    private func scope(of erasure: Erasure) -> OpenErasures.Scope {
        OpenErasures.Scope(classifier: erasure.classifier, end: erasure.end)
    }

    private func readPage(
        _ scope: OpenErasures.Scope, after cursor: Int64, _ reading: any AliasReading
    ) throws(VaultError) -> Page {
        // No value is sealed under key 0: all are wanted.
        let records = try reading.values(after: cursor, notSealedUnder: 0, limit: Self.page)
        try learnKeys(records.records.lazy.map(\.keyID), reading)
        var page = Page()
        for record in records.records where record.id < scope.end {
            // Classifiers are covered by the seal: a changed row must not hide one.
            if try openIfIntact(record) == nil { page.damaged += 1 }
            if scope.holds(record) { page.matching.append(record) }
        }
        let malformed = records.malformed.count { $0 < scope.end }
        counters.foundDamage(malformed)
        page.damaged += malformed
        if records.count == Self.page, let last = try Self.next(records.last?.id, behind: cursor), last < scope.end - 1
        {
            page.last = last
        }
        return page
    }

    /// Counts in as many pages as may be looked at before the response: beyond them `count` grows while values are erased.
    private func values(in scope: OpenErasures.Scope) async throws(VaultError) -> Int {
        var (count, cursor) = (0, Int64?(0))
        for _ in 0..<Self.countedPages {
            guard let position = cursor else { break }
            let page = try await read { [self] (reading) throws(VaultError) -> Page in
                try readPage(scope, after: position, reading)
            }
            count += page.matching.count
            cursor = page.last
        }
        return count
    }

    /// Where the next page begins that holds something to erase, or the last that was looked at; nil if nothing is left.
    private func firstMatch(_ erasure: Erasure) async throws(VaultError) -> Int64? {
        var cursor = erasure.cursor
        let scope = scope(of: erasure)
        for _ in 0..<Self.pages {
            let position = cursor
            let page = try await read { [self] (reading) throws(VaultError) -> Page in
                try readPage(scope, after: position, reading)
            }
            guard page.matching.isEmpty, page.damaged == 0 else { return cursor }
            guard let last = page.last else { return nil }
            cursor = last
        }
        return cursor
    }

    /// Erases what matches in the page behind the cursor. Returns the aliases.
    private func erasePage(
        of erasure: inout Erasure, in transaction: any AliasTransaction
    ) throws(VaultError) -> [String] {
        let page = try readPage(scope(of: erasure), after: erasure.cursor, transaction)
        var names: [String] = []
        for record in page.matching {
            names += try erase(record, in: transaction)
            erasure.values += 1
        }
        erasure.damaged += page.damaged
        erasure.count = max(erasure.count, erasure.values)
        erasure.aliases += names.count
        erasure.cursor = page.last ?? erasure.end
        return names
    }

    // MARK: Records

    func sealed(_ erasure: Erasure, now: Int64) throws(VaultError) -> ResponseRecord {
        let lifetime = erasure.finishedAt == nil ? ErasureNotes.openLifetime : ErasureNotes.lifetime
        return try sealer.seal(
            response: erasure.bytes, name: erasureNotes.name(erasure.id), expiresAt: now + lifetime,
            under: keyring.active.data)
    }
}
