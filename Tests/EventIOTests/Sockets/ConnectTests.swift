import EventIO
import EventIOTesting
import Testing

@Suite struct ConnectTests {
    @Test func aRefusedConnectionIsTold() async throws {
        try await withLoop { loop in
            let acceptor = try Acceptor(on: loop)
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
