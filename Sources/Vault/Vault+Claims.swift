import Synchronization

/// What one of several processes is about to answer, so that the others do not.
public struct AnswerClaim: Sendable {
    let name: [UInt8]
    let sealed: [UInt8]
}

extension Vault {
    /// Keeps `mark` under `name` (32 bytes) for so many seconds, if nothing is kept there whose time has not passed, or that is not
    /// `stale`; nil if something is. `keep` puts the answer in its place.
    public func claim(
        _ name: [UInt8], with mark: [UInt8], for seconds: Int64, over stale: @escaping @Sendable ([UInt8]) -> Bool
    ) async throws(VaultError) -> AnswerClaim? {
        let now = configuration.clock.unixSeconds()
        try await setSealsAside(1, now: now)
        let key = keyring.active
        let sealed = try sealer.seal(answer: mark, name: name, key: key)
        let record = AnswerRecord(name: name, keyID: key.id, sealed: sealed, expiresAt: now + seconds)
        let added = try await store.write { [self] (transaction) throws(VaultError) -> AnswerTotals? in
            var added = AnswerTotals(count: 1, bytes: sealed.count)
            if let old = try transaction.answer(name) {
                try learnKeys([old.keyID], transaction)
                let kept = try sealer.open(answer: old.sealed, name: name, key: keyring.key(old.keyID))
                guard old.expiresAt <= now || stale(kept) else { return nil }
                if try transaction.delete(answer: name, sealed: old.sealed) {
                    added -= AnswerTotals(count: 1, bytes: old.sealed.count)
                }
            }
            return try transaction.insert(record) ? added : nil
        }
        guard let added else { return nil }
        answers.withLock { $0?.totals += added }
        return AnswerClaim(name: name, sealed: sealed)
    }

    /// Takes a claim back in whose place no answer is kept.
    public func release(_ claim: AnswerClaim) async throws(VaultError) {
        let isRemoved = try await store.write { (transaction) throws(VaultError) in
            try transaction.delete(answer: claim.name, sealed: claim.sealed)
        }
        guard isRemoved else { return }
        answers.withLock { $0?.totals -= AnswerTotals(count: 1, bytes: claim.sealed.count) }
    }
}
