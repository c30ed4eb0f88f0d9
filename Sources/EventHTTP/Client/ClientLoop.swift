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
        let attempt = try Attempt(request, to: origin, timeouts, buffering)
        let pool = pool(of: origin)
        try requireRoom(for: attempt, in: pool)
        var connectDeadline = attempt.connectDeadline()
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
                let (exchange, head) = try await exchange(attempt, on: connection, of: pool)
                return response(of: exchange, head, lease)
            } catch {
                guard error.closedBeforeResponse, request.isIdempotent || !error.hasWritten else { throw error.error }
                connectDeadline = attempt.connectDeadline()
                if error.hasWritten { first = error.error }
            }
        }
        let socket: Socket
        do throws(ClientError) { socket = try await connect(to: origin, by: connectDeadline) } catch {
            throw first ?? error
        }
        let connection = PooledConnection(socket, of: pool)
        do throws(ExchangeFailure) {
            let (exchange, head) = try await exchange(attempt, on: connection, of: pool)
            return response(of: exchange, head, lease)
        } catch { throw error.hasWritten ? error.error : first ?? error.error }
    }

    /// What is the same for both attempts.
    private struct Attempt {
        let bytes: [UInt8]
        let method: Method
        let buffering: ResponseBuffering
        let caller: PoolCaller?
        let endsWithTask: Bool
        let singleSend: SingleSend?
        let connect: Int64
        let response: Int64?
        let deadline: MonotonicTime
        /// For how long no byte of a buffered body may arrive, in milliseconds: half of the time that the exchange may take.
        let patience: Int64

        init(
            _ request: ClientRequest, to origin: Origin, _ timeouts: ClientTimeouts, _ buffering: ResponseBuffering
        ) throws(ClientError) {
            var writer = WireWriter()
            do throws(WireError) {
                try writer.request(
                    request.method, target: request.target, host: origin.authority, fixed: request.fixed,
                    headers: request.headers, body: request.body)
            } catch { throw ClientError(error) }
            bytes = writer.take()
            method = request.method
            self.buffering = buffering
            caller = request.caller
            endsWithTask = request.endsWithTask
            singleSend = request.singleSend
            deadline = .now.advanced(byMilliseconds: timeouts.exchange)
            patience = timeouts.exchange / 2
            connect = timeouts.connect
            response = timeouts.response
        }

        /// The end of the wait for a connection that starts now: each attempt has the full time to connect, within that of the
        /// exchange.
        func connectDeadline() -> MonotonicTime { min(deadline, .now.advanced(byMilliseconds: connect)) }
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
    private func requireRoom(for attempt: Attempt, in pool: ConnectionPool) throws(ClientError) {
        guard attempt.buffering.isHeld else { return }
        let room = pool.room(for: attempt.buffering)
        guard completeBudget.hasRoom(for: attempt.caller, adding: room) else { throw .noRoom() }
    }

    /// Runs an exchange until its response, or the part of it that is buffered, has arrived. Closes the connection if it fails.
    private func exchange(
        _ attempt: Attempt, on connection: PooledConnection, of pool: ConnectionPool
    ) async throws(ExchangeFailure) -> (Exchange, ResponseHead) {
        let socket = connection.socket
        let exchange = Exchange(
            attempt.bytes, for: attempt.method, on: connection, client: self, deadline: attempt.deadline,
            patience: attempt.patience, buffering: attempt.buffering, caller: attempt.caller)
        // Others may have taken it while this request waited for its connection.
        guard exchange.reserve(pool.room(for: attempt.buffering)) else {
            socket.abandon()
            throw ExchangeFailure(error: .noRoom(), closedBeforeResponse: false, hasWritten: false)
        }
        let first = attempt.response.map { MonotonicTime.now.advanced(byMilliseconds: $0) } ?? attempt.deadline
        do throws(ExchangeFailure) {
            if attempt.endsWithTask {
                try await socket.cancellingWithTask { () async throws(ExchangeFailure) in
                    try await exchange.run(awaitingFirstByteBy: first)
                }
            } else {
                try await exchange.run(awaitingFirstByteBy: first)
            }
        } catch {
            // Without sending what is still queued: the caller is told that the request was not written, and may repeat it.
            socket.abandon()
            if error.hasWritten { attempt.singleSend?.markWritten() }
            exchange.stopCharging()
            throw error
        }
        guard let head = exchange.head else {
            socket.abandon()
            throw ExchangeFailure(error: .badServerResponse, closedBeforeResponse: false, hasWritten: true)
        }
        if attempt.buffering == .whole { pool.noteWhole(exchange.bufferedBytes) }
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
