import Vault

extension Vault {
    /// The alias created for each item, in their order; all or none.
    ///
    /// - Parameters:
    ///   - admission: whether the caller may have aliases of narrow formats; nil for no limit.
    ///   - limit: how long the request may wait for the store; nil if it must not be refused.
    func aliases(
        for items: [VaultItem], admission: AliasAdmission? = nil, within limit: WaitLimit? = nil, _ telemetry: Telemetry
    ) async throws(CallError) -> [String] {
        let stored: [StoredValue]
        do { stored = try await create(items, admission: admission, within: limit) } catch {
            throw telemetry.callError(of: error)
        }
        let aliases = stored.compactMap { $0.aliases.first?.alias }
        guard aliases.count == items.count else { throw .internalError }
        return aliases
    }
}
