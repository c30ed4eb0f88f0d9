import Synchronization

/// The durable mark under a name that a request is being carried out, or was: what ``Vault/claimResponse(_:with:for:within:)`` has stored.
public struct ResponseClaim: Sendable {
    let name: [UInt8]
    let sealed: [UInt8]
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
                guard old.expiresAt <= now else { return nil }
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
        owedReleases.withLock { if $0.count < Self.owedAtMost { $0.append(claim) } }
    }

    func owesRelease(of record: ResponseRecord) -> Bool {
        owedReleases.withLock { $0.contains { $0.name == record.name && $0.sealed == record.sealed } }
    }

    /// Removes claims that could not be removed before.
    func releaseOwed() async throws(VaultError) {
        while let claim = owedReleases.withLock({ $0.popLast() }) {
            do { try await remove(claim) } catch {
                owe(claim)
                throw error
            }
        }
    }

    private func remove(_ claim: ResponseClaim) async throws(VaultError) {
        let isRemoved = try await write { (transaction) throws(VaultError) in
            try transaction.delete(response: claim.name, sealed: claim.sealed)
        }
        guard isRemoved else { return }
        responses.withLock { $0?.totals -= ResponseTotals(count: 1, bytes: claim.sealed.count) }
    }
}
