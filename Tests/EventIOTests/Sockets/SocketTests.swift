import EventIO
import EventIOTesting
import Testing

@Suite struct SocketTests {
    @Test func bytesTravelBothWays() async throws {
        try await withLoop { loop in
            let (client, server) = try await connectedPair(on: loop)
            try await client.write(Array("ping".utf8))
            var buffer = [UInt8](repeating: 0, count: 16)
            let count = try await server.read(into: &buffer)
            #expect(Array(buffer[..<count]) == Array("ping".utf8))
            try await server.write(Array("po".utf8), Array("ng".utf8))
            try await server.endWriting()
            #expect(try await client.readAll() == Array("pong".utf8))
            client.close()
            server.close()
            #expect(loop.openSockets == 0)
        }
    }

    @Test func moreThanTheKernelTakesIsWrittenInPieces() async throws {
        try await withLoop { loop in
            let (client, server) = try await connectedPair(on: loop)
            let head = [UInt8](repeating: 1, count: 100)
            let body = (0..<20_000_000).map { UInt8(truncatingIfNeeded: $0) }
            let writer = Task(executorPreference: loop) {
                try await server.write(head, body)
                server.close()
            }
            let received = try await client.readAll()
            try await writer.value
            #expect(received == head + body)
            client.close()
        }
    }

    @Test func aDeadlineEndsTheWait() async throws {
        try await withLoop { loop in
            let (client, server) = try await connectedPair(on: loop)
            client.deadline = .now + .milliseconds(20)
            await #expect(throws: IOError.timedOut) { try await client.readAll() }
            // A new deadline makes the socket usable again.
            client.deadline = testDeadline
            try await server.write([7])
            server.close()
            #expect(try await client.readAll() == [7])
            client.close()
        }
    }

    @Test func aDeadlineThatMovesNearerCounts() async throws {
        try await withLoop { loop in
            let (client, server) = try await connectedPair(on: loop)
            client.deadline = .now + .seconds(3600)
            client.deadline = .now + .milliseconds(10)
            await #expect(throws: IOError.timedOut) { try await client.wait(for: .read) }
            client.close()
            server.close()
        }
    }

    @Test func cancellationEndsTheWait() async throws {
        try await withLoop { loop in
            let (client, server) = try await connectedPair(on: loop)
            let reader = Task(executorPreference: loop) { () async -> IOError? in
                do throws(IOError) {
                    _ = try await client.cancellingWithTask { () async throws(IOError) in try await client.readAll() }
                    return nil
                } catch { return error }
            }
            reader.cancel()
            #expect(await reader.value == .cancelled)
            client.close()
            server.close()
        }
    }

    @Test func aResetIsAnErrorAndAnEndIsNot() async throws {
        try await withLoop { loop in
            let (client, server) = try await connectedPair(on: loop)
            // Closing with unread bytes resets the connection.
            try await client.write([1, 2, 3])
            try await server.wait(for: .read)
            server.close()
            await #expect(throws: IOError.connectionLost) { try await client.readAll() }
            client.close()
        }
    }

    @Test func useAfterCloseIsAnError() async throws {
        try await withLoop { loop in
            let (client, server) = try await connectedPair(on: loop)
            client.close()
            client.close()
            await #expect(throws: IOError.closed) { try await client.write([1]) }
            // Must not arm a timer: its event would point to freed memory.
            client.deadline = .now
            #expect(client.deadline == nil)
            await loop.sleep(for: .milliseconds(10))
            #expect(try await server.readAll() == [])
            server.close()
        }
    }

    /// A peer that sends without pause must not keep the loop to itself.
    @Test func aLingeringCloseGivesUpItsShareOfTheLoop() async throws {
        try await withLoop { loop in
            let (client, server) = try await connectedPair(on: loop)
            client.deadline = .now + .milliseconds(200)
            let all = [UInt8](repeating: 1, count: 1 << 20)
            // Fills the kernel's buffers.
            while true { do throws(IOError) { try await client.write(all) } catch { break } }
            let waiting = client.sentCount
            #expect(waiting > 1 << 20)
            let before = loop.iteration
            await server.closeLingering(for: .seconds(5), discarding: waiting / 2)
            #expect(loop.iteration - before >= waiting / 2 / 16_384 / 16)
            client.close()
        }
    }

    @Test func aSteadyReaderGetsEverythingHoweverLongItTakes() async throws {
        try await withLoop { loop in
            let (client, server) = try await connectedPair(on: loop)
            let body = [UInt8](repeating: 7, count: 24 << 20)
            let writer = Task(executorPreference: loop) {
                try await server.write(body, stallPeriod: 150)
                server.close()
            }
            var count = 0
            let begin = MonotonicTime.now
            var buffer = [UInt8](repeating: 0, count: 1 << 20)
            while true {
                let more = try await client.read(into: &buffer)
                if more == 0 { break }
                count += more
                await loop.sleep(for: .milliseconds(20))
            }
            #expect(count == body.count)
            #expect(MonotonicTime.now >= begin + .milliseconds(300))
            try await writer.value
            client.close()
        }
    }

    @Test func aReaderThatStopsIsGivenUp() async throws {
        try await withLoop { loop in
            let (client, server) = try await connectedPair(on: loop)
            let body = [UInt8](repeating: 7, count: 24 << 20)
            await #expect(throws: IOError.timedOut) { try await server.write(body, stallPeriod: 50) }
            #expect(server.takenCount > 0 && server.takenCount < body.count)
            client.close()
            server.close()
        }
    }
}
