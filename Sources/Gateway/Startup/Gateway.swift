import Access
import AuditLog
public import Configuration
import Crypto
import EventHTTP
import EventIO
public import FormSchema
import Glibc
import HTTPWire
import Logging
import Synchronization
import Vault

/// A running gateway: its loops, listeners and vault.
public final class Gateway: Sendable {
    /// What a reload replaces.
    private let state: Mutex<(configuration: Configuration, parts: Parts)>
    private let opened: OpenVault
    let telemetry: Telemetry
    let loops: [EventLoop]
    let reloads = ReloadCounts()
    private let reloading = ReloadCall()
    /// Of exchanges with upstreams and with a remote vault.
    let client: Client
    let routers: [CurrentRouter]
    private let exchange: AccessExchange
    private let retention: RetentionRunner
    private let auditRetention: AuditRetentionRunner
    private let expiry: ExpiryRunner
    private let sweeps = PassRunner()
    private let operations: OperationsCalls
    let server: Server
    private let adminServer: Server

    /// Addresses of the listeners.
    public struct Addresses: Sendable {
        /// Addresses for clients.
        public let clients: [String]
        /// The address for operations.
        public let admin: String
    }

    /// Opens the vault and creates everything; listening begins with `start()`. Throws with the setting's key if the vault, audit log,
    /// credentials, routes or TLS files cannot be used.
    ///
    /// - Parameter warnings: of the configuration, for the log.
    public init(
        _ configuration: Configuration, warnings: [Mistake] = [], sink: LogSink
    ) async throws(StartError) {
        telemetry = Telemetry(configuration.log, sink: sink)
        for warning in warnings { telemetry.logger.warning("\(warning)") }
        telemetry.addMetrics { [reloads] text in
            Build.write(into: &text)
            reloads.write(into: &text)
        }
        Self.raiseFileLimit(configuration.server, logger: telemetry.logger)
        opened = try await OpenVault(configuration, isServed: true, logger: telemetry.logger)
        var configuration = configuration
        configuration.noteMasterKey()
        loops = try Self.loops(configuration.server.workers)
        let vault = opened.vault
        let idempotency: Idempotency
        let sessions: Sessions
        let aliasLimits: AliasLimits
        do {
            idempotency = try Idempotency(vault, Self.limits(configuration.vault.idempotency), telemetry: telemetry)
            let keys = try AccessKeys(root: vault.key(for: .operations))
            aliasLimits = try Self.aliasLimits(configuration.vault, keys, opened, telemetry: telemetry)
            sessions = Sessions(keys, vault: vault, telemetry: telemetry)
            telemetry.addMetrics { [sessions] in sessions.write(into: &$0) }
            exchange = AccessExchange(
                vault, ended: sessions.ended, guesses: aliasLimits.guesses.counter, telemetry: telemetry)
            try await exchange.readAll()
        } catch { throw StartError("vault: \(error)") }
        expiry = ExpiryRunner(vault: vault, audit: opened.audit, telemetry: telemetry)
        retention = RetentionRunner(
            configuration.retention, vault: vault, audit: opened.audit, telemetry: telemetry)
        auditRetention = AuditRetentionRunner(configuration, audit: opened.audit, telemetry: telemetry)
        client = Client(loops: loops)
        let providers = try IdentityProviders(configuration.auth, client: client, telemetry: telemetry)
        let limits = RequestLimits(configuration.server.rateLimit, configuration.credentials)
        let secrets = SecretMemory()
        let parts = Parts(
            forwarder: try Self.forwarder(configuration, client: client, telemetry: telemetry),
            remote: try Self.remote(configuration, client: client, telemetry: telemetry), sessions: sessions,
            providers: providers, secrets: secrets, limits: limits,
            authenticator: try Self.authenticator(
                configuration, secrets, limits, sessions: sessions, providers, opened.audit, telemetry: telemetry),
            aliasLimits: aliasLimits, idempotency: idempotency,
            erasures: ErasureRunner(vault: vault, audit: opened.audit, telemetry: telemetry))
        parts.takeOver(telemetry)
        state = Mutex((configuration, parts))
        routers = try Self.routers(configuration, parts, opened, loops: loops.count, telemetry: telemetry)
            .map(CurrentRouter.init)
        server = try Self.server(configuration, loops: loops, routers: routers)
        do {
            operations = try OperationsCalls(
                opened, reloading: reloading, reloads: reloads, telemetry: telemetry, server: server)
        } catch { throw StartError("vault: \(error)") }
        adminServer = try Self.adminServer(configuration.admin, loops: loops, operations)
    }

