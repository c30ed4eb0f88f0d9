import EventHTTP
import EventIO
import EventIOTesting
import Glibc
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
            await socket.loop.sleep(for: .milliseconds(2_500))
        }
        try await withUpstream([late, responding(Self.whole)]) { upstream in
            let timeouts = ClientTimeouts(connect: .seconds(2), exchange: .seconds(60))
            let first = try await upstream.send(.get, timeouts: timeouts)
            #expect(first.status == 200)
            let second = try await upstream.send(.get, timeouts: timeouts)
            #expect(second.status == 200)
            #expect(upstream.log.connections == 2)
        }
    }

    /// A request that must not arrive twice is not sent again, and says whether a byte of it was written.
    @Test(arguments: [true, false])
    func aSingleSendSaysWhatHappened(isTaken: Bool) async throws {
        try await withUpstream([Self.closingOnTheSecond(), responding(Self.whole)]) { upstream in
            var request = ClientRequest(method: .get, target: "/", headers: [("X-A", "{}")])
            let sent = SingleSend()
            request.singleSend = sent
            if isTaken {
                let first = try await upstream.status(.get)
                #expect(first == 200 && !sent.wasWritten)
                await #expect(throws: ClientError.networkConnectionLost) {
                    _ = try await upstream.client.send(request, to: upstream.origin)
                }
                #expect(upstream.log.connections == 1)
            } else {
                request.target = "/ "
                await #expect(throws: ClientError.unsendableRequest) {
                    _ = try await upstream.client.send(request, to: upstream.origin)
                }
            }
            #expect(sent.wasWritten == isTaken)
        }
    }

    /// The upstream ends its side before it has got anything, and goes on reading. Whether it gets the request is what the sender learns.
    @Test func whatIsSaidNotToBeWrittenNeverArrives() async throws {
        try await withLoop { theirs in
            let acceptor = try Acceptor(on: theirs)
            let origin = Origin(host: "127.0.0.1", port: acceptor.address.port)
            for _ in 0..<20 {
                let received = Task(executorPreference: theirs) {
                    let socket = await acceptor.next()
                    defer { socket.close() }
                    socket.deadline = testDeadline
                    try await socket.endWriting()
                    return try await socket.readAll()
                }
                let wasWritten = try await withLoop { loop in
                    var request = ClientRequest(method: .post, target: "/", body: Array("{}".utf8))
                    let sent = SingleSend()
                    request.singleSend = sent
                    let sending = Task(executorPreference: loop) { [request] in
                        _ = try? await Client(loops: [loop]).send(request, to: origin)
                    }
                    // The loop sees the connection and its end by the same look.
                    let pause = Task(executorPreference: loop) { _ = usleep(20_000) }
                    await pause.value
                    await sending.value
                    return sent.wasWritten
                }
                let hasArrived = try await !received.value.isEmpty
                #expect(hasArrived == wasWritten)
            }
            acceptor.stop()
        }
    }

    /// A response may come before all of the request has been sent: what is left of it would be read as the next request.
    @Test func aConnectionWithAnUnfinishedRequestIsNotUsed() async throws {
        let hasty: @Sendable (Socket) async throws -> Void = { socket in
            _ = try await socket.read(through: "\r\n\r\n")
            try await socket.write(Self.whole)
            await socket.loop.sleep(for: .seconds(60))
        }
        try await withUpstream([hasty, responding(Self.whole)]) { upstream in
            let large = [UInt8](repeating: 0x61, count: 32 << 20)
            let first = try await upstream.send(body: large).status
            #expect(first == 200)
            let second = try await upstream.status()
            #expect(second == 200)
            #expect(upstream.log.connections == 2)
        }
    }
}
