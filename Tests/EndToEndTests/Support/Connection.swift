import Foundation
import Glibc

/// A TCP connection whose every byte the test chooses.
///
/// `@unchecked Sendable`: one thread uses it at a time; closing is safe from another, which then sees the end.
final class Connection: @unchecked Sendable {
    private let descriptor: Int32
    private var reader = MessageReader()

    /// Nothing waits longer than this, in seconds: it stands between a mistake and a test run that hangs.
    private static let patience = 30

    /// Connects to a port of this machine.
    convenience init(port: Int) throws {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        let connected = Self.withLoopback(port) { connect(descriptor, $0, $1) }
        guard connected == 0 else {
            let reason = String(cString: strerror(errno))
            close(descriptor)
            throw Trouble("cannot connect: \(reason)")
        }
        self.init(adopting: descriptor)
    }

    /// Takes over a connected socket.
    init(adopting descriptor: Int32) {
        self.descriptor = descriptor
        var limit = timeval(tv_sec: Self.patience, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        var on: Int32 = 1
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
    }

    deinit { close(descriptor) }

    static func withLoopback(_ port: Int, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = INADDR_LOOPBACK.bigEndian
        return withUnsafePointer(to: address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }

    func send(_ text: String) throws { try send(Array(text.utf8)) }

    func send(_ bytes: [UInt8]) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            guard count > 0 else { throw Trouble("the other side takes nothing more") }
            rest = rest.dropFirst(count)
        }
    }

    /// Nothing more will be sent.
    func endSending() { shutdown(descriptor, Int32(SHUT_WR)) }

    /// No more in either direction; the other side sees an end.
    func shut() { shutdown(descriptor, Int32(SHUT_RDWR)) }

    /// The other side will see a reset.
    func reset() {
        var now = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &now, socklen_t(MemoryLayout<linger>.size))
    }

    /// Takes in what has arrived; false at the end of the stream.
    private func readMore() throws -> Bool {
        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        let count = recv(descriptor, &chunk, chunk.count, 0)
        if count == 0 || count < 0 && errno == ECONNRESET { return false }
        guard count > 0 else { throw Trouble("nothing arrives") }
        reader.append(chunk[..<count])
        return true
    }

    /// Whether there is something to receive.
    func hasArrivals() throws -> Bool {
        var poll = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return Glibc.poll(&poll, 1, 0) == 1
    }

    /// The next message.
    func receive(answersHead: Bool = false) throws -> Message {
        while true {
            if let message = try reader.next(answersHead: answersHead) { return message }
            guard try readMore() else { throw Trouble("the stream ended before a message did") }
        }
    }

    /// All that is left, to the stream's end.
    func receiveRest() throws -> String {
        while try readMore() {}
        return String(decoding: reader.buffer, as: UTF8.self)
    }
}
