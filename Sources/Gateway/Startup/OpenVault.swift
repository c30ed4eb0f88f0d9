import Glibc
import Vault
import VaultSQLite

/// The vault that a configuration names, opened.
public struct OpenVault: Sendable {
    let vault: Vault
    let store: SQLiteAliasStore

    /// Opens it, or makes a new one. A master key is made up only where there is no vault yet.
    public init(_ settings: VaultSettings) async throws(StartError) {
        let masterKey: MasterKey
        do { masterKey = try Self.masterKey(settings) } catch { throw StartError("vault.masterKey: \(error)") }
        do { store = try SQLiteAliasStore(SQLiteStoreConfiguration(path: settings.sqlitePath)) } catch {
            throw StartError("vault.sqlite: \(error)")
        }
        do { vault = try await Vault.open(Self.configuration(settings), masterKey: masterKey, store: store) } catch {
            throw StartError("vault: \(error)")
        }
    }

    private static func masterKey(_ settings: VaultSettings) throws(VaultError) -> MasterKey {
        switch settings.masterKey {
        case .file(let path, let generate):
            return try MasterKey(file: path, generate: generate && !SQLiteAliasStore.exists(at: settings.sqlitePath))
        case .environment(let variable):
            guard let value = getenv(variable), let text = String(validatingCString: value) else {
                throw .unusableMasterKey("the environment has no variable \(variable)")
            }
            return try MasterKey(text: text)
        }
    }

    private static func configuration(_ settings: VaultSettings) -> VaultConfiguration {
        var configuration = VaultConfiguration()
        configuration.environment = settings.environment
        configuration.reuse = settings.reuse
        configuration.fallback = settings.aliasFallback
        let (seconds, attoseconds) = settings.volatileTTL.components
        configuration.volatileLifetime = seconds * 1_000 + attoseconds / 1_000_000_000_000_000
        configuration.volatileCapacity = settings.volatileEntries
        return configuration
    }
}
