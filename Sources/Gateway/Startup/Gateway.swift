import Access
import AuditLog
public import Configuration
import EventHTTP
import EventIO
import FormSchema
import Glibc
import HTTPWire
import Logging
import Synchronization
import Vault

/// A running gateway: its loops, listeners and vault.
public final class Gateway: Sendable {
    private let configuration: Configuration
    private let opened: OpenVault
    private let telemetry: Telemetry
    let loops: [EventLoop]
    private let reloads = ReloadCounts()
    private let routers: [Router]
    private let idempotency: Idempotency
    private let erasures: ErasureRunner
    private let retention: RetentionRunner
    private let sessions: Sessions
    let aliasLimits: AliasLimits
    private let operations: OperationsCalls
    private let server: Server
    private let adminServer: Server
    private let sink: LogSink

    /// Addresses of the listeners.
    public struct Addresses: Sendable {
        public let clients: [String]
        public let admin: String
    }

    /// Opens the vault and creates everything; listening begins with `start()`.
    public init(_ configuration: Configuration, sink: LogSink) async throws(StartError) {
        self.configuration = configuration
        self.sink = sink
        let files = OpenFiles.raiseLimit()
        telemetry = Telemetry(configuration.log, sink: sink)
        telemetry.addMetrics { [reloads] text in
            Build.write(into: &text)
            reloads.write(into: &text)
        }
        if files < configuration.server.limits.connections {
            telemetry.logger.warning(
                """
                only \(files) files may be open, and server.limits.connections is \
                \(configuration.server.limits.connections): raise the limit of the process (ulimit -n)
                """)
        }
        opened = try await OpenVault(configuration, logger: telemetry.logger)
        let loops = try Self.loops(configuration.server.workers)
        self.loops = loops
        let vault = opened.vault
        do {
            idempotency = try Idempotency(vault, Self.limits(configuration.vault.idempotency), telemetry: telemetry)
        } catch { throw StartError("vault: \(error)") }
        do {
            let keys = try AccessKeys(root: vault.key(for: .operations))
            let guessing = configuration.vault.guessing
            aliasLimits = AliasLimits(
                guesses: try GuessCounter(
                    key: keys.guesses, limit: guessing.limit, window: Int(guessing.window.components.seconds)),
                capacity: configuration.vault.volatileEntries,
                lifetime: max(configuration.vault.volatileTTL.components.seconds, 1), telemetry: telemetry,
                audit: opened.audit)
            // Until the store records uses, a session that counts them is refused.
            sessions = Sessions(keys) { (_) throws(CallError) in throw .unavailable }
        } catch { throw StartError("vault: \(error)") }
        sessions.ended.merge([], at: EndedSessions.neverStale)
        retention = RetentionRunner(configuration, vault: vault, audit: opened.audit, telemetry: telemetry)
        erasures = ErasureRunner(vault: vault, audit: opened.audit, telemetry: telemetry)
        let routers = try Self.routers(
            configuration, vault: vault, store: opened.store, loops: loops, telemetry: telemetry, audit: opened.audit,
            erasures: erasures, sessions: sessions, aliasLimits: aliasLimits, idempotency: idempotency)
        self.routers = routers
        server = try Self.server(configuration, loops: loops, routers: routers)
        let keys: KeyCalls
        do { keys = try KeyCalls(opened) } catch { throw StartError("vault: \(error)") }
        let operations = OperationsCalls(opened, keys: keys, telemetry: telemetry, server: server)
        self.operations = operations
        adminServer = Server(
            loops: Array(loops.prefix(1)), addresses: try Self.addresses([configuration.admin]),
            limits: ServerLimits(bodyBytes: 4_096, connections: 256), timeouts: ServerTimeouts(),
            handler: { await operations.respond(to: $0) }, reject: { OperationsCalls.respond(to: $0) })
    }

    /// Binds all addresses and begins to accept connections.
    public func start() throws(StartError) -> Addresses {
        let admin = try Self.start(adminServer, on: [configuration.admin], of: "admin.listen")
        let clients = try Self.start(server, on: configuration.server.listen, of: "server.listen")
        erasures.wake()
        retention.wake()
        if let admin = admin.first { opened.store.announce(address: "\(admin)") }
        let scheme = configuration.server.tls == nil ? "http" : "https"
        return Addresses(
            clients: clients.map { "\(scheme)://\($0)" }, admin: admin.first.map { "http://\($0)" } ?? "")
    }

    /// Hosts other forms from the next request on.
    func replaceForms(_ forms: [FormSchema]) {
        let tables = FormTable.tables(routers.count, of: forms, configuration)
        for (router, table) in zip(routers, tables) { router.replaceForms(table) }
    }

    /// Reloads the certificate of `server.tls` for new connections. Returns false if that failed, and the previous one stays.
    func reloadCertificate() -> Bool {
        guard let tls = configuration.server.tls else { return true }
        do { server.replaceTLS(try Self.context(tls)) } catch {
            telemetry.logger.error("the certificate could not be reloaded, the previous one stays in use: \(error)")
            return false
        }
        return true
    }

    /// Counts a reload, which was taken or refused because of a mistake.
    func countReload(isTaken: Bool) { reloads.add(isTaken: isTaken) }

    /// Seconds that ``drain()`` takes at most.
    var longestStop: Int64 {
        let server = configuration.server
        return (server.shutdownDelay + server.timeouts.drain).components.seconds + 15
    }

    /// Makes `/health/ready` return 503 while connections are still accepted, for `server.shutdownDelay`: load balancers need that time
    /// to notice. Then stops accepting, lets running requests finish within `server.timeouts.drain`, and closes the vault. Returns
    /// whether all events could be recorded.
    func drain() async -> Bool {
        operations.stop()
        telemetry.logger.info("stopping")
        let delay = configuration.server.shutdownDelay
        if delay > .zero { try? await Task.sleep(for: delay) }
        await server.drain(within: configuration.server.timeouts.drain)
        await adminServer.drain(within: .seconds(1))
        await erasures.stop()
        let isRecorded = await opened.close()
        telemetry.logger.info("stopped")
        sink.finish()
        return isRecorded
    }

    /// Stores in the vault where the audit log stands.
    func anchorAudit() async { await opened.anchorAudit() }

    /// Removes expired volatile values and stored responses, tries to recover a failed store, and reads what other processes have
    /// changed.
    func sweep() async {
        vault.sweep()
        await opened.store.retryAfterFailure()
        do { try await vault.checkVolatile() } catch { telemetry.recordVaultFailure(error) }
        do {
            try await vault.catchUp()
            recordRotations()
            try await vault.sweepResponses()
            await idempotency.refreshUse()
            try await eraseExpired()
            erasures.wake()
            retention.wake()
        } catch { telemetry.recordVaultFailure(error) }
    }

    /// Records the keys that were made because the one before was due.
    private func recordRotations() {
        for _ in vault.takeRotations() { try? opened.audit.record(AuditEvent(.rotateKey, credential: "automatic")) }
    }

    /// Erases what has expired, with one audit event a batch. Aliases are unknown from the moment they expire.
    private func eraseExpired() async throws(VaultError) {
        var cursor: ExpiryCursor?
        repeat {
            let erased = try await vault.eraseExpired(after: cursor)
            if erased.aliases > 0 {
                try? opened.audit.place().record(AuditEvent(.expire, count: erased.aliases))
            }
            cursor = erased.next
        } while cursor != nil
    }

    var logger: Logger { telemetry.logger }
    var vault: Vault { opened.vault }
}
