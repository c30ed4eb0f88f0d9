import Foundation
import Glibc
import ProcessTesting
import Synchronization

/// What listens in the place of a Redis server, takes one connection and sends what it was told to, without reading what is asked for.
public final class RedisImpostor: Sendable {
    /// TCP port on 127.0.0.1.
    public let port: Int
    private let listener: CInt
    private let isStopped = Atomic(false)

    /// - Parameters:
    ///   - beginning: sent first.
    ///   - rest: sent again and again until the client is gone; nothing more if it is empty.
    public init(beginning: String, thenEndlessly rest: String) throws(RedisServer.Failure) {
        port = FreePort.take()
        listener = socket(AF_INET, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        // Sound: the address lives through the call.
        let isBound = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                bind(listener, pointer, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        guard isBound, listen(listener, 8) == 0 else { throw RedisServer.Failure(description: "the port is taken") }
        Thread.detachNewThread { [self] in
            let connection = accept(listener, nil, nil)
            guard connection >= 0 else { return }
            defer { close(connection) }
            var pieces = Array(beginning.utf8)[...]
            let more = Array(String(repeating: rest, count: rest.isEmpty ? 0 : 65_536).utf8)
            while !isStopped.load(ordering: .relaxed) {
                let count = pieces.withUnsafeBytes {
                    send(connection, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL))
                }
                guard count >= 0 else { return }
                pieces = pieces.dropFirst(count)
                if !pieces.isEmpty { continue }
                pieces = more[...]
                if more.isEmpty { usleep(20_000) }
            }
        }
    }

    /// Ends it.
    public func stop() {
        isStopped.store(true, ordering: .relaxed)
        shutdown(listener, CInt(SHUT_RDWR))
        close(listener)
    }
}
