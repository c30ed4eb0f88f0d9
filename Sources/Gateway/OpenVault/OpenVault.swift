import AuditLog
import Configuration
import EventIO
import Logging
import Synchronization
import Vault
import VaultPostgres
import VaultSQLite
import VolatileRedis

/// The vault that a configuration names, opened.
struct OpenVault: Sendable {
    let vault: Vault
    let store: any DurableStore
    /// Where volatile values live that other processes share; nil for the memory of this one.
    let volatile: RedisVolatileStore?
    let audit: AuditLog
    private let anchoring: AuditAnchoring

    /// Opens the vault, or creates one. A master key is generated only if there is no vault yet.
    ///
    /// - Parameter isServed: false for a command: then a change of the master key stays under way, and the audit log must be there.
    init(_ configuration: Configuration, isServed: Bool, logger: Logger) async throws(StartError) {
        let settings = configuration.vault
        try Self.requireVaultOfLog(configuration)
        let masterKey: MasterKey
        do {
            masterKey = try MasterKey(
                settings.masterKey, generates: !SQLiteAliasStore.exists(at: settings.sqlitePath))
        } catch { throw StartError("vault.masterKey: \(error)") }
        store = try Self.store(settings, logger)
        volatile = try await Self.volatile(settings)
        do {
            vault = try await Vault.open(
                Self.configuration(settings), masterKey: masterKey, store: store, sharedVolatile: volatile)
        } catch { throw StartError("vault: \(error)") }
        let damaged = vault.metrics.damaged
        if damaged > 0 {
            logger.error(
                "the upgrade of the vault found \(damaged) rows that cannot be opened; they stay, and are reported as damaged"
            )
        }
        (audit, anchoring) = try await Self.audit(configuration, vault, isServed: isServed, logger)
        if isServed { try await completeMasterKeyChange() }
    }

    /// Recorded like every other change; a start that fails before has changed nothing.
    private func completeMasterKeyChange() async throws(StartError) {
        do {
            if try await vault.completeMasterKeyChange() {
                try audit.record(AuditEvent(.changeMasterKey, credential: "automatic"))
            }
        } catch { throw StartError("vault: \(error)") }
    }

    private static func store(_ settings: VaultSettings, _ logger: Logger) throws(StartError) -> any DurableStore {
        if let postgres = settings.postgres {
            var configuration = PostgresStoreConfiguration(postgres)
            if settings.environment == .live {
                configuration.acceptedRisks = Set(
                    postgres.accepted.compactMap { VaultPostgres.PostgresRisk(rawValue: $0.rawValue) })
            }
            configuration.reportRefusal = {
                logger.warning("a connection to the database cannot be made", metadata: ["reason": "\($0)"])
            }
            do { return try PostgresAliasStore(configuration) } catch {
                throw StartError("vault.postgres: \(error)")
            }
        }
        var configuration = SQLiteStoreConfiguration(path: settings.sqlitePath)
        configuration.eraseWithin = settings.eraseWithin
        let progress = Mutex(Progress("upgrade of the vault", every: 10))
        configuration.upgradeProgress = { converted, all in
            if let line = progress.withLock({ $0.line(converted, of: all) }) { logger.notice("\(line)") }
        }
        do { return try SQLiteAliasStore(configuration) } catch {
            throw StartError("vault.sqlite: \(error)")
        }
    }

    private static func volatile(_ settings: VaultSettings) async throws(StartError) -> RedisVolatileStore? {
        guard let redis = settings.redis else { return nil }
        do {
            var configuration = RedisConfiguration(
                host: redis.host, port: redis.port, database: redis.database,
                tls: redis.isSecure ? try TLSClientContext(redis.tls) : nil)
            configuration.certificateName = redis.tls.serverName
            (configuration.username, configuration.password) = (redis.username, redis.password)
            return try await RedisVolatileStore(configuration)
        } catch { throw StartError("vault.volatile.redis: \(error)") }
    }

