import EventIO
import FileTesting
import HTTPWire
import Synchronization
import Testing

@testable import Configuration
@testable import EventHTTP
@testable import Gateway

/// A server on this machine that gets what an upstream would get, and answers as the test says.
final class StandIn: Sendable {
    struct Request: Sendable {
        let line: String
        let headers: [(name: String, value: String)]
        let body: String

        /// The value of the one header of this name.
        subscript(_ name: String) -> String? {
            let values = headers.filter { $0.name.lowercased() == name.lowercased() }
            return values.count == 1 ? values.first?.value : nil
        }
    }

    private final class Log: Sendable {
        let requests = Mutex<[Request]>([])
    }

    let address: SocketAddress
    private let log = Log()
    private let server: Server
    private let loop: EventLoop

    init(
        tls: TLSServerContext? = nil, _ answer: @escaping @Sendable (Request) async -> ServerResponse
    ) throws {
        let loop = try EventLoop(name: "stand-in")
        try loop.start()
        self.loop = loop
        let log = log
        server = Server(
            loops: [loop], addresses: [try #require(SocketAddress("127.0.0.1", port: 0))],
            limits: ServerLimits(bodyBytes: 32 << 20), tls: tls,
            handler: { request in
                let seen = Request(
                    line: "\(request.head.method.name) \(request.head.target.text)",
                    headers: request.head.headers.map { ($0.name, $0.value) },
                    body: String(decoding: request.body, as: UTF8.self))
                log.requests.withLock { $0.append(seen) }
                return await answer(seen)
            },
            reject: { ServerResponse(status: $0.status, headers: [], body: []) })
        address = try #require(try server.start().first)
    }

    /// Answers everything with this JSON.
    convenience init(tls: TLSServerContext? = nil, status: Int = 200, json: String) throws {
        try self.init(tls: tls) { _ in .json(json, status: status) }
    }

    deinit { loop.stop() }

    var requests: [Request] { log.requests.withLock { $0 } }
    var url: String { "http://127.0.0.1:\(address.port)" }
}

extension ServerResponse {
    static func json(_ text: String, status: Int = 200) -> ServerResponse {
        ServerResponse(status: status, headers: [("Content-Type", "application/json")], body: Array(text.utf8))
    }
}

/// Routes as a configuration has them.
func routes(_ yaml: String) throws -> [Route] {
    let folder = try TemporaryFolder(["c.yaml": "routes:\n  - \(yaml)\n"])
    let loaded = Configuration.load(file: folder.path + "/c.yaml")
    return try #require(loaded.configuration, "\(loaded.mistakes)").routes
}
