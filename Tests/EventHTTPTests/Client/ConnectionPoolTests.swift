import EventHTTP
import EventIO
import EventIOTesting
import Testing

@Suite struct ConnectionLimitTests {
    private static let response = "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n1"

    @Test func requestsBeyondTheLimitWaitForTheirTurn() async throws {
        try await withUpstream([responding(Self.response)], pool: PoolLimits(active: 2, queue: 20)) { upstream in
            await withTaskGroup { group in
                for _ in 0..<20 { group.addTask { #expect((try? await upstream.status()) == 200) } }
            }
            #expect((1...2).contains(upstream.log.connections))
        }
    }

    @Test func requestsBeyondTheQueueAreTurnedAway() async throws {
        let silent: @Sendable (Socket) async throws -> Void = { socket in
            try await socket.readRequest()
            await socket.loop.sleep(for: .seconds(60))
        }
        try await withUpstream([silent], pool: PoolLimits(active: 1, queue: 0)) { upstream in
            let first = Task(executorPreference: upstream.loop) { try await upstream.status() }
            while upstream.log.connections == 0 { await upstream.loop.sleep(for: .milliseconds(1)) }
            #expect(await upstream.failure() == .overloaded)
            first.cancel()
            _ = await first.result
        }
    }

    /// One owner's requests use up nothing of another's to the same host.
    @Test(arguments: [("a", false), ("b", true)])
    func ownersHaveConnectionsOfTheirOwn(owner: String, isServed: Bool) async throws {
        let silent: @Sendable (Socket) async throws -> Void = { socket in
            try await socket.readRequest()
            await socket.loop.sleep(for: .seconds(60))
        }
        let pool = PoolLimits(active: 1, queue: 0)
        try await withUpstream([silent, responding(Self.response)], pool: pool) { upstream in
            func origin(_ owner: String) -> Origin {
                Origin(host: "127.0.0.1", port: upstream.port, owner: owner, pool: pool)
            }
            let first = Task(executorPreference: upstream.loop) { try await upstream.status(to: origin("a")) }
            while upstream.log.connections == 0 { await upstream.loop.sleep(for: .milliseconds(1)) }
            let status = try? await upstream.status(to: origin(owner))
            #expect(status == (isServed ? 200 : nil))
            first.cancel()
            _ = await first.result
        }
    }

    @Test func waitingEndsWithTheTimeToConnect() async throws {
        let silent: @Sendable (Socket) async throws -> Void = { socket in
            try await socket.readRequest()
            await socket.loop.sleep(for: .seconds(60))
        }
        try await withUpstream([silent], pool: PoolLimits(active: 1, queue: 1)) { upstream in
            let first = Task(executorPreference: upstream.loop) { try await upstream.status() }
            while upstream.log.connections == 0 { await upstream.loop.sleep(for: .milliseconds(1)) }
            #expect(await upstream.failure(timeouts: ClientTimeouts(connect: .milliseconds(20))) == .overloaded)
            first.cancel()
            _ = await first.result
        }
    }

    @Test func aFailureGivesItsPlaceBack() async throws {
        let scripts = [respondingOnce("nonsense\r\n"), responding(Self.response)]
        try await withUpstream(scripts, pool: PoolLimits(active: 1, queue: 0)) { upstream in
            #expect(await upstream.failure() == .unexpectedResponseType)
            let second = try await upstream.status()
            #expect(second == 200)
        }
    }
}
