public import EventIO

/// An HTTP/1.1 client on any number of loops. Every loop keeps its own connections, so that an exchange never leaves the loop
/// of the request that it serves.
public final class Client: Sendable {
    /// One a loop: few enough to be looked through.
    private let homes: [ClientLoop]

    /// A client for tasks that run on `loops`; tasks that run elsewhere are served by the first of them.
    public convenience init(loops: [EventLoop], limits: ClientLimits = ClientLimits()) {
        self.init(loops: loops, limits: limits, connectTo: [:])
    }

    /// - Parameter connectTo: addresses that are connected to in the place of hosts, for stand-ins in tests. Everything else,
    ///   the verifying of certificates above all, goes by the host.
    package init(loops: [EventLoop], limits: ClientLimits = ClientLimits(), connectTo: [String: SocketAddress]) {
        homes = loops.map { ClientLoop($0, limits: limits, connectTo: connectTo) }
    }

    /// Sends `request` and returns the answer, whatever its status; redirects are not followed. Never an answer that is not
    /// whole: then it throws, as it does when there is none.
    public func send(
        _ request: ClientRequest, to origin: Origin, timeouts: ClientTimeouts = ClientTimeouts()
    ) async throws(ClientError) -> ClientResponse {
        try await send(request, to: origin, timeouts: timeouts, holdingAtMost: .max)
    }

    /// As ``send(_:to:timeouts:)``, but of a body longer than `threshold` bytes only the beginning is held: the rest comes as
    /// ``ClientResponse/incoming``, to be read on the same loop. A task that runs on none of the loops gets it whole.
    public func send(
        _ request: ClientRequest, to origin: Origin, timeouts: ClientTimeouts, holdingAtMost threshold: Int
    ) async throws(ClientError) -> ClientResponse {
        if let loop = EventLoop.current, let home = homes.first(where: { $0.loop === loop }) {
            return try await home.send(request, to: origin, timeouts: timeouts, holdingAtMost: threshold)
        }
        guard let first = homes.first else { throw .cannotConnectToHost }
        let outcome = await withTaskExecutorPreference(first.loop) { () async -> Result<ClientResponse, ClientError> in
            do throws(ClientError) {
                return .success(try await first.send(request, to: origin, timeouts: timeouts, holdingAtMost: .max))
            } catch {
                return .failure(error)
            }
        }
        return try outcome.get()
    }

    /// Closes the connections that are idle now, on every loop.
    public func closeIdleConnections() {
        for home in homes { home.loop.execute { home.closeIdle() } }
    }

    /// Idle connections to `origin`, on all loops.
    func idleCount(of origin: Origin) async -> Int {
        var count = 0
        for home in homes {
            count += await withTaskExecutorPreference(home.loop) { home.idleCount(of: origin) }
        }
        return count
    }
}