    /// Refuses to create a live vault beside the audit log of another one: then the vault's disk is probably not mounted. And one of any
    /// environment in an empty file: what was cut or copied without its content is not a new vault.
    private static func requireVaultOfLog(_ configuration: Configuration) throws(StartError) {
        let settings = configuration.vault
        guard settings.postgres == nil, !SQLiteAliasStore.exists(at: settings.sqlitePath),
            settings.environment == .live || FilePath.exists(settings.sqlitePath)
        else { return }
        let log = configuration.audit.path(beside: settings)
        guard FilePath.exists(AuditFiles.head(of: log)) else { return }
        throw StartError(
            """
            vault.sqlite: there is no vault at \(settings.sqlitePath), but one has left its audit log at \(log): put the vault \
            back, or move all files of the log away: \(AuditFiles.names(of: log).joined(separator: ", "))
            """)
    }

    private static func audit(
        _ configuration: Configuration, _ vault: Vault, isServed: Bool, _ logger: Logger
    ) async throws(StartError) -> (AuditLog, AuditAnchoring) {
        let path = configuration.audit.path(beside: configuration.vault)
        let number = configuration.vault.logNumber(path)
        var anchor: AuditPosition?
        var isDamaged = false
        do { anchor = try await Self.anchor(of: number, at: path, vault) } catch .damaged {
            logger.error("what the vault has stored of the end of the audit log was changed")
            isDamaged = true
        } catch { throw StartError("vault: \(error)") }
        // Under another name a command would begin a second log, and the first one would seem to be cut.
        guard isServed || anchor?.sequence ?? 0 == 0 || AuditFiles.isThere(path) else {
            throw StartError(
                "audit: the log of this vault is not at \(path): name its place (audit.file), or serve the vault first")
        }
        do {
            let writer = try AuditWriter(
                path: path, maxBytes: configuration.audit.maxBytes, key: vault.key(for: .audit), anchor: anchor)
            let audit = try await AuditLog(writer) { logger.record($0) }
            if isDamaged { try audit.record(AuditEvent(.anchor, .damaged)) }
            let anchoring = AuditAnchoring(vault, audit, log: number, stored: anchor?.sequence ?? -1)
            await anchoring.update()
            return (audit, anchoring)
        } catch {
            throw StartError("audit: \(error)")
        }
    }

    /// Where the vault knows the log to stand. A log that does not exist yet begins here, so that it is missed from its first line on.
    private static func anchor(
        of log: Int64, at path: String, _ vault: Vault
    ) async throws(VaultError) -> AuditPosition? {
        if let anchor = try await vault.auditAnchor(of: log) {
            return AuditPosition(sequence: Int(anchor.sequence), code: anchor.code)
        }
        guard !FilePath.exists(path), !FilePath.exists(AuditFiles.head(of: path)) else { return nil }
        let origin = AuditPosition.origin
        try await vault.anchorAudit(log, sequence: Int64(origin.sequence), code: origin.code)
        return origin
    }

    /// Stores in the vault where the audit log stands: to be called every ``AuditAnchoring/interval``.
    func anchorAudit() async { await anchoring.update() }

    /// Records that the process stops, finishes waiting writes and closes the store. Returns whether all events could be recorded.
    @discardableResult
    func close() async -> Bool {
        recordRotations()
        let isRecorded = await audit.close()
        await anchoring.finish()
        store.close()
        volatile?.close()
        return isRecorded
    }

    private static func configuration(_ settings: VaultSettings) -> VaultConfiguration {
        var configuration = VaultConfiguration()
        configuration.environment = settings.environment == .live ? .live : .sandbox
        configuration.reuse = settings.reuse
        configuration.fallback = settings.aliasFallback == .uuid ? .uuid : .none
        let (seconds, attoseconds) = settings.volatileTTL.components
        configuration.volatileLifetime = seconds * 1_000 + attoseconds / 1_000_000_000_000_000
        configuration.volatileCapacity = settings.volatileEntries
        configuration.largeValues = { LargeBodies.thread }
        return configuration
    }
}

extension PostgresStoreConfiguration {
    /// The database of `vault.postgres`.
    init(_ settings: PostgresSettings) {
        self.init(url: settings.url)
        connections = settings.connections
        sharesSessions = settings.pooler == .transaction
    }
}

extension Logger {
    /// Writes what the audit log has to say about itself.
    fileprivate func record(_ notice: AuditNotice) {
        switch notice {
        case .writtenAgain: info("\(notice)")
        case .late(let event):
            error("\(notice)", metadata: ["requestId": "\(event.requestID ?? "-")", "count": "\(event.count)"])
        case .found, .failing, .lost: error("\(notice)")
        }
    }
}
