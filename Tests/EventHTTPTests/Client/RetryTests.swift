import EventHTTP
import EventIO
import EventIOTesting
import HTTPWire
import Testing

@Suite struct RetryTests {
    private static let whole = "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n1"

    /// Responds to one request, then reads another and closes without a byte of a response, or with the first byte of one.
    private static func closingOnTheSecond(after text: String = "") -> @Sendable (Socket) async throws -> Void {
        { socket in
            try await socket.readRequest()
            try await socket.write(whole)
            try await socket.readRequest()
            try await socket.write(text)
        }
    }

    @Test(arguments: [Method.get, .put, .delete])
    func anIdempotentRequestGetsASecondChance(method: Method) async throws {
        try await withUpstream([Self.closingOnTheSecond(), responding(Self.whole)]) { upstream in
            let first = try await upstream.status(method)
            #expect(first == 200)
            let second = try await upstream.status(method)
            #expect(second == 200)
            #expect(upstream.log.connections == 2)
        }
    }

    @Test(arguments: [Method.post, .patch])
    func anotherRequestDoesNot(method: Method) async throws {
        try await withUpstream([Self.closingOnTheSecond(), responding(Self.whole)]) { upstream in
            let first = try await upstream.status(method)
            #expect(first == 200)
            #expect(await upstream.failure(method) == .networkConnectionLost)
            #expect(upstream.log.connections == 1)
        }
    }

    @Test func noneOnceTheResponseHasBegun() async throws {
        try await withUpstream([Self.closingOnTheSecond(after: "H"), responding(Self.whole)]) { upstream in
            let first = try await upstream.status(.get)
            #expect(first == 200)
            #expect(await upstream.failure(.get) == .networkConnectionLost)
            #expect(upstream.log.connections == 1)
        }
    }

    @Test func noneOnANewConnection() async throws {
        let closing: @Sendable (Socket) async throws -> Void = { socket in try await socket.readRequest() }
        try await withUpstream([closing, responding(Self.whole)]) { upstream in
            #expect(await upstream.failure(.get) == .networkConnectionLost)
            #expect(upstream.log.connections == 1)
        }
    }

    @Test func onlyOne() async throws {
        let closing: @Sendable (Socket) async throws -> Void = { socket in try await socket.readRequest() }
        try await withUpstream([Self.closingOnTheSecond(), closing, responding(Self.whole)]) { upstream in
            let first = try await upstream.status(.get)
            #expect(first == 200)
            #expect(await upstream.failure(.get) == .networkConnectionLost)
            #expect(upstream.log.connections == 2)
        }
    }

    /// The upstream closes while the connection is idle: no byte of the next request is lost on it.
    @Test(arguments: [Method.get, .post])
    func aConnectionClosedWhileIdleIsNotUsed(method: Method) async throws {
        try await withUpstream([respondingOnce(Self.whole), responding(Self.whole)]) { upstream in
            let first = try await upstream.status(method)
            #expect(first == 200)
            while upstream.loop.openSockets > 0 { await upstream.loop.sleep(for: .milliseconds(1)) }
            let second = try await upstream.status(method)
            #expect(second == 200)
            #expect(upstream.log.connections == 2)
        }
    }

    /// The first attempt has used all of the time to connect: the second has its own.
    @Test func theSecondConnectionHasItsTime() async throws {
        let late: @Sendable (Socket) async throws -> Void = { socket in
            try await socket.readRequest()
            try await socket.write(Self.whole)
            try await socket.readRequest()
            await socket.loop.sleep(for: .milliseconds(300))
        }
        try await withUpstream([late, responding(Self.whole)]) { upstream in
            let timeouts = ClientTimeouts(connect: .milliseconds(200), exchange: .seconds(20))
            let first = try await upstream.send(.get, timeouts: timeouts)
            #expect(first.status == 200)
            let second = try await upstream.send(.get, timeouts: timeouts)
            #expect(second.status == 200)
            #expect(upstream.log.connections == 2)
        }
    }
}
