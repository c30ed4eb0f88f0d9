import EventIO
import HTTPWire

/// What the exchanges of one loop share: the pools and the buffer.
///
/// `@unchecked Sendable` is sound because the loop's thread alone touches it: `Client` moves every call there first.
final class ClientLoop: @unchecked Sendable {
    let loop: EventLoop
    let limits: ClientLimits
    /// All reads of the loop go through this one.
    var buffer = [UInt8](repeating: 0, count: 65_536)
    private var pools: [Origin: ConnectionPool] = [:]

    private let connectTo: [String: SocketAddress]

    init(_ loop: EventLoop, limits: ClientLimits, connectTo: [String: SocketAddress]) {
        self.loop = loop
        self.limits = limits
        self.connectTo = connectTo
    }

    /// One attempt; a second, on a new connection, only if the first was on a pooled one that closed before any byte of an
    /// answer, and either the method is idempotent or no byte of the request had been written (reference: a send, step 6).
    func send(
        _ request: ClientRequest, to origin: Origin, timeouts: ClientTimeouts
    ) async throws(ClientError) -> ClientResponse {
        var writer = WireWriter()
        do throws(WireError) {
            try writer.request(
                request.method, target: request.target, host: origin.authority, headers: request.headers,
                body: request.body)
        } catch { throw ClientError(error) }
        let bytes = writer.take()
        let deadline = MonotonicTime.now + timeouts.exchange
        let pool = pool(of: origin)
        if let stream = pool.take() {
            do throws(Exchange.Failure) {
                return try await exchange(bytes, request.method, on: stream, pool, deadline)
            } catch {
                guard error.closedBeforeAnswer, request.isIdempotent || !error.hasWritten else { throw error.error }
            }
        }
        let stream = try await connect(to: origin, by: min(deadline, .now + timeouts.connect))
        do throws(Exchange.Failure) {
            return try await exchange(bytes, request.method, on: stream, pool, deadline)
        } catch { throw error.error }
    }

    func closeIdle() {
        for pool in pools.values { pool.closeAll() }
    }

    /// Idle connections to `origin`.
    func idleCount(of origin: Origin) -> Int { pools[origin]?.count ?? 0 }

    private func pool(of origin: Origin) -> ConnectionPool {
        if let pool = pools[origin] { return pool }
        let pool = ConnectionPool(limits: limits)
        pools[origin] = pool
        return pool
    }

    private func exchange(
        _ request: [UInt8], _ method: Method, on stream: EventIO.Stream, _ pool: ConnectionPool,
        _ deadline: MonotonicTime
    ) async throws(Exchange.Failure) -> ClientResponse {
        stream.deadline = deadline
        do throws(Exchange.Failure) {
            let whole = try await stream.cancellingWithTask { () async throws(Exchange.Failure) in
                var exchange = Exchange(request, answering: method, on: stream, home: self)
                return try await exchange.run()
            }
            if whole.isReusable { pool.keep(stream) } else { stream.close() }
            return whole.response
        } catch {
            stream.close()
            throw error
        }
    }

    private func connect(to origin: Origin, by deadline: MonotonicTime) async throws(ClientError) -> EventIO.Stream {
        let stream: EventIO.Stream
        do throws(IOError) {
            if let address = connectTo[origin.host] {
                stream = try await EventIO.Stream.connect(to: address, on: loop, deadline: deadline)
            } else {
                stream = try await EventIO.Stream.connect(
                    to: origin.host, port: origin.port, on: loop, deadline: deadline)
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
