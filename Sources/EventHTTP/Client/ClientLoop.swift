import EventIO
import HTTPWire

/// What the exchanges of one event loop share: the connection pools and the read buffer.
///
/// `@unchecked Sendable` is sound because the loop's thread alone touches it: `Client` moves every call there first.
final class ClientLoop: @unchecked Sendable {
    let loop: EventLoop
    let limits: ClientLimits
    /// The buffer of all reads of the loop, allocated by the first. Unchecked: it is moved out while it is used.
    @exclusivity(unchecked) var buffer: [UInt8] = []
    static let bufferBytes = 65_536
    /// The bytes of large bodies that are buffered on this loop, unfinished or waiting for their readers.
    let budget: ByteBudget
    /// The bytes of bodies that are held to their end.
    let completeBudget: ByteBudget
    private var pools: [Origin: ConnectionPool] = [:]
    /// The pool used last, since the next request is mostly for the same origin.
    private var recent: (origin: Origin, pool: ConnectionPool)?

    /// With more pools than this, unused ones are dropped before another is made: routes of tenants make a pool for each host.
    private static let manyPools = 64

    private let connectTo: [String: SocketAddress]

    init(_ loop: EventLoop, limits: ClientLimits, connectTo: [String: SocketAddress]) {
        self.loop = loop
        self.limits = limits
        self.connectTo = connectTo
        budget = ByteBudget(limits.bufferedBytes, on: loop)
        completeBudget = ByteBudget(limits.completeBytes, on: loop)
    }

    /// Makes one attempt. Makes a second, on a new connection, only if the first was on a pooled connection that closed before
    /// any byte of a response, and either the method is idempotent or no byte of the request had been written
    /// (`docs/reference/proxy.md` section 2, step 6).
    func send(
        _ request: ClientRequest, to origin: Origin, timeouts: ClientTimeouts, buffering: ResponseBuffering
    ) async throws(ClientError) -> ClientResponse {
        loop.waitingElsewhere += 1
        defer { loop.waitingElsewhere -= 1 }
        let outgoing = try OutgoingRequest(request, to: origin, timeouts, buffering)
        let pool = pool(of: origin)
        try requireRoom(for: outgoing, in: pool)
        var connectDeadline = outgoing.connectDeadline()
        // The failure of a first attempt that may have reached the upstream.
        var first: ClientError?
        let lease: PoolLease
        if let free = pool.leaseNow(for: request.caller) {
            lease = free
        } else {
            lease = try await pool.lease(for: request.caller, by: connectDeadline)
        }
        if let connection = pool.popIdle() {
            do throws(ExchangeFailure) {
                let (exchange, head) = try await exchange(outgoing, on: connection, of: pool)
                return response(of: exchange, head, lease)
            } catch {
                guard error.closedBeforeResponse, request.isIdempotent || !error.hasWritten else { throw error.error }
                connectDeadline = outgoing.connectDeadline()
                if error.hasWritten { first = error.error }
            }
        }
        let socket: Socket
        do throws(ClientError) { socket = try await connect(to: origin, by: connectDeadline) } catch {
            throw first ?? error
        }
        let connection = PooledConnection(socket, of: pool)
        do throws(ExchangeFailure) {
            let (exchange, head) = try await exchange(outgoing, on: connection, of: pool)
            return response(of: exchange, head, lease)
        } catch { throw error.hasWritten ? error.error : first ?? error.error }
    }

    func closeIdle() {
        for pool in pools.values { pool.closeIdle() }
    }

    private func pool(of origin: Origin) -> ConnectionPool {
        if let recent, recent.origin === origin { return recent.pool }
        let pool: ConnectionPool
        if let known = pools[origin] {
            pool = known
        } else {
            if pools.count >= ClientLoop.manyPools { pools = pools.filter { !$0.value.isUnused } }
            pool = ConnectionPool(of: origin, on: loop)
            pools[origin] = pool
        }
        recent = (origin, pool)
        return pool
    }

    /// Throws if the caller has no room for a response that is to be held: what has been carried out would have no response.
    private func requireRoom(for request: OutgoingRequest, in pool: ConnectionPool) throws(ClientError) {
        guard request.buffering.isHeld else { return }
        let room = pool.room(for: request.buffering)
        guard completeBudget.hasRoom(for: request.caller, adding: room) else { throw .noRoom() }
    }

    /// Runs an exchange until its response, or the part of it that is buffered, has arrived. Closes the connection if it fails.
    private func exchange(
        _ request: OutgoingRequest, on connection: PooledConnection, of pool: ConnectionPool
    ) async throws(ExchangeFailure) -> (Exchange, ResponseHead) {
        let socket = connection.socket
        let exchange = Exchange(request, on: connection, client: self)
        // Others may have taken it while this request waited for its connection.
        guard exchange.reserve(pool.room(for: request.buffering)) else {
            socket.abandon()
            throw ExchangeFailure(error: .noRoom(), closedBeforeResponse: false, hasWritten: false)
        }
        do throws(ExchangeFailure) {
            if request.endsWithTask {
                try await socket.cancellingWithTask { () async throws(ExchangeFailure) in
                    try await exchange.run()
                }
            } else {
                try await exchange.run()
            }
        } catch {
            // Without sending what is still queued: the caller is told that the request was not written, and may repeat it.
            socket.abandon()
            if error.hasWritten { request.singleSend?.markWritten() }
            exchange.stopCharging()
            throw error
        }
        guard let head = exchange.head else {
            socket.abandon()
            throw ExchangeFailure(error: .badServerResponse, closedBeforeResponse: false, hasWritten: true)
        }
        if request.buffering == .whole { pool.noteWhole(exchange.bufferedBytes) }
        return (exchange, head)
    }

    /// The response of an exchange that has run. The lease ends here, or belongs to the body that is still arriving.
    private func response(
        of exchange: Exchange, _ head: ResponseHead, _ lease: consuming PoolLease
    ) -> ClientResponse {
        guard exchange.isComplete else {
            let incoming = IncomingBody(exchange, lease)
            return ClientResponse(
                status: head.status, headers: head.headers, body: [], incoming: incoming, buffered: nil)
        }
        let buffered = exchange.moveCharge()
        exchange.stopCharging()
        let response = ClientResponse(
            status: head.status, headers: head.headers, body: exchange.takeBody(), incoming: nil, buffered: buffered)
        lease.pool.putBack(exchange.connection, isReusable: exchange.isReusable)
        return response
    }

    private func connect(to origin: Origin, by deadline: MonotonicTime) async throws(ClientError) -> Socket {
        let socket: Socket
        do throws(IOError) {
            if let address = connectTo[origin.host] {
                socket = try await Socket.connect(to: address, on: loop, deadline: deadline)
            } else {
                socket = try await Socket.connect(
                    to: origin.host, port: origin.port, on: loop, deadline: deadline, resolver: origin.resolver)
            }
        } catch { throw ClientError(connecting: error) }
        guard let tls = origin.tls else { return socket }
        socket.deadline = deadline
        do throws(IOError) {
            try await socket.cancellingWithTask { () async throws(IOError) in
                try await socket.secure(asClient: tls, of: origin.certificateName)
            }
            return socket
        } catch {
            socket.close()
            throw ClientError(securing: error)
        }
    }
}
