public import Vault

extension SQLiteAliasStore {
    /// Why the database could not do what it was last asked for, writing or reading: damaged, the disk full, locked. Nil if
    /// it could. Asks nothing of the disk.
    public var failure: VaultError? { writer.figures.failure ?? reader.figures.failure }

    /// More than a request usually asks for.
    private static let probedBytes = 32_768

    /// Tries again what failed for a reason that may pass, so that a store that nobody asks any more is found well again. A
    /// damaged file does not heal by another page of it being whole: there only what callers ask for can tell.
    public func retryAfterFailure() async {
        if case .unavailable? = writer.figures.failure {
            // A row that is taken back again: pages that must be found room for, and a sync. On a full disk one that exists
            // could still be changed in its place.
            try? await write { (transaction) throws(VaultError) in
                guard let key = try transaction.keys().first else { return }
                let row = AnswerRecord(
                    name: [UInt8](repeating: 0, count: 32), keyID: key.id,
                    sealed: [UInt8](repeating: 0, count: Self.probedBytes), expiresAt: .min)
                try transaction.replace(row)
                _ = try transaction.deleteAnswers(expiringBy: .min, limit: 1)
            }
        }
        if case .unavailable? = reader.figures.failure {
            _ = try? await read { (reading) throws(VaultError) in try reading.keys().count }
        }
    }
}
