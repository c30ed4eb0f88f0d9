public import EventIO
import Synchronization

/// An HTTP/1.1 server (RFC 9110, RFC 9112) on any number of loops. Every loop has its own listening sockets; a connection stays
/// on the loop that accepted it, and so does the handler.
public final class Server: Sendable {
    /// Answers a request, on the loop of its connection.
    public typealias Handler = @Sendable (ServerRequest) async -> ServerResponse
    /// Words the answer to a request that is refused before the handler sees it.
    public typealias Refuser = @Sendable (Refusal) -> ServerResponse

    /// Who answers the requests of one loop.
    public struct Answerer: Sendable {
        let handler: Handler
        let refuse: Refuser

        public init(handler: @escaping Handler, refuse: @escaping Refuser) {
            self.handler = handler
            self.refuse = refuse
        }
    }

    private let shared: Shared
    private let homes: [ServerLoop]
    private let addresses: [SocketAddress]

    /// Prepares a server; nothing is bound before `start()`.
    ///
    /// - Parameter answerers: one for each loop, in their order; loops without one are not used.
    public init(
        loops: [EventLoop], addresses: [SocketAddress], limits: ServerLimits = ServerLimits(),
        timeouts: ServerTimeouts = ServerTimeouts(), tls: TLSServerContext? = nil, answerers: [Answerer]
    ) {
        let shared = Shared(maximum: limits.connections, secureContext: tls)
        self.shared = shared
        self.addresses = addresses
        homes = zip(loops, answerers).map { loop, answerer in
            ServerLoop(loop, shared, limits: limits, timeouts: timeouts, answerer: answerer)
        }
    }

    /// Prepares a server with one answerer for all loops.
    public convenience init(
        loops: [EventLoop], addresses: [SocketAddress], limits: ServerLimits = ServerLimits(),
        timeouts: ServerTimeouts = ServerTimeouts(), tls: TLSServerContext? = nil, handler: @escaping Handler,
        refuse: @escaping Refuser
    ) {
        let answerer = Answerer(handler: handler, refuse: refuse)
        self.init(
            loops: loops, addresses: addresses, limits: limits, timeouts: timeouts, tls: tls,
            answerers: loops.map { _ in answerer })
    }

    /// Connections that are open now.
    public var connectionCount: Int { shared.count }

    /// Clients so far with whom no TLS came about.
    public var failedHandshakeCount: Int { shared.failedHandshakes }

    /// Binds every address on every loop and begins to accept. Answers where it listens, in the order of the addresses, with the
    /// ports that the system chose where 0 was asked for. Throws `IOError.system` if an address is taken or not to be had.
    public func start() throws(IOError) -> [SocketAddress] {
        do throws(IOError) {
            let bound = try bind()
            for home in homes { home.loop.execute { home.start() } }
            return bound
        } catch {
            for home in homes { home.unbind() }
            throw error
        }
    }

    private func bind() throws(IOError) -> [SocketAddress] {
        var bound: [SocketAddress] = []
        for address in addresses {
            var place = address
            if address.port != 0 { try Listener.checkIsFree(address) }
            for home in homes { place = try home.bind(place) }
            bound.append(place)
        }
        return bound
    }

    /// Uses `context` for connections accepted from now on; those that are open keep theirs.
    public func replaceTLS(_ context: TLSServerContext) { shared.secureContext = context }

    /// Stops accepting, closes idle connections, answers requests under way with `Connection: close`, and after `limit` closes
    /// what is left. Returns then: what handlers have begun for those that were cut goes on.
    public func drain(within limit: Duration) async {
        let deadline = MonotonicTime.now + limit
        await withTaskGroup { group in
            for home in homes {
                group.addTask(executorPreference: home.loop) { await home.drain(until: deadline) }
            }
        }
    }
}
