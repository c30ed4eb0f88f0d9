public import Logging
import Vault
import VaultPostgres
import VaultSQLite

/// The vault that a configuration names, opened.
public struct OpenVault: Sendable {
    let vault: Vault
    let store: any DurableStore
    let audit: AuditLog

    /// Opens it, or makes a new one. A master key is made up only where there is no vault yet.
    public init(_ configuration: Configuration, logger: Logger) async throws(StartError) {
        let settings = configuration.vault
        try Self.demandVaultOfLog(configuration)
        let masterKey: MasterKey
        do { masterKey = try Self.masterKey(settings) } catch { throw StartError("vault.masterKey: \(error)") }
        store = try Self.store(settings)
        do { vault = try await Vault.open(Self.configuration(settings), masterKey: masterKey, store: store) } catch {
            throw StartError("vault: \(error)")
        }
        audit = try await Self.audit(configuration, vault, logger)
    }

    private static func store(_ settings: VaultSettings) throws(StartError) -> any DurableStore {
        if let postgres = settings.postgres {
            var configuration = postgres.configuration
            if settings.environment == .live { configuration.acceptedRisks = postgres.accepted }
            do { return try PostgresAliasStore(configuration) } catch {
                throw StartError("vault.postgres: \(error)")
            }
        }
        do { return try SQLiteAliasStore(SQLiteStoreConfiguration(path: settings.sqlitePath)) } catch {
            throw StartError("vault.sqlite: \(error)")
        }
    }

    /// Where a live vault has left its log, a new one is nothing that anybody wants: rather a disk is missing.
    private static func demandVaultOfLog(_ configuration: Configuration) throws(StartError) {
        let settings = configuration.vault
        guard settings.postgres == nil, settings.environment == .live, !SQLiteAliasStore.exists(at: settings.sqlitePath)
        else { return }
        let log = configuration.audit.path(besides: settings)
        guard FilePath.exists(log + ".head") else { return }
        throw StartError(
            """
            vault.sqlite: there is no vault at \(settings.sqlitePath), but one has left its audit log at \(log): put the vault \
            back, or move the log and its head away
            """)
    }

    private static func audit(
        _ configuration: Configuration, _ vault: Vault, _ logger: Logger
    ) async throws(StartError) -> AuditLog {
        let path = configuration.audit.path(besides: configuration.vault)
        PrivateFile.prepareDirectory(of: path)
        do {
            let writer = try AuditWriter(configuration.audit, path: path, key: vault.key(for: .audit))
            return try await AuditLog(writer, logger: logger)
        } catch {
            throw StartError("audit: \(error)")
        }
    }

    /// Records that the process stops, finishes what waits and closes the store. Whether all could be recorded.
    @discardableResult
    public func close() async -> Bool {
        let isRecorded = await audit.close()
        store.close()
        return isRecorded
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
