import Vault

extension Vault {
    /// The alias made for each item, in their order; all or none.
    func aliases(for items: [VaultItem], _ telemetry: Telemetry) async throws(Failure) -> [String] {
        let stored: [StoredValue]
        do { stored = try await create(items) } catch {
            telemetry.recordVaultFailure(error)
            throw Failure(error)
        }
        let aliases = stored.compactMap { $0.aliases.first?.alias }
        guard aliases.count == items.count else { throw .fault(.internalError) }
        return aliases
    }
}
