import EventIO
import HTTPWire

/// What the exchanges of one loop share: the pools and the buffer.
///
/// `@unchecked Sendable` is sound because the loop's thread alone touches it: `Client` moves every call there first.
final class ClientLoop: @unchecked Sendable {
    let loop: EventLoop
    let limits: ClientLimits
    /// All reads of the loop go through this one. It is made by the first. Unchecked: it is taken out while it is used.
    @exclusivity(unchecked) var buffer: [UInt8] = []
    static let bufferBytes = 65_536
    /// Bytes of large bodies that are held on this loop, unfinished or waiting for their readers.
    var heldBytes = 0
    private var pools: [Origin: ConnectionPool] = [:]
    /// The pool asked for last: mostly it is asked for again.
    private var recent: (origin: Origin, pool: ConnectionPool)?

    /// Pools beyond this number are looked through for some that are not used any more, as those of tenants' routes come to be.
    private static let manyPools = 64

    private let connectTo: [String: SocketAddress]

    init(_ loop: EventLoop, limits: ClientLimits, connectTo: [String: SocketAddress]) {
        self.loop = loop
        self.limits = limits
        self.connectTo = connectTo
    }

    /// One attempt; a second, on a new connection, only if the first was on a pooled one that closed before any byte of an
    /// answer, and either the method is idempotent or no byte of the request had been written (reference: a send, step 6).
    func send(
        _ request: ClientRequest, to origin: Origin, timeouts: ClientTimeouts, holdingAtMost threshold: Int
    ) async throws(ClientError) -> ClientResponse {
        let attempt = try Attempt(request, to: origin, timeouts, holding: threshold)
        let pool = pool(of: origin)
        var connectDeadline = attempt.connectDeadline()
        if !pool.enterNow() { try await pool.enter(by: connectDeadline) }
        if let connection = pool.take() {
            do throws(Exchange.Failure) {
                return try await exchange(attempt, on: connection, pool)
            } catch {
                guard error.closedBeforeAnswer, request.isIdempotent || !error.hasWritten else {
                    pool.leave()
                    throw error.error
                }
                connectDeadline = attempt.connectDeadline()
            }
        }
        do throws(ClientError) {
            let connection = PooledConnection(try await connect(to: origin, by: connectDeadline), of: pool)
            do throws(Exchange.Failure) {
                return try await exchange(attempt, on: connection, pool)
            } catch { throw error.error }
        } catch {
            pool.leave()
            throw error
        }
    }

    /// What stays the same from one attempt to the next.
    private struct Attempt {
        let bytes: [UInt8]
        let method: Method
        let threshold: Int
        let endsWithTask: Bool
        let singleSend: SingleSend?
        let connect: Int64
        let response: Int64?
        let deadline: MonotonicTime

        init(
            _ request: ClientRequest, to origin: Origin, _ timeouts: ClientTimeouts, holding threshold: Int
        ) throws(ClientError) {
            var writer = WireWriter()
            do throws(WireError) {
                try writer.request(
                    request.method, target: request.target, host: origin.authority, fixed: request.fixed,
                    headers: request.headers, body: request.body)
            } catch { throw ClientError(error) }
            bytes = writer.take()
            method = request.method
            self.threshold = threshold
            endsWithTask = request.endsWithTask
            singleSend = request.singleSend
            deadline = .now.advanced(byMilliseconds: timeouts.exchange)
            connect = timeouts.connect
            response = timeouts.response
        }

        /// Until when a connection is waited for from now on: each attempt has the time to get one, within that of the exchange.
        func connectDeadline() -> MonotonicTime { min(deadline, .now.advanced(byMilliseconds: connect)) }
    }

    func closeIdle() {
        for pool in pools.values { pool.closeAll() }
    }

    /// Idle connections to `origin`.
    func idleCount(of origin: Origin) -> Int { pools[origin]?.idleCount ?? 0 }

    private func pool(of origin: Origin) -> ConnectionPool {
        if let recent, recent.origin === origin { return recent.pool }
        let pool: ConnectionPool
        if let known = pools[origin] {
            pool = known
        } else {
            if pools.count >= ClientLoop.manyPools { pools = pools.filter { !$0.value.isUnused } }
            pool = ConnectionPool(origin.pool, on: loop)
            pools[origin] = pool
        }
        recent = (origin, pool)
        return pool
    }

    /// On success the place in the pool has been given back, or belongs to the body that is still to come; on failure the
    /// connection is closed and the place is still the caller's.
    private func exchange(
        _ attempt: Attempt, on connection: PooledConnection, _ pool: ConnectionPool
    ) async throws(Exchange.Failure) -> ClientResponse {
        let stream = connection.stream
        let exchange = Exchange(
            attempt.bytes, answering: attempt.method, on: stream, home: self, deadline: attempt.deadline)
        let first = attempt.response.map { MonotonicTime.now.advanced(byMilliseconds: $0) } ?? attempt.deadline
        defer { exchange.stopHolding() }
        do throws(Exchange.Failure) {
            if attempt.endsWithTask {
                try await stream.cancellingWithTask { () async throws(Exchange.Failure) in
                    try await exchange.run(awaitingFirstByteBy: first, holdingAtMost: attempt.threshold)
                }
            } else {
                try await exchange.run(awaitingFirstByteBy: first, holdingAtMost: attempt.threshold)
            }
        } catch {
            if error.hasWritten { attempt.singleSend?.markWritten() }
            stream.close()
            throw error
        }
        guard let head = exchange.head else {
            stream.close()
            throw Exchange.Failure(error: .badServerResponse, closedBeforeAnswer: false, hasWritten: true)
        }
        if exchange.isComplete {
            let held = exchange.heldBytes()
            let response = ClientResponse(
                status: head.status, headers: head.headers, body: exchange.takeBody(), incoming: nil, held: held)
            pool.giveBack(connection, isReusable: exchange.isReusable)
            return response
        }
        let incoming = IncomingBody(exchange, on: connection, of: pool)
        return ClientResponse(status: head.status, headers: head.headers, body: [], incoming: incoming, held: nil)
    }

    private func connect(to origin: Origin, by deadline: MonotonicTime) async throws(ClientError) -> EventIO.Stream {
        let stream: EventIO.Stream
        do throws(IOError) {
            if let address = connectTo[origin.host] {
                stream = try await EventIO.Stream.connect(to: address, on: loop, deadline: deadline)
            } else {
                stream = try await EventIO.Stream.connect(
                    to: origin.host, port: origin.port, on: loop, deadline: deadline, resolver: origin.resolver)
            }
        } catch { throw ClientError(connecting: error) }
        guard let tls = origin.tls else { return stream }
        stream.deadline = deadline
        do throws(IOError) {
            try await stream.cancellingWithTask { () async throws(IOError) in
                try await stream.secure(asClient: tls, of: origin.certificateName)
            }
            return stream
        } catch {
            stream.close()
            throw ClientError(securing: error)
        }
    }
}
