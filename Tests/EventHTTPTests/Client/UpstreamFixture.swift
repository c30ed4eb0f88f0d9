import EventHTTP
import EventIO
import EventIOTesting
import HTTPWire

/// A peer on a free port that runs scripts: the n-th connection is handled by the n-th script (and closed after it), the
/// last one serving all that follow. Runs, as `body` does, on a loop of its own.
func withUpstream(
    _ scripts: [@Sendable (Socket) async throws -> Void], limits: ClientLimits = ClientLimits(),
    pool: PoolLimits = PoolLimits(), tls: TLSServerContext? = nil,
    _ body: @escaping @Sendable (UpstreamFixture) async throws -> Void
) async throws {
    try await withLoop { loop in
        let acceptor = try Acceptor(on: loop)
        let log = UpstreamLog()
        let serving = Task(executorPreference: loop) {
            while let last = scripts.last {
                let socket = await acceptor.next()
                let script = log.connections < scripts.count ? scripts[log.connections] : last
                log.connections += 1
                Task(executorPreference: loop) {
                    socket.deadline = testDeadline
                    if let tls { try? await socket.secure(asServer: tls) }
                    try? await script(socket)
                    socket.close()
                }
            }
        }
        let client = Client(loops: [loop], limits: limits)
        defer {
            serving.cancel()
            acceptor.stop()
        }
        try await body(UpstreamFixture(client: client, port: acceptor.address.port, pool: pool, log: log, loop: loop))
        client.closeIdleConnections()
    }
}

/// Used on one loop's thread.
final class UpstreamLog: @unchecked Sendable {
    var connections = 0
    var requests: [String] = []
}

struct UpstreamFixture: Sendable {
    let client: Client
    let port: UInt16
    let pool: PoolLimits
    let log: UpstreamLog
    let loop: EventLoop

    var origin: Origin { Origin(host: "127.0.0.1", port: port, pool: pool) }

    func send(
        _ method: Method = .post, body: [UInt8] = Array("{}".utf8), to origin: Origin? = nil,
        timeouts: ClientTimeouts = ClientTimeouts()
    ) async throws -> ClientResponse {
        try await client.send(
            ClientRequest(method: method, target: "/in", headers: [("X-A", "b")], body: body),
            to: origin ?? self.origin,
            timeouts: timeouts)
    }

    func status(_ method: Method = .post, to origin: Origin? = nil) async throws -> Int {
        try await send(method, to: origin).status
    }

    func text(to origin: Origin? = nil) async throws -> String {
        String(decoding: try await send(to: origin).body, as: UTF8.self)
    }

    /// A server on the same loop that passes on what this upstream responds with, streamed beyond 100 bytes.
    ///
    /// - Parameters:
    ///   - time: how long a body of unknown length is held; nil for as long as there is room.
    ///   - onSent: called with the bytes of a response's body that were sent and the error that ended it, nil for none.
    func passingServer(
        timeouts: ServerTimeouts = ServerTimeouts(), holdingFor time: Duration? = nil,
        onSent: @escaping @Sendable (Int, ClientError?) -> Void = { _, _ in }
    ) -> Server {
        Server(
            loops: [loop], addresses: [loopback], timeouts: timeouts,
            handler: { _ in
                let request = ClientRequest(method: .post, target: "/in", body: Array("{}".utf8))
                guard
                    let response = try? await client.send(
                        request, to: origin, timeouts: ClientTimeouts(),
                        buffering: .streamed(beyond: 100, after: time))
                else { return ServerResponse(status: 502) }
                var sent = ServerResponse(status: 200, body: response.body, incoming: response.incoming)
                sent.onSent = onSent
                return sent
            }, reject: { ServerResponse(status: $0.status) })
    }

    /// The error of a send; `nil` if it succeeds.
    func failure(_ method: Method = .post, timeouts: ClientTimeouts = ClientTimeouts()) async -> ClientError? {
        do {
            _ = try await send(method, timeouts: timeouts)
            return nil
        } catch { return error as? ClientError }
    }
}

extension Socket {
    /// Reads one request of the fixture's client, which ends in `{}`.
    @discardableResult
    func readRequest() async throws -> String { try await read(through: "{}") }
}

/// Responds to every request of a connection with `text`.
func responding(_ text: String) -> @Sendable (Socket) async throws -> Void {
    { socket in
        while try await !socket.readRequest().isEmpty { try await socket.write(text) }
    }
}

/// Responds to every request with `text`, the first 40,000 bytes of it 20 ms before the rest.
func respondingInTwoPieces(_ text: String) -> @Sendable (Socket) async throws -> Void {
    { socket in
        while try await !socket.readRequest().isEmpty {
            try await socket.write(String(text.prefix(40_000)))
            await socket.loop.sleep(for: .milliseconds(20))
            try await socket.write(String(text.dropFirst(40_000)))
        }
    }
}

/// Responds to one request with `text` and closes.
func respondingOnce(_ text: String) -> @Sendable (Socket) async throws -> Void {
    { socket in
        try await socket.readRequest()
        try await socket.write(text)
        try await socket.endWriting()
    }
}
