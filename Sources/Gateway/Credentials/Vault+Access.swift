import Access
import Vault

/// What processes of a vault share about callers, as rows of its store.
extension Vault {
    /// Records one use of a session durably; returns whether it had one left.
    ///
    /// - Parameter limit: how long the request may wait for the store.
    func record(_ use: SessionUse, within limit: WaitLimit? = nil) async throws(VaultError) -> Bool {
        try await changeAccessRecord(.uses, use.name, forgottenAt: use.forgottenAt, within: limit) {
            use.count(after: $0)
        }
    }

    /// Records the early end of a session durably.
    func record(_ ending: SessionEnding) async throws(VaultError) {
        try await addAccessRecords([
            AccessRecord(
                .ending, name: ending.id.bytes, content: Array((ending.owner ?? "").utf8),
                forgottenAt: ending.forgottenAt)
        ])
    }

    /// The ends that were recorded since a reading; nil: all of them. See ``accessRecords(_:since:)``. A session whose end cannot be
    /// read any more has ended all the same: `damaged`.
    ///
    /// - Parameter now: Unix seconds.
    func endings(
        since: Int64?, at now: Int64
    ) async throws(VaultError) -> (endings: [SessionEnding], damaged: [SessionEnding], readAt: Int64) {
        let reading = try await accessRecords(.ending, since: since)
        let endings = reading.records.compactMap { record in
            SessionID(bytes: record.name).map { id in
                SessionEnding(
                    id: id, owner: String(decoding: record.content, as: UTF8.self),
                    forgottenAt: record.forgottenAt)
            }
        }
        let damaged = reading.damaged.compactMap { name in
            SessionID(bytes: name).map { SessionEnding(damaged: $0, at: now) }
        }
        return (endings, damaged, reading.readAt)
    }

    /// Records what a caller guessed, for the other processes and for the next start.
    ///
    /// - Parameter forgottenAt: Unix seconds.
    func record(_ guesses: [GuessReport], forgottenAt: Int64) async throws(VaultError) {
        try await addAccessRecords(guesses.map { AccessRecord(.guess, name: $0.bytes, forgottenAt: forgottenAt) })
    }

    /// The guesses that were recorded since a reading; nil: all of them.
    func guesses(since: Int64?) async throws(VaultError) -> (guesses: [GuessReport], readAt: Int64) {
        let reading = try await accessRecords(.guess, since: since)
        return (reading.records.compactMap { GuessReport(bytes: $0.name) }, reading.readAt)
    }
}
