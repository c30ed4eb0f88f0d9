public import EventIO

/// An HTTP/1.1 client on any number of loops. Every loop has its own connections, so that an exchange never leaves the loop
/// of the request that it serves.
public final class Client: Sendable {
    /// One per event loop: few enough for a linear search.
    private let loops: [ClientLoop]

    /// A client for tasks that run on `loops`; requests of other tasks run on the first of them.
    public convenience init(loops: [EventLoop], limits: ClientLimits = ClientLimits()) {
        self.init(loops: loops, limits: limits, connectTo: [:])
    }

    /// - Parameter connectTo: addresses to connect to instead of resolving a host, for tests. Everything else, certificate
    ///   verification included, uses the host.
    package init(loops: [EventLoop], limits: ClientLimits = ClientLimits(), connectTo: [String: SocketAddress]) {
        self.loops = loops.map { ClientLoop($0, limits: limits, connectTo: connectTo) }
    }

    /// Sends `request` and returns the response, whatever its status; redirects are not followed. Throws if there is no response
    /// or it is incomplete.
    public func send(
        _ request: ClientRequest, to origin: Origin, timeouts: ClientTimeouts = ClientTimeouts()
    ) async throws(ClientError) -> ClientResponse {
        try await send(request, to: origin, timeouts: timeouts, buffering: .whole)
    }

    /// As ``send(_:to:timeouts:)``, but a body may be streamed, as `buffering` says: it is returned as ``ClientResponse/incoming``, to be
    /// read on the same loop. A task that runs on none of the loops gets a complete body.
    public func send(
        _ request: ClientRequest, to origin: Origin, timeouts: ClientTimeouts, buffering: ResponseBuffering
    ) async throws(ClientError) -> ClientResponse {
        if let current = EventLoop.current, let own = loops.first(where: { $0.loop === current }) {
            return try await own.send(request, to: origin, timeouts: timeouts, buffering: buffering)
        }
        guard let first = loops.first else { throw .cannotConnectToHost }
        let outcome = await withTaskExecutorPreference(first.loop) { () async -> Result<ClientResponse, ClientError> in
            do throws(ClientError) {
                return .success(try await first.send(request, to: origin, timeouts: timeouts, buffering: .whole))
            } catch {
                return .failure(error)
            }
        }
        return try outcome.get()
    }

    /// How many loops have connections of their own.
    public var loopCount: Int { loops.count }

    /// Closes the connections that are idle now, on every loop. For tests.
    package func closeIdleConnections() {
        for own in loops { own.loop.execute { own.closeIdle() } }
    }
}
