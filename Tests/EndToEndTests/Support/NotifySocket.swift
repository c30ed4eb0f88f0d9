import Foundation
import Glibc

/// A service manager's end of `NOTIFY_SOCKET`.
final class NotifySocket: Sendable {
    /// The value of the variable.
    let name: String
    private let descriptor: Int32

    /// - Parameter name: a path, or an abstract name that begins with `@`.
    init(_ name: String) throws {
        self.name = name
        descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var bytes = Array(name.utf8)
        if name.hasPrefix("@") { bytes[0] = 0 }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        let length = socklen_t(2 + bytes.count + (name.hasPrefix("@") ? 0 : 1))
        let isBound = withUnsafePointer(to: address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, length) == 0 }
        }
        guard isBound else { throw Trouble("the notify socket cannot be bound: \(errno)") }
        var timeout = timeval(tv_sec: 30, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
    }

    deinit { close(descriptor) }

    /// The next message.
    func receive() throws -> String {
        var bytes = [UInt8](repeating: 0, count: 4_096)
        let count = recv(descriptor, &bytes, bytes.count, 0)
        guard count > 0 else { throw Trouble("no message came") }
        return String(decoding: bytes[..<count], as: UTF8.self)
    }

    /// The next message that is no WATCHDOG.
    func receiveEvent() throws -> String {
        while true {
            let message = try receive()
            if message != "WATCHDOG=1" { return message }
        }
    }
}
