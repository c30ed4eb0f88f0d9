import EventHTTP
import EventIO
import EventIOTesting
import HTTPWire
import Synchronization
import Testing

/// Streams that end because of the client or the server, while their sender has nothing to send.
@Suite struct BrokenStreamTests {
    /// What a client does when it has had the first event.
    enum Ending: Sendable { case resets, closes, endsItsSending }

    /// A body of stated length, of which the first part is held back by a byte that asks the client; and one that ends with the connection,
    /// of which nothing can be sent but what comes.
    @Test(arguments: [Ending.resets, .closes, .endsItsSending], ["HTTP/1.0", "HTTP/1.1"])
    func aQuietBodyThatIsNotInChunksEndsWithItsReader(ending: Ending, version: String) async throws {
        let mayEnd = Atomic(false)
        let hasLength = version == "HTTP/1.1"
        let script: @Sendable (Socket) async throws -> Void = { socket in
            try await socket.readRequest()
            try await socket.write(
                hasLength ? "HTTP/1.1 200 OK\r\nContent-Length: 200\r\n\r\nfirst?" : Self.firstEvent)
            while !mayEnd.load(ordering: .relaxed) { await socket.loop.sleep(for: .milliseconds(10)) }
            try await socket.write(hasLength ? String(repeating: "-", count: 190) + "last" : "4\r\nlast\r\n0\r\n\r\n")
        }
        let timeouts = ServerTimeouts(body: .seconds(1))
        try await withStream(version: version, timeouts: timeouts, script) { server, client, outcome, upstream in
            let begun = ContinuousClock.now
            switch ending {
            case .resets: client.reset()
            case .closes: client.close()
            case .endsItsSending:
                try await client.endWriting()
                if hasLength { #expect(try await client.read(through: "?") == "?") }
                mayEnd.store(true, ordering: .relaxed)
                #expect(try await String(decoding: client.readAll(), as: UTF8.self).hasSuffix("last"))
            }
            while outcome.count == 0 { await upstream.loop.sleep(for: .milliseconds(10)) }
            #expect(outcome.failures.withLock { $0 } == [ending == .endsItsSending ? nil : .readerLeft])
            #expect((begun.duration(to: .now) >= .seconds(1)) == (ending == .closes && !hasLength))
            mayEnd.store(true, ordering: .relaxed)
            client.close()
        }
    }

    /// A client that is gone ends its stream. One that has only ended its own sending still gets what comes.
    @Test(arguments: [
        (Ending.resets, ClientError?.some(.readerLeft)), (.closes, .some(.readerLeft)), (.endsItsSending, nil),
    ])
    func aQuietStreamEndsWithItsReader(ending: Ending, failure: ClientError?) async throws {
        let mayEnd = Atomic(false)
        let script: @Sendable (Socket) async throws -> Void = { socket in
            try await socket.readRequest()
            try await socket.write(Self.firstEvent)
            while !mayEnd.load(ordering: .relaxed) { await socket.loop.sleep(for: .milliseconds(10)) }
            try await socket.write("4\r\nlast\r\n0\r\n\r\n")
        }
        try await withStream(script) { server, client, outcome, upstream in
            switch ending {
            case .resets: client.reset()
            case .closes: client.close()
            case .endsItsSending: try await client.endWriting()
            }
            if failure == nil {
                // The server asks whether it is there.
                #expect(try await client.read(through: "0").hasSuffix("0"))
                mayEnd.store(true, ordering: .relaxed)
                let rest = try await String(decoding: client.readAll(), as: UTF8.self)
                #expect(rest == "4\r\nlast\r\n0\r\n\r\n")
            }
            while outcome.count == 0 { await upstream.loop.sleep(for: .milliseconds(10)) }
            #expect(outcome.failures.withLock { $0 } == [failure])
            mayEnd.store(true, ordering: .relaxed)
            client.close()
        }
    }

    /// Behind the question whether the reader is there the end of the connection could be read as that of the body.
    @Test func whatBreaksOffBehindTheQuestionIsReset() async throws {
        let mayEnd = Atomic(false)
        let script: @Sendable (Socket) async throws -> Void = { socket in
            try await socket.readRequest()
            try await socket.write(Self.firstEvent)
            while !mayEnd.load(ordering: .relaxed) { await socket.loop.sleep(for: .milliseconds(10)) }
        }
        try await withStream(script) { server, client, outcome, upstream in
            try await client.endWriting()
            #expect(try await client.read(through: "0").hasSuffix("0"))
            mayEnd.store(true, ordering: .relaxed)
            await #expect(throws: IOError.connectionLost) { try await client.readAll() }
            #expect(outcome.failures.withLock { $0 } == [.networkConnectionLost])
        }
    }

    /// At the end of a drain the sender is waited for no more, and an HTTP/1.0 client cannot take what it has for the whole.
    @Test(arguments: ["HTTP/1.0", "HTTP/1.1"])
    func whatADrainBreaksOffDoesNotLookWhole(version: String) async throws {
        let script: @Sendable (Socket) async throws -> Void = { socket in
            try await socket.readRequest()
            try await socket.write(Self.firstEvent)
            try await socket.readRequest()
        }
        try await withStream(version: version, script) { server, client, outcome, upstream in
            await server.drain(within: .milliseconds(50))
            await server.end(within: .seconds(5))
            #expect(server.connectionCount == 0)
            #expect(outcome.failures.withLock { $0 } == [.cancelled])
        }
    }

    private static let firstEvent =
        "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nfirst\r\n"

    private final class Outcome: Sendable {
        let failures = Mutex<[ClientError?]>([])
        var count: Int { failures.withLock { $0.count } }
    }

    /// A server that passes on what `script` sends, and a client that has had the first event of it.
    private func withStream(
        version: String = "HTTP/1.1", timeouts: ServerTimeouts = ServerTimeouts(),
        _ script: @escaping @Sendable (Socket) async throws -> Void,
        _ body: @escaping @Sendable (Server, Socket, Outcome, UpstreamFixture) async throws -> Void
    ) async throws {
        try await withUpstream([script]) { upstream in
            let outcome = Outcome()
            let server = upstream.passingServer(timeouts: timeouts, holdingFor: .seconds(1)) { _, failure in
                outcome.failures.withLock { $0.append(failure) }
            }
            let address = try #require(try server.start().first)
            let client = try await Socket.connect(to: address, on: upstream.loop, deadline: testDeadline)
            client.deadline = testDeadline
            try await client.write("GET / \(version)\r\nHost: a\r\n\r\n")
            #expect(try await client.read(through: "first").contains(" 200 "))
            try await body(server, client, outcome, upstream)
            await server.drain(within: .zero)
        }
    }
}
