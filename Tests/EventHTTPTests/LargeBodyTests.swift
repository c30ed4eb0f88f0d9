import EventHTTP
import EventIO
import EventIOTesting
import HTTPWire
import Testing

/// What may be held of bodies that are under way.
@Suite struct LargeBodyTests {
    private static let head = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 200000\r\n\r\n"
    private static let part = String(repeating: "a", count: 199_000)
    private static let rest = String(repeating: "b", count: 1_000)

    @Test func thereIsRoomForSoManyAndThenForOthers() async throws {
        let limits = ServerLimits(bodyBytes: 300_000, heldBytes: 500_000)
        let count: Server.Handler = { ServerResponse(status: 200, body: Array("\($0.body.count)".utf8)) }
        try await withServer(limits: limits, handler: count) { fixture in
            var streams: [EventIO.Stream] = []
            for _ in 0..<2 {
                let stream = try await fixture.connect()
                try await stream.write(Self.head + Self.part)
                streams.append(stream)
            }
            await fixture.loop.sleep(for: .milliseconds(50))
            // One more is too much; it is told so, whatever it has still to send.
            let third = try await fixture.conversation(Self.head + Self.part)
            #expect(statuses(third) == [503] && third.contains("too many large bodies"))
            // Small ones always have room.
            let small = try await fixture.conversation(
                "POST / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 5\r\n\r\nhello")
            #expect(statuses(small) == [200])
            for stream in streams {
                try await stream.write(Self.rest)
                #expect(try await stream.read(through: "200000").hasPrefix("HTTP/1.1 200 OK"))
            }
            // What has been answered, on connections that stay open, is held no more.
            for _ in 0..<4 {
                let stream = try await fixture.connect()
                try await stream.write(Self.head + Self.part + Self.rest)
                #expect(try await stream.read(through: "200000").hasPrefix("HTTP/1.1 200 OK"))
                stream.close()
            }
            // Nor what has been given up.
            for _ in 0..<4 {
                let stream = try await fixture.connect()
                try await stream.write(Self.head + Self.part)
                await fixture.loop.sleep(for: .milliseconds(20))
                stream.close()
                await fixture.loop.sleep(for: .milliseconds(20))
            }
            try await streams[0].write(Self.head + Self.part + Self.rest)
            #expect(try await streams[0].read(through: "200000").hasPrefix("HTTP/1.1 200 OK"))
            for stream in streams { stream.close() }
        }
    }

    /// Of a crowd that begins at once, as many are served as there is room for: who is refused makes room, though he goes on
    /// sending.
    @Test func aCrowdIsNotRefusedAltogether() async throws {
        let limits = ServerLimits(bodyBytes: 300_000, heldBytes: 500_000)
        try await withServer(limits: limits) { fixture in
            var streams: [EventIO.Stream] = []
            for _ in 0..<4 {
                let stream = try await fixture.connect()
                try await stream.write(Self.head + Self.part)
                streams.append(stream)
            }
            await fixture.loop.sleep(for: .milliseconds(100))
            var answers: [String] = []
            for stream in streams {
                try? await stream.write(Self.rest)
                answers.append(try await stream.read(through: "HTTP/1.1 "))
            }
            #expect(answers.count { $0.hasPrefix("HTTP/1.1 200") } == 2)
            #expect(answers.count { $0.hasPrefix("HTTP/1.1 503") } == 2)
            for stream in streams { stream.close() }
        }
    }
}
