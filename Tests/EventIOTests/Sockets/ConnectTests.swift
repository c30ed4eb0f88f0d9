import EventIOTesting
import Glibc
import Testing

@testable import EventIO

@Suite struct ConnectTests {
    @Test func aRefusedConnectionIsTold() async throws {
        try await withLoop { loop in
            // On an address of its own: on that of all tests, a port that is given back may be another's at once.
            let acceptor = try Acceptor(on: loop, address: try #require(SocketAddress("127.0.0.11", port: 0)))
            let address = acceptor.address
            acceptor.stop()
            await #expect(throws: IOError.cannotConnect(errno: 111)) {
                _ = try await Socket.connect(to: address, on: loop, deadline: testDeadline)
            }
            #expect(loop.openSockets == 0)
        }
    }

    @Test(arguments: ["nowhere.invalid", "", "a b", String(repeating: "x", count: 300)])
    func aNameWithoutAddressIsTold(host: String) async throws {
        try await withLoop { loop in
            await #expect(throws: IOError.cannotFindHost) {
                _ = try await Socket.connect(to: host, port: 80, on: loop, deadline: testDeadline)
            }
        }
    }

    /// At the end of the process what waits for a socket goes on, and nothing begins to.
    @Test func allSocketsCanBeCancelled() async throws {
        try await withLoop { loop in
            let acceptor = try Acceptor(on: loop)
            let first = try await Socket.connect(to: acceptor.address, on: loop, deadline: testDeadline)
            let second = try await Socket.connect(to: acceptor.address, on: loop, deadline: testDeadline)
            first.close()
            loop.execute { loop.cancelSockets() }
            await #expect(throws: IOError.cancelled) { try await second.wait(for: .read) }
            second.close()
            await #expect(throws: IOError.cancelled) {
                let later = try await Socket.connect(to: acceptor.address, on: loop, deadline: testDeadline)
                defer { later.close() }
                try await later.wait(for: .read)
            }
            acceptor.stop()
        }
    }

    @Test func aNameIsTriedAddressByAddress() async throws {
        try await withLoop { loop in
            // Listens on IPv4 only; where `localhost` is also ::1, that one is refused first.
            let acceptor = try Acceptor(on: loop)
            let socket = try await Socket.connect(
                to: "localhost", port: acceptor.address.port, on: loop, deadline: testDeadline)
            #expect(socket.remoteAddress.host == "127.0.0.1")
            let accepted = await acceptor.next()
            #expect(accepted.remoteAddress.host == "127.0.0.1")
            socket.close()
            accepted.close()
        }
    }

    /// An address that drops packets takes its share of the time, and leaves the rest to the next.
    @Test func anAddressThatIsSilentTakesItsShareAlone() async throws {
        try await withLoop { loop in
            let silent = try FullListener()
            defer { silent.close() }
            let other = try #require(SocketAddress("127.0.0.2", port: silent.port))
            let acceptor = try Acceptor(on: loop, address: other)
            let resolver = Resolver(maximumThreads: 1, maximumQueue: 1) { _ in
                (["127.0.0.1"] + Array(repeating: "127.0.0.2", count: 9)).compactMap { SocketAddress($0, port: 0) }
            }
            let socket = try await Socket.connect(
                to: "two.test", port: silent.port, on: loop, deadline: .now + .seconds(20), resolver: resolver)
            #expect(socket.remoteAddress.host == "127.0.0.2")
            let accepted = await acceptor.next()
            socket.close()
            accepted.close()
            acceptor.stop()
        }
    }

    @Test func aPassedDeadlineEndsTheLookUp() async throws {
        try await withLoop { loop in
            let resolver = Resolver(maximumThreads: 0)
            await #expect(throws: IOError.timedOut) {
                _ = try await resolver.addresses(of: "localhost", port: 1, on: loop, deadline: .now + .milliseconds(10))
            }
        }
    }

    @Test func twoListenersShareAPortButAStrangerIsNoticed() async throws {
        try await withLoop { loop in
            let first = try Acceptor(on: loop)
            let second = try Acceptor(on: loop, address: first.address)
            #expect(first.address.port == second.address.port)
            #expect(throws: IOError.self) { try Listener.checkIsFree(first.address) }
            first.stop()
            second.stop()
            try Listener.checkIsFree(first.address)
        }
    }

    @Test(arguments: [
        ("127.0.0.1", "127.0.0.1:80"), ("::1", "[::1]:80"), ("[::1]", nil), ("127.0.0.1:80", nil), ("host", nil),
        ("", nil), ("127.1", nil), ("300.1.1.1", nil), ("1:2", nil), ("::1\0", nil), ("127.0.0.1\0x", nil),
    ])
    func addressesAreRead(text: String, expected: String?) {
        #expect(SocketAddress(text, port: 80)?.description == expected)
    }
}

/// A listener on 127.0.0.1 whose queue is full: the kernel drops what else would connect.
private struct FullListener {
    let port: UInt16
    private var descriptors: [CInt]

    init() throws {
        let listener = Glibc.socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        let length = socklen_t(MemoryLayout<sockaddr_in>.size)
        func withAddress(_ call: (UnsafeMutablePointer<sockaddr>) -> CInt) -> CInt {
            withUnsafeMutablePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1, call)
            }
        }
        var size = length
        try #require(withAddress { bind(listener, $0, length) } == 0 && listen(listener, 0) == 0)
        try #require(withAddress { getsockname(listener, $0, &size) } == 0)
        port = UInt16(bigEndian: address.sin_port)
        descriptors = [listener]
        for _ in 0..<4 {
            let filler = Glibc.socket(AF_INET, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_NONBLOCK.rawValue), 0)
            _ = withAddress { connect(filler, $0, length) }
            descriptors.append(filler)
        }
    }

    func close() { for descriptor in descriptors { Glibc.close(descriptor) } }
}
