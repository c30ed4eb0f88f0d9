import Foundation
import Glibc
import ProcessTesting
import Synchronization

/// A server on this machine that gets what an upstream would get, and treats its clients as the test says.
///
/// `@unchecked Sendable`: what changes is behind a lock.
final class Upstream: @unchecked Sendable {
    let port: Int
    private let listener: Int32
    private let seen = Mutex<[Message]>([])

    /// - Parameter behaviour: serves one connection to its end; each runs on a thread of its own.
    init(_ behaviour: @escaping @Sendable (Upstream, Connection) throws -> Void) throws {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard Connection.withLoopback(0, { bind(listener, $0, $1) }) == 0, listen(listener, 64) == 0 else {
            throw Trouble("the upstream cannot listen")
        }
        self.listener = listener
        port = Self.port(of: listener)
        Thread.detachNewThread { [weak self] in
            while let connection = Self.accept(listener) {
                Thread.detachNewThread { [weak self] in
                    guard let self else { return }
                    try? behaviour(self, connection)
                    connection.shut()
                }
            }
            close(listener)
        }
    }

    deinit { shutdown(listener, Int32(SHUT_RDWR)) }

    /// A port of this machine on which nobody listens.
    static func deserted() throws -> Int {
        let port = FreePort.take()
        guard port > 0 else { throw Trouble("no port is free") }
        return port
    }

    private static func port(of descriptor: Int32) -> Int {
        var address = sockaddr_in()
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        _ = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
        }
        return Int(in_port_t(bigEndian: address.sin_port))
    }

    private static func accept(_ listener: Int32) -> Connection? {
        var poll = pollfd(fd: listener, events: Int16(POLLIN), revents: 0)
        guard Glibc.poll(&poll, 1, -1) == 1 else { return nil }
        let descriptor = Glibc.accept(listener, nil, nil)
        guard descriptor >= 0 else { return nil }
        return Connection(adopting: descriptor)
    }

    /// The next request of a connection, remembered.
    func receive(_ connection: Connection) throws -> Message {
        let request = try connection.receive()
        seen.withLock { $0.append(request) }
        return request
    }

    /// Every request so far.
    var requests: [Message] { seen.withLock { $0 } }
}

extension Message {
    /// The target of a request.
    var target: String { startLine.split(separator: " ").dropFirst().first.map(String.init) ?? "" }
    var method: String { startLine.split(separator: " ").first.map(String.init) ?? "" }
}
