public import EventIO
import Synchronization

/// An HTTP/1.1 server (RFC 9110, RFC 9112) on any number of loops. Every loop has its own listening sockets; a connection stays
/// on the loop that accepted it, and its requests are handled there.
public final class Server: Sendable {
    /// Handles a request, on the loop of its connection.
    public typealias Handler = @Sendable (ServerRequest) async -> ServerResponse
    /// Makes the response to a request that is rejected before the handler sees it.
    public typealias Rejecter = @Sendable (RequestRejection) -> ServerResponse

    /// The functions that make the responses of one loop, and that it tells what ended without one.
    public struct Responder: Sendable {
        let handler: Handler
        let reject: Rejecter
        let noteFailedHandshake: @Sendable (String) -> Void

        /// What responds to requests, and to what is none.
        ///
        /// - Parameter noteFailedHandshake: is told, on the loop, why the two sides of a TLS handshake did not agree: one of OpenSSL's
        ///   texts, which quotes nothing of the client.
        public init(
            handler: @escaping Handler, reject: @escaping Rejecter,
            noteFailedHandshake: @escaping @Sendable (String) -> Void = { _ in }
        ) {
            self.handler = handler
            self.reject = reject
            self.noteFailedHandshake = noteFailedHandshake
        }
    }

    private let shared: Shared
    private let loops: [ServerLoop]
    private let addresses: [SocketAddress]

    /// Prepares a server; nothing is bound before `start()`.
    ///
    /// - Parameters:
    ///   - proxyProtocol: whether every connection starts with a header of the PROXY protocol (version 1 or 2), which states the
    ///     client's address. A connection without a valid header is closed.
    ///   - responders: one for each loop, in their order; loops without one are not used.
    public init(
        loops: [EventLoop], addresses: [SocketAddress], limits: ServerLimits = ServerLimits(),
        timeouts: ServerTimeouts = ServerTimeouts(), tls: TLSServerContext? = nil, proxyProtocol: Bool = false,
        responders: [Responder]
    ) {
        FreedMemory.useOwnPagesForLargeBuffers()
        let files = OpenFiles.limit
        let maximum = OpenFiles.clientLimit(configured: limits.connections, files: files)
        let shared = Shared(maximum: maximum, files: files, secureContext: tls, proxyProtocol: proxyProtocol)
        self.shared = shared
        self.addresses = addresses
        self.loops = zip(loops, responders).map { loop, responder in
            ServerLoop(loop, shared, limits: limits, timeouts: timeouts, responder: responder)
        }
    }

    /// Prepares a server with the same responder for all loops.
    public convenience init(
        loops: [EventLoop], addresses: [SocketAddress], limits: ServerLimits = ServerLimits(),
        timeouts: ServerTimeouts = ServerTimeouts(), tls: TLSServerContext? = nil, proxyProtocol: Bool = false,
        handler: @escaping Handler, reject: @escaping Rejecter
    ) {
        let responder = Responder(handler: handler, reject: reject)
        self.init(
            loops: loops, addresses: addresses, limits: limits, timeouts: timeouts, tls: tls,
            proxyProtocol: proxyProtocol,
            responders: loops.map { _ in responder })
    }

    /// Connections that are open now.
    public var connectionCount: Int { shared.count }

    /// Connections that were displaced for those of clients with fewer, because there were too many.
    public var displacedConnectionCount: Int { shared.displacedCount }

    /// TLS handshakes that have failed so far.
    public var failedHandshakeCount: Int { shared.failedHandshakes }

    /// Binds every address on every loop and begins to accept. Returns the bound addresses in the order of the configured ones,
    /// with the ports that the system chose where 0 was requested. Throws `IOError.system` if an address cannot be bound.
    public func start() throws(IOError) -> [SocketAddress] {
        do throws(IOError) {
            let bound = try bind()
            for own in loops { own.loop.execute { own.start() } }
            return bound
        } catch {
            for own in loops { own.unbind() }
            throw error
        }
    }

    private func bind() throws(IOError) -> [SocketAddress] {
        var all: [SocketAddress] = []
        for address in addresses {
            var bound = address
            if address.port != 0 { try Listener.checkIsFree(address) }
            for own in loops { bound = try own.bind(bound) }
            all.append(bound)
        }
        return all
    }

    /// Uses `context` for connections accepted from now on; open connections keep theirs.
    ///
    /// - Parameter hasOtherAuthority: whether clients are asked for certificates of another authority. Then
    ///   connections whose client has proved its names end after the request that is under way: a name that the old
    ///   authority has signed proves nothing to the new one.
    ///   Returns once those without a request have ended.
    public func replaceTLS(_ context: TLSServerContext, hasOtherAuthority: Bool) async {
        shared.replaceContext(context, hasOtherAuthority: hasOtherAuthority)
        guard hasOtherAuthority else { return }
        await withTaskGroup { group in
            for own in loops {
                group.addTask(executorPreference: own.loop) { await own.endOutdatedConnections() }
            }
        }
    }

    /// Limits connections that are accepted from now on, and times from now on. `maxWait` stays what it was.
    public func replaceLimits(_ limits: ServerLimits, _ timeouts: ServerTimeouts) {
        shared.maximum = OpenFiles.clientLimit(configured: limits.connections, files: OpenFiles.limit)
        for own in loops { own.loop.execute { own.replaceLimits(limits, timeouts) } }
    }

    /// Stops accepting, closes idle connections, responds to requests under way with `Connection: close`, and after `limit` cancels the
    /// remaining connections but those whose handlers have not returned: what these return can still be sent. See ``end(within:)``.
    public func drain(within limit: Duration) async {
        let deadline = MonotonicTime.now + limit
        await withTaskGroup { group in
            for own in loops {
                group.addTask(executorPreference: own.loop) { await own.drain(until: deadline) }
            }
        }
    }

    /// Ends what ``drain(within:)`` has left: cancels the sockets to upstreams for which handlers wait, waits for the handlers, gives clients
    /// up to half a second to get what these return, cancels the clients' sockets as well, and waits until the connections have ended: for
    /// as long as `limit` in all, of which the last second is not the handlers'. A body whose end could be taken for its completion is reset
    /// by then, and the requests have been told of (``ServerResponse/onSent``). The loops are good for nothing else afterwards.
    public func end(within limit: Duration) async {
        guard shared.count > 0 else { return }
        let deadline = MonotonicTime.now + limit
        await withTaskGroup { group in
            for own in loops {
                group.addTask(executorPreference: own.loop) { await own.end(until: deadline) }
            }
        }
    }
}
