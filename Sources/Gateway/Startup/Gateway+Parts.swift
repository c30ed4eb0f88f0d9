import Access
import AuditLog
import Configuration
import EventHTTP
import EventIO
import FormSchema
import Foundation
import HTTPWire
import Vault

extension Gateway {
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

    /// One router for each loop, each with its own table of forms.
    static func routers(
        _ configuration: Configuration, vault: Vault, store: any DurableStore, loops: [EventLoop],
        telemetry: Telemetry, audit: AuditLog, erasures: ErasureRunner, sessions: Sessions, aliasLimits: AliasLimits,
        idempotency: Idempotency
    ) throws(StartError) -> [Router] {
        let limits = RequestLimits(configuration.server.rateLimit, configuration.credentials)
        if let limits { telemetry.addMetrics { limits.write(into: &$0) } }
        let client = Client(loops: loops)
        let providers = try IdentityProviders(configuration.auth, client: client, telemetry: telemetry)
        let authenticator: Authenticator
        // Checking salted hashes may use half of the cores, so that guessing does not starve the loops.
        let checksAtOnce = max(1, ProcessInfo.processInfo.activeProcessorCount / 2)
        do {
            authenticator = try Authenticator(
                configuration.credentials.map { Credential($0) }, sessions: sessions, providers: providers,
                limits: limits, audit: audit,
                checksAtOnce: checksAtOnce)
        } catch {
            throw StartError("credentials: \(error)")
        }
        telemetry.addMetrics { authenticator.write(into: &$0) }
        let forwarder: Forwarder
        do { forwarder = try Forwarder(client: client, routes: configuration.routes, telemetry: telemetry) } catch {
            throw StartError("routes: \(error)")
        }
        var remote: RemoteTokenizer?
        if let settings = configuration.vault.remote {
            do { remote = try RemoteTokenizer(settings, client: client, telemetry: telemetry) } catch {
                throw StartError("vault.remote: \(error)")
            }
        }
        let forms = FormCalls(
            authenticator: authenticator, idempotency: idempotency, judge: SubmissionJudge(telemetry: telemetry),
            creation: AliasCreation(
                vault: vault, remote: remote, limits: aliasLimits, telemetry: telemetry, audit: audit),
            forwarder: forwarder)
        let vaultCalls = VaultCalls(
            vault: vault, isRemote: remote != nil, authenticator: authenticator, maxItems: configuration.vault.maxItems,
            limits: aliasLimits, telemetry: telemetry, erasures: erasures,
            audit: audit)
        let routeCalls = RouteCalls(
            routes: configuration.routes, vault: vault, authenticator: authenticator, forwarder: forwarder,
            telemetry: telemetry, audit: audit, storeFailure: { store.failure })
        let elements = ElementCalls(
            isEnabled: configuration.servesElements,
            isDevelopment: configuration.listenAddresses.allSatisfy(\.isLoopback),
            isSandbox: configuration.vault.environment == .sandbox)
        return FormTable.tables(loops.count, of: configuration.forms, configuration).map { table in
            Router(
                forms: forms, vault: vaultCalls, routes: routeCalls, elements: elements, table: table,
                limits: limits, proxies: TrustedProxies([Network](configuration.server.trustedProxies)),
                telemetry: telemetry, isSecure: configuration.server.tls != nil)
        }
    }

    static func server(
        _ configuration: Configuration, loops: [EventLoop], routers: [Router]
    ) throws(StartError) -> Server {
        let settings = configuration.server
        let head = HeadLimits(
            startLineBytes: settings.limits.requestLine, headerBytes: settings.limits.headers,
            headerCount: settings.limits.headerCount)
        let limits = ServerLimits(
            head: head, bodyBytes: settings.limits.body, connections: settings.limits.connections)
        let timeouts = ServerTimeouts(
            header: settings.timeouts.header, body: settings.timeouts.body, idle: settings.timeouts.idle,
            maxWait: settings.maxWait)
        var tls: TLSServerContext?
        if let files = settings.tls {
            do { tls = try context(files) } catch { throw StartError("server.tls: \(error)") }
        }
        return Server(
            loops: loops, addresses: try addresses(settings.listen), limits: limits, timeouts: timeouts, tls: tls,
            proxyProtocol: settings.proxyProtocol,
            responders: routers.map { router in
                Server.Responder(handler: { await router.respond(to: $0) }, reject: { router.respond(to: $0) })
            })
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
