extension Vault {
    /// How many responses are stored for repeatable requests, expired ones that were not removed yet included, and their bytes.
    public func idempotencyUse() async throws(VaultError) -> (entries: Int, bytes: Int) {
        let totals = try await responseTotals()
        return (totals.count, totals.bytes)
    }
}
