import EventHTTP
import EventIO
import EventIOTesting
import HTTPWire
import Testing

/// Bodies that are held before they are returned: how much of them, and in whose room.
@Suite struct HeldResponseTests {
    private func open(_ upstream: UpstreamFixture, holding buffering: ResponseBuffering) async throws -> ClientResponse
    {
        try await upstream.client.send(
            ClientRequest(method: .post, target: "/in", body: Array("{}".utf8)), to: upstream.origin,
            timeouts: ClientTimeouts(), buffering: buffering)
    }

    /// Redaction needs complete bodies. Their sum is bounded, and a request whose response has no room is not sent.
    @Test func bodiesThatAreNeededCompletelyAreBounded() async throws {
        let body = String(repeating: "a", count: 0xC000)
        let response = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nC000\r\n\(body)\r\n0\r\n\r\n"
        try await withUpstream(
            Array(repeating: respondingInTwoPieces(response), count: 3), limits: ClientLimits(completeBytes: 60_000)
        ) { upstream in
            var first: ClientResponse? = try await open(upstream, holding: .whole)
            #expect(first?.body.count == 0xC000 && first?.buffered != nil)
            await #expect(throws: ClientError.noRoom()) { _ = try await open(upstream, holding: .whole) }
            first = nil
            #expect(try await open(upstream, holding: .whole).body.count == 0xC000)
            // The refused one has neither ended the connection nor made another.
            #expect(upstream.log.connections == 1)
        }
    }

    /// What a caller's responses use of the room that all share is not that of others, and what they lack is found before the next is sent.
    @Test func responsesThatAreHeldHaveShares() async throws {
        let body = String(repeating: "a", count: 0xC000)
        let response = "HTTP/1.1 200 OK\r\nContent-Length: \(0xC000)\r\n\r\n\(body)"
        let script = respondingInTwoPieces(response)
        try await withUpstream([script], limits: ClientLimits(completeBytes: 180_000)) { upstream in
            var held: [ClientResponse] = []
            func ask(_ group: UInt64, _ buffering: ResponseBuffering) async throws {
                var request = ClientRequest(method: .post, target: "/", body: Array("{}".utf8))
                request.caller = PoolCaller(group: group, member: nil)
                held.append(
                    try await upstream.client.send(
                        request, to: upstream.origin, timeouts: ClientTimeouts(), buffering: buffering))
            }
            try await ask(1, .whole)
            await #expect(throws: ClientError.noRoom()) { try await ask(1, .whole) }
            try await ask(2, .whole)
            held = []
            for _ in 0..<2 { try await ask(1, .held(upTo: 0xC000)) }
            // There was room for what is reserved, and not for all of it.
            #expect(held.map { $0.incoming != nil } == [false, true])
            held.last?.incoming?.abandon()
        }
    }

    /// What one response had keeps nobody out whose share is smaller than that.
    @Test func aLongResponseKeepsNoSmallShareOut() async throws {
        let body = String(repeating: "a", count: 2 << 20)
        let script: @Sendable (Socket) async throws -> Void = { socket in
            _ = try await socket.readRequest()
            try await socket.write("HTTP/1.1 200 OK\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
            _ = try await socket.readRequest()
            try await socket.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}")
        }
        try await withUpstream([script], limits: ClientLimits(completeBytes: 8 << 20)) { upstream in
            var request = ClientRequest(method: .post, target: "/", body: Array("{}".utf8))
            for (caller, count) in [(PoolCaller(group: 1, member: nil), 2 << 20), (PoolCaller(group: 2, member: 3), 2)]
            {
                request.caller = caller
                let response = try await upstream.client.send(
                    request, to: upstream.origin, timeouts: ClientTimeouts(), buffering: .whole)
                #expect(response.body.count == count)
            }
        }
    }

    /// One that may be streamed is held as well, as it may turn out to be malformed or too large.
    @Test(arguments: [
        (ResponseBuffering.streamed(beyond: 100), true), (.held(upTo: 300_000), false), (.held(upTo: 700_000), true),
        (.whole, true),
    ])
    func aBodyOfUnknownLengthIsHeldUpToALimit(buffering: ResponseBuffering, isHeld: Bool) async throws {
        let body = String(repeating: "a", count: 600_000)
        let script = responding(
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n\(String(600_000, radix: 16))\r\n\(body)\r\n0\r\n\r\n"
        )
        try await withUpstream([script]) { upstream in
            let response = try await open(upstream, holding: buffering)
            #expect((response.incoming == nil) == isHeld)
            response.incoming?.abandon()
        }
    }
}
