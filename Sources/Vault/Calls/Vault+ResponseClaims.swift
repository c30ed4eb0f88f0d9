import Synchronization

/// The durable mark under a name that a request is being carried out, or was: what ``Vault/claimResponse(_:with:for:within:)`` has stored.
public struct ResponseClaim: Sendable {
    let name: [UInt8]
    let sealed: [UInt8]
}

/// A claim that is to be removed, by what is sealed in it. Times are milliseconds of the elapsed time.
struct OwedRelease: Sendable {
    let name: [UInt8]
    /// When it is tried again.
    var next: Int64
    /// When it is no longer tried.
    let end: Int64

    /// How long a claim that is not there is waited for.
    static let longest: Int64 = 900_000
    static let pause: Int64 = 60_000
}

extension Vault {
    /// Stores `mark` under `name` (32 bytes) for so many seconds, if nothing is stored there whose time has not passed; nil if
    /// something is. `storeResponse` puts the response in its place.
    ///
    /// - Parameter limit: how long the request may wait for the store.
    public func claimResponse(
        _ name: [UInt8], with mark: [UInt8], for seconds: Int64, within limit: WaitLimit? = nil
    ) async throws(VaultError) -> ResponseClaim? {
        let (now, patient) = (configuration.clock.unixSeconds(), configuration.clock.patientSeconds())
        try await allotSeals(1, now: now)
        let record = try sealer.seal(
            response: mark, name: name, expiresAt: now + seconds, under: keyring.active.data)
        let claim = ResponseClaim(name: name, sealed: record.sealed)
        do { return try await add(record, within: limit, now: patient) ? claim : nil } catch {
            // The claim may be stored, but its request is not carried out: it is to be removed.
            if case .outcomeUnknown = error { owe(claim) }
            throw error
        }
    }

    /// False if something is stored under its name.
    private func add(
        _ record: ResponseRecord, within limit: WaitLimit?, now: Int64
    ) async throws(VaultError) -> Bool {
        let name = record.name
        let added = try await write(within: limit) { [self] (transaction) throws(VaultError) -> ResponseTotals? in
            var added = ResponseTotals(count: 1, bytes: record.sealed.count)
            if let old = try transaction.response(name) {
                try learnKeys([old.keyID], transaction)
                _ = try open(old, under: name)
                // Or it is a claim of this process that was cut off: its request was not carried out.
                guard old.expiresAt <= now || owesRelease(of: old) else { return nil }
                if try transaction.delete(response: name, sealed: old.sealed) {
                    added -= ResponseTotals(count: 1, bytes: old.sealed.count)
                }
            }
            return try transaction.insert(record) ? added : nil
        }
        guard let added else { return false }
        responses.withLock { $0?.totals += added }
        return true
    }

    /// Removes a claim in whose place no response is stored. If that fails, `sweepResponses` tries again.
    public func release(_ claim: ResponseClaim) async throws(VaultError) {
        do { try await remove(claim) } catch {
            owe(claim)
            throw error
        }
    }

    /// Claims that are remembered for a later release; others stay until they expire.
    private static let owedAtMost = 4_096

    private func owe(_ claim: ResponseClaim) {
        let now = configuration.clock.elapsedMilliseconds()
        owedReleases.withLock { owed in
            guard owed.count < Self.owedAtMost else { return }
            owed[claim.sealed] = OwedRelease(name: claim.name, next: now, end: now + OwedRelease.longest)
        }
    }

    /// Whether the record is a claim that this process is to remove: its request was not carried out.
    func owesRelease(of record: ResponseRecord) -> Bool {
        owedReleases.withLock { $0[record.sealed]?.name == record.name }
    }

    /// Removes claims that could not be removed before. One that is not there may still come: a server goes on with a commit whose
    /// connection has broken.
    func releaseOwed() async throws(VaultError) {
        let now = configuration.clock.elapsedMilliseconds()
        for (sealed, owed) in owedReleases.withLock({ $0 }) where owed.next <= now {
            let isRemoved = try await remove(ResponseClaim(name: owed.name, sealed: sealed))
            owedReleases.withLock {
                if isRemoved || owed.end <= now { $0[sealed] = nil } else { $0[sealed]?.next = now + OwedRelease.pause }
            }
        }
    }

    /// Whether it was there.
    @discardableResult
    private func remove(_ claim: ResponseClaim) async throws(VaultError) -> Bool {
        let isRemoved = try await write { (transaction) throws(VaultError) in
            try transaction.delete(response: claim.name, sealed: claim.sealed)
        }
        if isRemoved { responses.withLock { $0?.totals -= ResponseTotals(count: 1, bytes: claim.sealed.count) } }
        return isRemoved
    }
}
