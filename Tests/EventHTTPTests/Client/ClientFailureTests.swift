import EventHTTP
import EventIO
import EventIOTesting
import HTTPWire
import Testing

@Suite struct ClientFailureTests {
    /// Each ends with the upstream closing.
    @Test(arguments: [
        ("", ClientError.networkConnectionLost),
        ("HT", .networkConnectionLost),
        ("HTTP/1.1 200 OK\r\nContent-Le", .networkConnectionLost),
        ("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhell", .networkConnectionLost),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n", .networkConnectionLost),
        ("HTTP/1.1 100 Continue\r\n\r\n", .networkConnectionLost),
        ("SSH-2.0-OpenSSH_9.2\r\n", .unexpectedResponseType),
        ("\0\0\0\0", .unexpectedResponseType),
        ("<html></html>", .unexpectedResponseType),
        ("HTTP/1.1 two hundred\r\n\r\n", .badServerResponse),
        ("HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello", .badServerResponse),
        ("HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", .badServerResponse),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n", .badServerResponse),
        ("HTTP/1.1 101 Switching\r\nUpgrade: x\r\n\r\n", .badServerResponse),
        ("HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n", .responseTooLarge(status: 200)),
        ("HTTP/1.1 200 OK\r\nA: \(String(repeating: "a", count: 40_000))\r\n\r\n", .headTooLarge),
        ("HTTP/1.1 200 OK\r\n\(String(repeating: "A: b\r\n", count: 101))\r\n", .headTooLarge),
    ])
    func aBadResponseIsNoResponse(text: String, expected: ClientError) async throws {
        try await withUpstream([respondingOnce(text)]) { upstream in
            #expect(await upstream.failure() == expected)
            #expect(upstream.log.connections == 1)
        }
    }

    @Test(arguments: ["HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhell", "HTTP/1.1 200 OK\r\n\r\nhell", ""])
    func aResetIsALoss(text: String) async throws {
        let script: @Sendable (Socket) async throws -> Void = { socket in
            // Closing with bytes unread resets the connection.
            try await socket.wait(for: .read)
            try await socket.write(text)
        }
        try await withUpstream([script]) { upstream in
            #expect(await upstream.failure() == .networkConnectionLost)
        }
    }

    @Test(arguments: [
        "", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhell", "HTTP/1.1 200 OK\r\n\r\nhell", "HTTP/1.1 1",
    ])
    func aStallIsATimeOut(text: String) async throws {
        let script: @Sendable (Socket) async throws -> Void = { socket in
            try await socket.readRequest()
            try await socket.write(text)
            _ = try await socket.readAll()
        }
        try await withUpstream([script]) { upstream in
            #expect(await upstream.failure(timeouts: ClientTimeouts(exchange: .milliseconds(40))) == .timedOut)
        }
    }

    /// The time for the first byte of the response is not that of the whole exchange, and does not cut it.
    @Test func theResponseHasATimeOfItsOwn() async throws {
        let timeouts = ClientTimeouts(response: .seconds(2), exchange: .seconds(300))
        try await withUpstream([{ socket in _ = try await socket.readAll() }]) { upstream in
            let start = MonotonicTime.now
            #expect(await upstream.failure(timeouts: timeouts) == .timedOut)
            #expect(start.advanced(byMilliseconds: 60_000) > .now)
        }
        let slow: @Sendable (Socket) async throws -> Void = { socket in
            try await socket.readRequest()
            try await socket.write("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n")
            await socket.loop.sleep(for: .milliseconds(2_500))
            try await socket.write("1")
        }
        try await withUpstream([slow]) { upstream in
            let response = try await upstream.send(timeouts: timeouts)
            #expect(response.status == 200 && response.body == [0x31])
        }
    }

    @Test func anUpstreamThatIsNotThereIsTold() async throws {
        try await withLoop { loop in
            // On an address of its own: on that of all tests, a port that is given back may be another's at once.
            let host = "127.0.0.12"
            let acceptor = try Acceptor(on: loop, address: try #require(SocketAddress(host, port: 0)))
            let port = acceptor.address.port
            acceptor.stop()
            let client = Client(loops: [loop])
            let request = ClientRequest(method: .post, target: "/")
            await #expect(throws: ClientError.cannotConnectToHost) {
                _ = try await client.send(request, to: Origin(host: host, port: port))
            }
            await #expect(throws: ClientError.cannotFindHost) {
                _ = try await client.send(request, to: Origin(host: "nowhere.invalid", port: port))
            }
        }
    }

    @Test func headersThatCannotBeWrittenAreNotSent() async throws {
        try await withUpstream([respondingOnce("")]) { upstream in
            await #expect(throws: ClientError.unsendableRequest) {
                _ = try await upstream.client.send(
                    ClientRequest(method: .get, target: "/a b"), to: upstream.origin)
            }
            #expect(upstream.log.connections == 0)
        }
    }

    @Test func cancellationEndsAnExchange() async throws {
        try await withUpstream([{ socket in _ = try await socket.readAll() }]) { upstream in
            let sending = Task(executorPreference: upstream.loop) { await upstream.failure() }
            while upstream.log.connections == 0 { await upstream.loop.sleep(for: .milliseconds(1)) }
            sending.cancel()
            #expect(await sending.value == .cancelled)
        }
    }
}
