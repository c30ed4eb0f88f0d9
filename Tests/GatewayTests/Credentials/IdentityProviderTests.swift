import EventIO
import EventIOTesting
import FileTesting
import HTTPWire
import Synchronization
import Testing

@testable import Configuration
@testable import EventHTTP
@testable import Gateway

/// Providers that never come to an end. Those that end badly are in the end-to-end tests.
@Suite struct IdentityProviderTests {
    /// What a provider does with a connection.
    enum Way: CaseIterable {
        case saysNothing, dripsTheHead, dripsTheBody, sendsForEver, sendsChunksForEver, onlyInforms
    }

    /// Sends bytes without end and without a pause longer than a millisecond.
    private static func respond(_ way: Way, _ socket: Socket) async throws {
        let spaces = [UInt8](repeating: 0x20, count: 4_096)
        switch way {
        case .saysNothing: await socket.loop.sleep(for: .seconds(60))
        case .dripsTheHead:
            try await socket.write(Array("HTTP/1.1 200 OK\r\nX-Header: ".utf8))
            while true { try await drip("a", socket) }
        case .dripsTheBody:
            try await socket.write(Array("HTTP/1.1 200 OK\r\nContent-Length: 200000\r\n\r\n{\"keys\":".utf8))
            while true { try await drip(" ", socket) }
        case .sendsForEver:
            try await socket.write(Array("HTTP/1.1 200 OK\r\n\r\n".utf8))
            while true { try await socket.write(spaces) }
        case .sendsChunksForEver:
            try await socket.write(Array("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n".utf8))
            while true { try await socket.write(Array("1000\r\n".utf8) + spaces + Array("\r\n".utf8)) }
        case .onlyInforms: while true { try await drip("HTTP/1.1 103 Early Hints\r\n\r\n", socket) }
        }
    }

    private static func drip(_ text: String, _ socket: Socket) async throws {
        try await socket.write(Array(text.utf8))
        await socket.loop.sleep(for: .milliseconds(10))
    }

    /// Whoever waits for the keys learns within the time of a fetch that there are none, and the provider is left alone for a while.
    @Test(arguments: Way.allCases)
    func aProviderWithoutEnd(_ way: Way) async throws {
        let loop = try EventLoop(name: "provider")
        try loop.start()
        defer { loop.stop() }
        let connections = Mutex(0)
        let listener = try Listener(on: loop, address: try #require(SocketAddress("127.0.0.1", port: 0))) { socket in
            connections.withLock { $0 += 1 }
            Task(executorPreference: loop) {
                defer { socket.close() }
                try await Self.respond(way, socket)
            }
        }
        loop.execute { listener.start() }
        let settings = Self.settings(listener.localAddress.port)
        var log = LogSettings()
        log.level = .critical
        let provider = try IdentityProvider(
            settings, client: Client(loops: [loop]), telemetry: Telemetry(log, sink: try LogSink()),
            timeouts: ClientTimeouts(
                connect: .milliseconds(500), response: .milliseconds(500), exchange: .milliseconds(1_000)))
        let follower = try IdentityProvider(
            settings, client: Client(loops: [loop]), following: [provider],
            telemetry: Telemetry(log, sink: try LogSink()))
        // On the loop: the threads of the tests may all be busy for longer than that.
        let took = await Task(executorPreference: loop) {
            let start = ContinuousClock.now
            // Several that wait for the same fetch, and one that comes later.
            await withTaskGroup { group in
                for _ in 0..<4 { group.addTask { #expect(await isUnavailable(provider)) } }
            }
            #expect(await isUnavailable(provider))
            // Nor is it asked by the configuration that follows.
            #expect(await isUnavailable(follower))
            return ContinuousClock.now - start
        }.value
        #expect(took < .seconds(30))
        #expect(connections.withLock { $0 } == 1)
    }

    private static func settings(_ port: UInt16) -> AuthSettings.Issuer {
        AuthSettings.Issuer(
            issuer: "https://login.example", audience: "cloakroom",
            keys: .url(BaseURL(isSecure: false, host: "127.0.0.1", port: port, path: "/keys"), query: nil))
    }

    /// A provider that returns a set without a usable key was reached: its keys are none. What is no set says nothing.
    @Test(arguments: [
        (#"{"keys":[]}"#, true), (#"{"keys":[{"kty":"oct","k":"AAAA","kid":"a"},7]}"#, true), (#"{"keys":{}}"#, false),
        ("", false), ("[]", false), (#"{"keys":["#, false),
    ])
    func aProviderWithoutKeys(document: String, isReached: Bool) async throws {
        let loop = try EventLoop(name: "provider")
        try loop.start()
        defer { loop.stop() }
        let listener = try Listener(on: loop, address: try #require(SocketAddress("127.0.0.1", port: 0))) { socket in
            Task(executorPreference: loop) {
                defer { socket.close() }
                let head = "HTTP/1.1 200 OK\r\nContent-Length: \(document.utf8.count)\r\n\r\n"
                try await socket.write(Array((head + document).utf8))
                await socket.loop.sleep(for: .seconds(1))
            }
        }
        loop.execute { listener.start() }
        var log = LogSettings()
        log.level = .critical
        let provider = try IdentityProvider(
            Self.settings(listener.localAddress.port), client: Client(loops: [loop]),
            telemetry: Telemetry(log, sink: try LogSink()))
        let failed = await Task(executorPreference: loop) { await isUnavailable(provider) }.value
        #expect(failed != isReached)
        let folder = try TemporaryFolder()
        try folder.write(document, to: "keys.json")
        #expect(IdentityProvider.fault(inKeys: folder.path + "/keys.json") != nil)
    }
}

private func isUnavailable(_ provider: IdentityProvider) async -> Bool {
    do {
        _ = try await provider.keys(for: "a")
        return false
    } catch .identityProviderUnavailable(let wait) { return (1...60).contains(wait) } catch { return false }
}
