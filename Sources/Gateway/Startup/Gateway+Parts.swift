import Access
import AuditLog
import Configuration
import EventHTTP
import EventIO
import FormSchema
import Foundation
import HTTPWire
import Logging
import Vault

extension Gateway {
    /// Raises the limit on open files as far as the process may, and says so if that is not enough for the configured connections.
    static func raiseFileLimit(_ settings: ServerSettings, logger: Logger) {
        let files = OpenFiles.raiseLimit()
        let connections = settings.limits.connections
        let possible = OpenFiles.clientLimit(configured: connections, files: files)
        guard possible < connections else { return }
        logger.warning(
            """
            only \(files) files may be open, which is enough for \(possible) connections of clients, and \
            server.limits.connections is \(connections): raise the limit of the process (ulimit -n)
            """)
    }

    /// `server.workers` loops, each on its own thread; 0: one for each core that this process may use (a container may restrict them).
    static func loops(_ workers: Int) throws(StartError) -> [EventLoop] {
        let count = workers == 0 ? max(ProcessInfo.processInfo.activeProcessorCount, 1) : workers
        var loops: [EventLoop] = []
        do {
            for index in 0..<count {
                let loop = try EventLoop(name: "worker \(index)")
                try loop.start()
                loops.append(loop)
            }
        } catch {
            throw StartError("cannot start event loops: \(error)")
        }
        return loops
    }

    /// What routers share, and a reload keeps where the configuration for it stays the same.
    struct Parts {
        var forwarder: Forwarder
        let remote: RemoteTokenizer?
        let sessions: Sessions
        var providers: IdentityProviders
        let secrets: SecretMemory
        /// Nil if nothing is limited.
        var limits: RequestLimits?
        var authenticator: Authenticator
        let aliasLimits: AliasLimits
        let idempotency: Idempotency
        let erasures: ErasureRunner

        /// Has the metrics count these parts, once they are in use, and the next authenticator know what this one finds out.
        func takeOver(_ telemetry: Telemetry) {
            authenticator.takeOver()
            let (upstreams, remoteVault) = (forwarder.metrics, remote?.metrics)
            // Not retained here: they retain the telemetry.
            telemetry.addMetrics { [limits, weak authenticator, weak providers] text in
                limits?.write(into: &text)
                authenticator?.write(into: &text)
                upstreams(&text)
                remoteVault?(&text)
                if let providers, !providers.isEmpty { providers.write(into: &text) }
            }
        }
    }

    /// What a caller may learn and use up of the vault's aliases.
    static func aliasLimits(
        _ settings: VaultSettings, _ keys: AccessKeys, _ opened: OpenVault, telemetry: Telemetry
    ) throws -> AliasLimits {
        let vault = opened.vault
        let counter = try GuessCounter(
            key: keys.guesses, limit: settings.guessing.limit,
            window: Int(settings.guessing.window.components.seconds))
        let lifetime = max(settings.volatileTTL.components.seconds, 1)
        return AliasLimits(
            guesses: GuessLimit(counter, clock: vault.configuration.clock, telemetry: telemetry, audit: opened.audit),
            volatile: VolatileShares(
                capacity: settings.volatileEntries, lifetime: lifetime, clock: vault.configuration.clock,
                telemetry: telemetry,
                stored: { vault.sharedVolatilePlaces }, dropEnded: { vault.sweepSome() }),
            narrow: NarrowSpaceShares(lifetime: lifetime, telemetry: telemetry),
            reveals: RevealShares(telemetry: telemetry))
    }

    /// - Parameter memory: of the secrets that were presented before.
    static func authenticator(
        _ configuration: Configuration, _ memory: SecretMemory, _ limits: RequestLimits?, sessions: Sessions,
        _ providers: IdentityProviders, _ audit: AuditLog, telemetry: Telemetry
    ) throws(StartError) -> Authenticator {
        do {
            return try Authenticator(
                configuration.credentials.map { Credential($0) }, sessions: sessions, providers: providers,
                limits: limits, memory: memory, audit: audit, telemetry: telemetry,
                // Checking salted hashes may use half of the cores, so that guessing does not starve the loops.
                checksAtOnce: max(1, ProcessInfo.processInfo.activeProcessorCount / 2))
        } catch {
            throw StartError("credentials: \(error)")
        }
    }

    /// - Parameter former: that of the configuration before, and what of the routes is as it was.
    static func forwarder(
        _ configuration: Configuration, following former: (forwarder: Forwarder, unchanged: Set<String>)? = nil,
        client: Client, telemetry: Telemetry
    ) throws(StartError) -> Forwarder {
        do {
            return try Forwarder(
                client: client, routes: configuration.routes, following: former?.forwarder,
                unchanged: former?.unchanged ?? [], telemetry: telemetry)
        } catch {
            throw StartError("routes: \(error)")
        }
    }

