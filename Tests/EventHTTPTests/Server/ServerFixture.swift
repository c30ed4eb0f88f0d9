import EventHTTP
import EventIO
import EventIOTesting
import HTTPWire

/// A server on a free port of a loop of its own, for the length of `body`, which runs on the same loop.
func withServer(
    limits: ServerLimits = ServerLimits(), timeouts: ServerTimeouts = ServerTimeouts(), tls: TLSServerContext? = nil,
    proxyProtocol: Bool = false, handler: @escaping Server.Handler = describe,
    _ body: @escaping @Sendable (ServerFixture) async throws -> Void
) async throws {
    try await withLoop { loop in
        let server = Server(
            loops: [loop], addresses: [loopback], limits: limits, timeouts: timeouts, tls: tls,
            proxyProtocol: proxyProtocol, handler: handler,
            reject: { ServerResponse(status: $0.status, body: Array($0.reason.utf8)) })
        guard let address = try server.start().first else { return }
        let outcome: Result<Void, any Error>
        do {
            outcome = .success(try await body(ServerFixture(server: server, address: address, loop: loop)))
        } catch { outcome = .failure(error) }
        await server.drain(within: .zero)
        try outcome.get()
    }
}

/// Responds with the request's method, target and body.
@Sendable func describe(_ request: ServerRequest) async -> ServerResponse {
    let text = "\(request.head.method) \(request.head.target.text) \(String(decoding: request.body, as: UTF8.self))"
    return ServerResponse(status: 200, body: Array(text.utf8))
}

struct ServerFixture: Sendable {
    let server: Server
    let address: SocketAddress
    let loop: EventLoop

    func connect() async throws -> Socket {
        let socket = try await Socket.connect(to: address, on: loop, deadline: testDeadline)
        socket.deadline = testDeadline
        return socket
    }

    /// Everything that the server sends after `text` until it closes.
    func conversation(_ text: String, bytewise: Bool = false) async throws -> String {
        let socket = try await connect()
        defer { socket.close() }
        if bytewise {
            for byte in text.utf8 {
                try await socket.write([byte])
                await loop.sleep(for: .zero)
            }
        } else {
            try await socket.write(Array(text.utf8))
        }
        return String(decoding: try await socket.readAll(), as: UTF8.self)
    }
}

extension Socket {
    /// Reads until `text` has come. Returns everything read.
    func read(through text: String) async throws -> String {
        var all: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = try await read(into: &buffer)
            all += buffer[..<count]
            // Only where it can have come: a search of all of a large body for each piece takes longer than the deadline.
            let recent = all.suffix(count + text.utf8.count)
            if count == 0 || String(decoding: recent, as: UTF8.self).contains(text) { break }
        }
        return String(decoding: all, as: UTF8.self)
    }

    func write(_ text: String) async throws { try await write(Array(text.utf8)) }
}

/// The status of every response in a conversation.
func statuses(_ conversation: String) -> [Int] {
    conversation.split(separator: "HTTP/1.1 ").compactMap { Int($0.prefix(3)) }
}