    /// Binds all addresses and begins to accept connections. Throws with the address and its setting if it cannot be bound.
    public func start() throws(StartError) -> Addresses {
        // Clients first: once /health/ready returns 200, they must be able to connect.
        let clients = try Self.start(server, on: configuration.server.listen, of: "server.listen")
        let admin = try Self.start(adminServer, on: [configuration.admin], of: "admin.listen")
        warnOfUnlockedMemory()
        parts.erasures.wake()
        retention.wake()
        auditRetention.wake()
        exchange.start()
        // Believes the clock as it is now.
        _ = VaultClock.system.patientSeconds()
        if let admin = admin.first { opened.store.announce(address: "\(admin)") }
        let scheme = configuration.server.tls == nil ? "http" : "https"
        return Addresses(
            clients: clients.map { "\(scheme)://\($0)" }, admin: admin.first.map { "http://\($0)" } ?? "")
    }

    /// Says what of the process's memory cannot be locked, if anything.
    func warnOfUnlockedMemory() {
        guard !ProcessHardening.isMemoryLocked else { return }
        let remedy = "set LimitMEMLOCK=infinity (or ulimit -l unlimited), or turn swap off"
        if KeyMemory.isLocked {
            logger.warning(
                "memory cannot be locked, but for keys: values that are being handled may be swapped to disk; \(remedy)"
            )
        } else {
            logger.error(
                "memory cannot be locked, not even that of keys: keys and values may be swapped to disk; \(remedy)")
        }
    }

    /// The configuration that is in use.
    var configuration: Configuration { state.withLock { $0.configuration } }
    var parts: Parts { state.withLock { $0.parts } }

    /// Goes on with another configuration.
    func replace(_ configuration: Configuration, _ parts: Parts) { state.withLock { $0 = (configuration, parts) } }

    /// Routers for another configuration.
    func routers(
        _ configuration: Configuration, _ parts: Parts, counts: [RequestCounts]
    ) throws(StartError) -> [Router] {
        try Self.routers(
            configuration, parts, opened, loops: loops.count, telemetry: telemetry, counts: counts)
    }

    /// Carries out a reload that is asked for at the admin listener.
    func onReload(_ action: @escaping @Sendable (_ person: String) async -> ReloadReport) {
        reloading.setAction(action)
    }

    /// Seconds that ``drain()`` takes at most.
    var longestStop: Int64 {
        let server = configuration.server
        return (server.shutdownDelay + server.timeouts.drain).components.seconds + 15
    }

    /// Makes `/health/ready` return 503 while connections are still accepted, for `server.shutdownDelay`: load balancers need that time
    /// to notice. Then stops accepting, lets running requests finish within `server.timeouts.drain`, breaks off those that have not, and
    /// closes the vault, however a database stands. Returns whether all events could be recorded.
    func drain() async -> Bool {
        operations.stop()
        telemetry.logger.info("stopping")
        let delay = configuration.server.shutdownDelay
        if delay > .zero { try? await Task.sleep(for: delay) }
        await server.drain(within: configuration.server.timeouts.drain)
        opened.store.endWaitsSoon()
        await adminServer.drain(within: .seconds(1))
        // As long as a store may still keep requests waiting, and a second for their responses.
        await server.end(within: .seconds(6))
        await stopBackground()
        await exchange.stop()
        let isRecorded = await opened.close()
        telemetry.logger.info("stopped")
        return isRecorded
    }

    /// All at once, because each may wait for a step that takes seconds.
    private func stopBackground() async {
        async let sweeps: Void = sweeps.stop()
        async let expiry: Void = expiry.stop()
        async let erasures: Void = parts.erasures.stop()
        async let retention: Void = retention.stop()
        async let auditRetention: Void = auditRetention.stop()
        _ = await (sweeps, expiry, erasures, retention, auditRetention)
    }

    /// Stores in the vault where the audit log stands.
    func anchorAudit() async { await opened.anchorAudit() }

    /// Removes expired volatile values and stored responses, tries to recover a failed store, and reads what other processes have
    /// changed; returns at once.
    func sweep() { sweeps.wake { [self] in await sweepNow() } }

    private func sweepNow() async {
        vault.sweep()
        parts.sessions.ended.sweep(at: VaultClock.system.patientSeconds())
        await opened.store.retryAfterFailure()
        // Each for itself: what one of them cannot do, or one of its records, keeps no other from its work.
        do { try await vault.checkVolatile() } catch { telemetry.recordVaultFailure(error) }
        do { try await vault.catchUp() } catch { telemetry.recordVaultFailure(error) }
        telemetry.noteClock(aheadBy: vault.clockIsAheadBy)
        opened.recordRotations()
        do { try await vault.sweepResponses() } catch { telemetry.recordVaultFailure(error) }
        await parts.idempotency.refreshUse()
        expiry.wake()
        parts.erasures.wake()
        retention.wake()
        auditRetention.wake()
        do { try await vault.sweepAccessRecords() } catch { telemetry.recordVaultFailure(error) }
    }

    var logger: Logger { telemetry.logger }
    var vault: Vault { opened.vault }
    var audit: AuditLog { opened.audit }
}