    static func remote(
        _ configuration: Configuration, client: Client, telemetry: Telemetry
    ) throws(StartError) -> RemoteTokenizer? {
        guard let settings = configuration.vault.remote else { return nil }
        do { return try RemoteTokenizer(settings, client: client, telemetry: telemetry) } catch {
            throw StartError("vault.remote: \(error)")
        }
    }

    /// One router for each loop, each with its own table of forms.
    ///
    /// - Parameter counts: those of the routers that these take the place of, one for each loop; empty for new ones.
    static func routers(
        _ configuration: Configuration, _ parts: Parts, _ opened: OpenVault, loops: Int, telemetry: Telemetry,
        counts: [RequestCounts] = []
    ) throws(StartError) -> [Router] {
        let calls = calls(configuration, parts, opened, telemetry: telemetry)
        return FormTable.tables(loops, configuration).enumerated().map { index, table in
            Router(
                calls, table: table, limits: parts.limits,
                proxies: TrustedProxies(configuration.server.trustedProxies), telemetry: telemetry,
                counts: counts.indices.contains(index) ? counts[index] : nil,
                isSecure: configuration.server.tls != nil)
        }
    }

    private static func calls(
        _ configuration: Configuration, _ parts: Parts, _ opened: OpenVault, telemetry: Telemetry
    ) -> Calls {
        let (authenticator, forwarder, limits) = (parts.authenticator, parts.forwarder, parts.aliasLimits)
        let (vault, store, audit) = (opened.vault, opened.store, opened.audit)
        return Calls(
            forms: FormCalls(
                authenticator: authenticator, idempotency: parts.idempotency,
                judge: SubmissionJudge(telemetry: telemetry),
                creation: AliasCreation(
                    vault: vault, remote: parts.remote, limits: limits, telemetry: telemetry, audit: audit),
                forwarder: forwarder),
            vault: VaultCalls(
                vault: vault, isRemote: parts.remote != nil, authenticator: authenticator,
                maxItems: configuration.vault.maxItems, limits: limits, telemetry: telemetry,
                erasures: parts.erasures, audit: audit),
            routes: RouteCalls(
                routes: configuration.routes, vault: vault, authenticator: authenticator, forwarder: forwarder,
                volatile: limits.volatile, telemetry: telemetry, audit: audit, storeFailure: { store.failure }),
            elements: ElementCalls(
                isEnabled: configuration.servesElements,
                isDevelopment: configuration.listenAddresses.allSatisfy(\.isLoopback),
                isSandbox: configuration.vault.environment == .sandbox),
            sessions: SessionCalls(authenticator: authenticator, audit: audit),
            accessTokens: AccessTokenCalls(authenticator: authenticator, audit: audit))
    }

    static func server(
        _ configuration: Configuration, loops: [EventLoop], routers: [CurrentRouter]
    ) throws(StartError) -> Server {
        let settings = configuration.server
        var tls: TLSServerContext?
        if let files = settings.tls {
            do { tls = try context(files) } catch { throw StartError("server.tls: \(error)") }
        }
        return Server(
            loops: loops, addresses: try addresses(settings.listen), limits: limits(settings),
            timeouts: timeouts(settings), tls: tls,
            proxyProtocol: settings.proxyProtocol,
            responders: routers.map(\.responder))
    }

    /// The listener for operators, on the first loop.
    static func adminServer(
        _ address: ListenAddress, loops: [EventLoop], _ operations: OperationsCalls
    ) throws(StartError) -> Server {
        Server(
            loops: Array(loops.prefix(1)), addresses: try addresses([address]),
            limits: ServerLimits(bodyBytes: 4_096, connections: 256), timeouts: ServerTimeouts(),
            handler: { await operations.respond(to: $0) }, reject: { OperationsCalls.respond(to: $0) })
    }

    static func limits(_ settings: ServerSettings) -> ServerLimits {
        let head = HeadLimits(
            startLineBytes: settings.limits.requestLine, headerBytes: settings.limits.headers,
            headerCount: settings.limits.headerCount)
        return ServerLimits(
            head: head, bodyBytes: settings.limits.body, connections: settings.limits.connections)
    }

    static func timeouts(_ settings: ServerSettings) -> ServerTimeouts {
        ServerTimeouts(
            header: settings.timeouts.header, body: settings.timeouts.body, idle: settings.timeouts.idle,
            maxWait: settings.maxWait)
    }

    static func limits(_ settings: VaultSettings.Idempotency) -> IdempotencyLimits {
        IdempotencyLimits(
            lifetime: max(settings.ttl.components.seconds, 1), bytes: settings.maxBytes, entries: settings.maxEntries)
    }

    static func context(_ files: ServerSettings.TLS) throws(IOError) -> TLSServerContext {
        try TLSServerContext(certificateChain: files.certificate, privateKey: files.key, clientCA: files.clientCA)
    }

    /// The socket addresses of the configured ones.
    static func addresses(_ configured: [ListenAddress]) throws(StartError) -> [SocketAddress] {
        try configured.map { (address) throws(StartError) in
            guard let socketAddress = address.socketAddress else { throw StartError("cannot listen on \(address)") }
            return socketAddress
        }
    }
}
