import EventHTTP
import EventIO
import EventIOTesting
import HTTPWire
import Synchronization
import Testing

@Suite struct IncomingBodyTests {
    private func open(_ upstream: UpstreamFixture, holding buffering: ResponseBuffering = .streamed(beyond: 100))
        async throws -> ClientResponse
    {
        try await upstream.client.send(
            ClientRequest(method: .post, target: "/in", body: Array("{}".utf8)), to: upstream.origin,
            timeouts: ClientTimeouts(), buffering: buffering)
    }

    private func rest(of incoming: IncomingBody) async throws -> [UInt8] {
        var all: [UInt8] = []
        while true {
            let piece = try await incoming.next()
            if piece.isEmpty { return all }
            #expect(piece.count <= 65_536)
            all += piece
        }
    }

    @Test(arguments: [true, false])
    func aLongBodyComesInPieces(isChunked: Bool) async throws {
        let body = [UInt8]((0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 / 7) })
        let script: @Sendable (Socket) async throws -> Void = { socket in
            for _ in 0..<2 {
                try await socket.readRequest()
                var writer = WireWriter()
                var keep = ResponseContext(version: .http11, isHead: false, keepAlive: true)
                if isChunked {
                    _ = try writer.streamedResponse(status: 200, headers: [], to: &keep)
                    for start in stride(from: 0, to: body.count, by: 10_000) {
                        writer.chunk(Array(body[start..<start + 10_000]))
                    }
                    writer.lastChunk()
                } else {
                    try writer.response(status: 200, headers: [], body: body, to: keep)
                }
                try await socket.write(writer.take())
            }
        }
        try await withUpstream([script], limits: ClientLimits(bufferedBytes: 50_000)) { upstream in
            for _ in 0..<2 {
                let response = try await open(upstream)
                let incoming = try #require(response.incoming)
                #expect(incoming.length == (isChunked ? nil : body.count))
                let received = try await rest(of: incoming)
                #expect(received == body)
                let nothing = try await incoming.next()
                #expect(nothing.isEmpty)
            }
            #expect(upstream.log.connections == 1)
        }
    }

    /// What has been buffered of a body and its reader has not taken yet leaves no room for buffering others.
    @Test func aSlowReadersBodyIsCharged() async throws {
        func script(_ count: Int) -> @Sendable (Socket) async throws -> Void {
            { socket in
                try await socket.readRequest()
                try await socket.write(
                    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n\(String(count, radix: 16))\r\n")
                try await socket.write([UInt8](repeating: 0x61, count: count), Array("\r\n0\r\n\r\n".utf8))
            }
        }
        let (large, small) = (script(1_000_000), script(100_000))
        try await withUpstream(
            [large, small, small], limits: ClientLimits(bufferedBytes: 150_000)
        ) { upstream in
            let slow = try #require(try await open(upstream, holding: .streamed(beyond: 10_000_000)).incoming)
            let first = try await slow.next()
            #expect(first.count == 65_536)
            let beside = try #require(try await open(upstream, holding: .streamed(beyond: 10_000_000)).incoming)
            #expect(try await rest(of: beside).count == 100_000)
            #expect(try await rest(of: slow).count == 1_000_000 - first.count)
            let afterwards = try await open(upstream, holding: .streamed(beyond: 10_000_000))
            #expect(afterwards.incoming == nil && afterwards.body.count == 100_000)
        }
    }

    /// A body of unknown length is passed on when it takes its time, and events at once, however little of it has come.
    @Test(arguments: [
        ("text/plain", 50, true), ("text/plain", nil, false), ("Text/Event-Stream; charset=utf-8", 60_000, true),
        ("text/event-stream", nil, false), ("text/event-streams", 60_000, false),
    ])
    func aBodyThatTakesItsTimeIsPassedOn(type: String, milliseconds: Int?, isStreamed: Bool) async throws {
        let mayEnd = Atomic(!isStreamed)
        let script: @Sendable (Socket) async throws -> Void = { socket in
            try await socket.readRequest()
            try await socket.write(
                "HTTP/1.1 200 OK\r\nContent-Type: \(type)\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n")
            repeat { await socket.loop.sleep(for: .milliseconds(10)) } while !mayEnd.load(ordering: .relaxed)
            try await socket.write("3\r\ndef\r\n0\r\n\r\n")
        }
        try await withUpstream([script]) { upstream in
            let time = milliseconds.map { Duration.milliseconds($0) }
            let response = try await upstream.client.send(
                ClientRequest(method: .post, target: "/in", body: Array("{}".utf8)), to: upstream.origin,
                timeouts: ClientTimeouts(exchange: .seconds(50)), buffering: .streamed(beyond: 100, after: time))
            #expect((response.incoming != nil) == isStreamed)
            guard let incoming = response.incoming else {
                #expect(response.body == Array("abcdef".utf8))
                return
            }
            #expect(try await incoming.next() == Array("abc".utf8))
            mayEnd.store(true, ordering: .relaxed)
            #expect(try await rest(of: incoming) == Array("def".utf8))
        }
    }

    @Test func aBodyThatIsNeededCompletelyIsWaitedFor() async throws {
        let script: @Sendable (Socket) async throws -> Void = { socket in
            try await socket.readRequest()
            try await socket.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n")
            await socket.loop.sleep(for: .milliseconds(100))
            try await socket.write("3\r\ndef\r\n0\r\n\r\n")
        }
        try await withUpstream([script]) { upstream in
            let response = try await upstream.client.send(
                ClientRequest(method: .post, target: "/in", body: Array("{}".utf8)), to: upstream.origin,
                timeouts: ClientTimeouts(), buffering: .whole)
            #expect(response.incoming == nil && response.body == Array("abcdef".utf8))
        }
    }

    /// The end of the exchange comes before that of the buffering.
    @Test func aBodyThatIsBufferedToTheEndOfTheExchangeTimesOut() async throws {
        let script = responding("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n")
        try await withUpstream([script]) { upstream in
            await #expect(throws: ClientError.timedOut) {
                try await upstream.client.send(
                    ClientRequest(method: .post, target: "/in", body: Array("{}".utf8)), to: upstream.origin,
                    timeouts: ClientTimeouts(exchange: .milliseconds(100)),
                    buffering: .streamed(beyond: 100, after: .milliseconds(200)))
            }
        }
    }

    /// A body that goes on when the exchange must end is none that has stopped: no fault of its sender.
    @Test(arguments: [
        ("text/plain", ResponseBuffering.streamed(beyond: 100, after: .milliseconds(200)), false),
        ("text/plain", ResponseBuffering.whole, true),
        ("text/event-stream", ResponseBuffering.whole, false),
    ])
    func aBodyThatGoesOnForTooLongIsToldFromOneThatStops(
        type: String, buffering: ResponseBuffering, goesOn: Bool
    ) async throws {
        let script: @Sendable (Socket) async throws -> Void = { socket in
            try await socket.readRequest()
            try await socket.write("HTTP/1.1 200 OK\r\nContent-Type: \(type)\r\nTransfer-Encoding: chunked\r\n\r\n")
            while true {
                try await socket.write("3\r\nabc\r\n")
                await socket.loop.sleep(for: .milliseconds(goesOn ? 20 : 2_000))
            }
        }
        try await withUpstream([script]) { upstream in
            await #expect(throws: ClientError.bodyTimedOut) {
                let response = try await upstream.client.send(
                    ClientRequest(method: .post, target: "/in", body: Array("{}".utf8)), to: upstream.origin,
                    timeouts: ClientTimeouts(exchange: .milliseconds(400)), buffering: buffering)
                let incoming = try #require(response.incoming)
                while case let piece = try await incoming.next(), !piece.isEmpty {}
            }
        }
    }

    /// A filter may hold back, add and take away; what it says last is the end.
    @Test func filtersChangeWhatPasses() async throws {
        let body = String(repeating: "abc", count: 400_000)
        let script = responding("HTTP/1.1 200 OK\r\nContent-Length: 1200000\r\n\r\n\(body)")
        try await withUpstream([script, script]) { upstream in
            let incoming = try #require(try await open(upstream).incoming)
            var held: [UInt8] = []
            incoming.addFilter { piece, isLast in
                // The loop goes on in between.
                #expect(piece.count <= 16_384)
                held += piece
                return isLast ? held + Array("!".utf8) : []
            }
            incoming.addFilter { piece, isLast in piece.map { $0 == UInt8(ascii: "b") ? UInt8(ascii: "B") : $0 } }
            #expect(incoming.length == nil)
            var received: [UInt8] = []
            while case let piece = try await incoming.next(), !piece.isEmpty { received += piece }
            #expect(String(decoding: received, as: UTF8.self) == body.replacing("b", with: "B") + "!")
            let nothing = try await incoming.next()
            #expect(nothing.isEmpty)
            let second = try #require(try await open(upstream).incoming)
            second.addFilter { _, _ in nil }
            await #expect(throws: ClientError.badServerResponse) { try await second.next() }
            let end = try await second.next()
            #expect(end.isEmpty)
        }
    }

    @Test func aShortBodyComesWhole() async throws {
        try await withUpstream([responding("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello")]) { upstream in
            let response = try await open(upstream)
            #expect(response.incoming == nil)
            #expect(response.body == Array("hello".utf8))
        }
    }

    /// So that an error in it can still be reported.
    @Test func aBodyOfUnknownLengthIsHeldWhileThereIsRoom() async throws {
        let piece = "4000\r\n" + String(repeating: "a", count: 0x4000) + "\r\n"
        let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
        let sound = head + String(repeating: piece, count: 10)
        let script: @Sendable (Socket) async throws -> Void = { socket in
            try await socket.readRequest()
            try await socket.write(sound + "0\r\n\r\n")
            try await socket.readRequest()
            try await socket.write(sound + "nonsense\r\n")
        }
        try await withUpstream([script]) { upstream in
            let response = try await open(upstream)
            #expect(response.incoming == nil)
            #expect(response.body.count == 10 * 0x4000)
            await #expect(throws: ClientError.badServerResponse) { _ = try await open(upstream) }
        }
    }

    @Test func aBodyThatBreaksOffIsAnError() async throws {
        let script = respondingOnce("HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\nhello")
        try await withUpstream([script]) { upstream in
            let response = try await open(upstream)
            let incoming = try #require(response.incoming)
            await #expect(throws: ClientError.networkConnectionLost) { _ = try await rest(of: incoming) }
            let nothing = try await incoming.next()
            #expect(nothing.isEmpty)
        }
    }

    @Test func anAbandonedBodyEndsItsConnectionAndGivesItsPlaceBack() async throws {
        let long = responding("HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\nhello")
        let short = responding("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n1")
        try await withUpstream([long, long, short], pool: PoolLimits(active: 1, queue: 0)) { upstream in
            let first = try await open(upstream)
            try #require(first.incoming).abandon()
            // Dropping the last reference closes the connection.
            var second: ClientResponse? = try await open(upstream)
            #expect(second?.incoming != nil)
            second = nil
            await upstream.loop.sleep(for: .milliseconds(1))
            let third = try await open(upstream)
            #expect(third.status == 200)
            #expect(upstream.log.connections == 3)
        }
    }

    @Test func nothingIsReadBeforeThePieceIsRequested() async throws {
        let script: @Sendable (Socket) async throws -> Void = { socket in
            try await socket.readRequest()
            try await socket.write("HTTP/1.1 200 OK\r\nContent-Length: 16000000\r\n\r\n")
            // Ends when the kernel takes no more, since the other side does not read.
            let piece = [UInt8](repeating: 1, count: 1_000_000)
            socket.deadline = .now + .milliseconds(300)
            while true { try await socket.write(piece) }
        }
        try await withUpstream([script]) { upstream in
            let response = try await open(upstream)
            let incoming = try #require(response.incoming)
            // Time for the sender to fill the kernel's buffers and to give up.
            while upstream.loop.openSockets > 1 { await upstream.loop.sleep(for: .milliseconds(5)) }
            var count = 0
            await #expect(throws: ClientError.networkConnectionLost) {
                while true { count += try await incoming.next().count }
            }
            #expect(count < 16_000_000)
        }
    }

    /// A reader that uses all of the time is not an error of the sender.
    @Test func aReaderWhoComesTooLateIsNotTheSendersFault() async throws {
        let script = responding(
            "HTTP/1.1 200 OK\r\nContent-Length: 200000\r\n\r\n" + String(repeating: "a", count: 200_000))
        try await withUpstream([script]) { upstream in
            let response = try await upstream.client.send(
                ClientRequest(method: .post, target: "/in", body: Array("{}".utf8)), to: upstream.origin,
                timeouts: ClientTimeouts(exchange: .seconds(3)), buffering: .streamed(beyond: 100))
            let incoming = try #require(response.incoming)
            var told: ClientError?
            incoming.onCompletion = { told = $0 }
            await upstream.loop.sleep(for: .milliseconds(3_200))
            await #expect(throws: ClientError.readerTooSlow) { _ = try await rest(of: incoming) }
            #expect(told == .readerTooSlow)
        }
    }

    /// Beyond the budget, a body is streamed even if its length would have been buffered.
    @Test func aBodyThatWasToBeHeldIsPassedOnForLackOfRoom() async throws {
        let script = responding(
            "HTTP/1.1 200 OK\r\nContent-Length: 300000\r\n\r\n" + String(repeating: "a", count: 300_000))
        let cases: [(room: Int, ResponseBuffering, isHeld: Bool)] = [
            (50_000, .streamed(beyond: 1 << 20), false), (1 << 20, .streamed(beyond: 1 << 20), true),
            (50_000, .whole, true),
        ]
        for (room, buffering, isHeld) in cases {
            try await withUpstream([script], limits: ClientLimits(bufferedBytes: room)) { upstream in
                let response = try await open(upstream, holding: buffering)
                #expect((response.incoming == nil) == isHeld)
                if let incoming = response.incoming { #expect(try await rest(of: incoming).count == 300_000) }
                response.incoming?.abandon()
            }
        }
    }

    /// A complete body is charged while its reader takes it: meanwhile the next one is streamed.
    @Test func aCompleteBodyIsChargedUntilItsLastReferenceIsReleased() async throws {
        let body = String(repeating: "a", count: 0xC000)
        let response = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nC000\r\n\(body)\r\n0\r\n\r\n"
        try await withUpstream(
            Array(repeating: respondingInTwoPieces(response), count: 3), limits: ClientLimits(bufferedBytes: 60_000)
        ) { upstream in
            func ask() async throws -> ClientResponse {
                try await upstream.client.send(
                    ClientRequest(method: .post, target: "/", body: Array("{}".utf8)), to: upstream.origin,
                    timeouts: ClientTimeouts(),
                    buffering: .streamed(beyond: 100))
            }
            var first: ClientResponse? = try await ask()
            #expect(first?.body.count == 0xC000 && first?.buffered != nil)
            let second = try await ask()
            #expect(second.incoming != nil)
            second.incoming?.abandon()
            first = nil
            let third = try await ask()
            #expect(third.incoming == nil && third.body.count == 0xC000)
        }
    }
}
