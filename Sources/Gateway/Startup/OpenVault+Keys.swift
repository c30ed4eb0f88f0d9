import Vault
import VaultSQLite

/// The data keys of a vault, for the command line.
extension OpenVault {
    /// One line a key: `key <number> <active|retired> created <time> uses <seals set aside>`.
    public func keyLines() async throws(StartError) -> [String] {
        do {
            return try await vault.keyStatus().map { key in
                let state = key.isActive ? "active" : "retired"
                let created = InstantText.seconds(key.createdAt)
                return "key \(key.id) \(state) created \(created) uses \(key.reservedUses)"
            }
        } catch {
            throw StartError("vault: \(error)")
        }
    }

    /// Makes a new data key for new values.
    public func rotateKey() async throws(StartError) {
        do { try await vault.rotateKey() } catch { throw StartError("vault: \(error)") }
    }

    /// Seals all values of older keys again under the active one.
    public func rewrap() async throws(StartError) {
        do {
            var cursor: Int64? = 0
            while let position = cursor { cursor = try await vault.rewrap(after: position) }
        } catch {
            throw StartError("vault: \(error)")
        }
    }

    /// Finishes what waits and closes the store.
    public func close() { store.close() }
}
