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
    private let routers: [Router]
    private let operations: OperationsCalls
    private let server: Server
    private let adminServer: Server
    private let sink: LogSink

    /// Where it listens, once it does.
    public struct Addresses: Sendable {
        public let clients: [String]
        public let admin: String
    }

    /// Opens the vault and prepares everything; nothing is listened on before `start()`.
    public init(_ configuration: Configuration, sink: LogSink) async throws(StartError) {
        self.configuration = configuration
        self.sink = sink
        let files = OpenFiles.raiseLimit()
        telemetry = Telemetry(configuration.log, sink: sink)
        if files < configuration.server.limits.connections {
            telemetry.logger.warning(
                """
                only \(files) files may be open, and server.limits.connections is \
                \(configuration.server.limits.connections): raise the limit of the process (ulimit -n)
                """)
        }
        opened = try await OpenVault(configuration, logger: telemetry.logger)
        let loops = try Self.loops(configuration.server.workers)
        let vault = opened.vault
        let routers = try Self.routers(
            configuration, vault: vault, store: opened.store, loops: loops, telemetry: telemetry, audit: opened.audit)
        self.routers = routers
        server = try Self.server(configuration, loops: loops, routers: routers)
        let keys: KeyCalls
        do { keys = try KeyCalls(opened) } catch { throw StartError("vault: \(error)") }
        let operations = OperationsCalls(opened, keys: keys, telemetry: telemetry, server: server)
        self.operations = operations
        adminServer = Server(
            loops: Array(loops.prefix(1)), addresses: try Self.addresses([configuration.admin]),
            limits: ServerLimits(bodyBytes: 4_096, connections: 256), timeouts: ServerTimeouts(),
            handler: { await operations.answer($0) }, refuse: { OperationsCalls.refuse($0) })
    }

    /// Binds all addresses and begins to answer.
    public func start() throws(StartError) -> Addresses {
        let admin = try Self.start(adminServer, on: [configuration.admin], of: "admin.listen")
        let clients = try Self.start(server, on: configuration.server.listen, of: "server.listen")
        if let admin = admin.first { opened.store.announce(address: "\(admin)") }
        let scheme = configuration.server.tls == nil ? "http" : "https"
        return Addresses(
            clients: clients.map { "\(scheme)://\($0)" }, admin: admin.first.map { "http://\($0)" } ?? "")
    }

    /// Hosts other forms from the next request on.
    func replaceForms(_ forms: [FormSchema]) {
        let tables = FormTable.tables(routers.count, of: forms, routes: configuration.routes)
        for (router, table) in zip(routers, tables) { router.replaceForms(table) }
    }

    /// Takes the certificate of `server.tls` anew for connections from now on.
    func reloadCertificate() {
        guard let tls = configuration.server.tls else { return }
        do { server.replaceTLS(try Self.context(tls)) } catch {
            telemetry.logger.error("the certificate stays what it was: \(error)")
        }
    }

    /// Stops accepting, lets requests under way finish within the drain time, and closes the vault. Whether all that was done could
    /// be recorded.
    func drain() async -> Bool {
        operations.stop()
        telemetry.logger.info("stopping")
        await server.drain(within: configuration.server.timeouts.drain)
        await adminServer.drain(within: .seconds(1))
        let isRecorded = await opened.close()
        telemetry.logger.info("stopped")
        sink.finish()
        return isRecorded
    }

    /// Gives back what has expired: volatile values, and answers that were kept. And sees whether a store that failed has
    /// come back, and what other processes have changed.
    func sweep() async {
        vault.sweep()
        await opened.store.retryAfterFailure()
        do {
            try await vault.catchUp()
            try await vault.sweepResponses()
        } catch { telemetry.recordVaultFailure(error) }
    }

    var logger: Logger { telemetry.logger }
    var vault: Vault { opened.vault }
}
