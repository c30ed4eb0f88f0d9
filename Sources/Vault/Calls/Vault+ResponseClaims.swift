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
        let added = try await write(within: limit) { [self] (transaction) throws(VaultError) -> ResponseTotals? in
            var added = ResponseTotals(count: 1, bytes: record.sealed.count)
            if let old = try transaction.response(name) {
                try learnKeys([old.keyID], transaction)
                _ = try open(old, under: name)
                guard old.expiresAt <= patient else { return nil }
                if try transaction.delete(response: name, sealed: old.sealed) {
                    added -= ResponseTotals(count: 1, bytes: old.sealed.count)
                }
            }
            return try transaction.insert(record) ? added : nil
        }
        guard let added else { return nil }
        responses.withLock { $0?.totals += added }
        return ResponseClaim(name: name, sealed: record.sealed)
    }

    /// Removes a claim in whose place no response is stored.
    public func release(_ claim: ResponseClaim) async throws(VaultError) {
        let isRemoved = try await write { (transaction) throws(VaultError) in
            try transaction.delete(response: claim.name, sealed: claim.sealed)
        }
        guard isRemoved else { return }
        responses.withLock { $0?.totals -= ResponseTotals(count: 1, bytes: claim.sealed.count) }
    }
}
