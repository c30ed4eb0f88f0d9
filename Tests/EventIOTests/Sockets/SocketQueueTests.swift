import EventIO
import EventIOTesting
import Testing

@Suite("Output queued until the end of the loop's iteration") struct SocketQueueTests {
    @Test func queuedAndWrittenBytesArriveInOrder() async throws {
        try await withLoop { loop in
            let (client, server) = try await connectedPair(on: loop)
            server.enqueue(Array("a".utf8))
            server.enqueue([])
            server.enqueue(Array("b".utf8))
            try await server.write(Array("c".utf8))
            server.enqueue(Array("d".utf8))
            #expect(server.sentCount == 3)
            try await server.endWriting()
            #expect(server.sentCount == 4)
            #expect(try await client.readAll() == Array("abcd".utf8))
            client.close()
            server.close()
        }
    }

    @Test func nothingIsSentBeforeTheIterationEnds() async throws {
        try await withLoop { loop in
            let (client, server) = try await connectedPair(on: loop)
            server.enqueue([1, 2, 3])
            #expect(server.sentCount == 0)
            #expect(try client.isQuiet())
            await loop.sleep(for: .zero)
            #expect(server.sentCount == 3)
            var buffer = [UInt8](repeating: 0, count: 8)
            #expect(try await client.read(into: &buffer) == 3)
            client.close()
            server.close()
        }
    }

    /// What was queued of an abandoned socket is not sent, and that of others is.
    @Test func anAbandonedSocketSendsNothingMore() async throws {
        try await withLoop { loop in
            let (first, second) = (try await connectedPair(on: loop), try await connectedPair(on: loop))
            first.server.enqueue([1, 2, 3])
            second.server.enqueue([4])
            first.server.abandon()
            second.server.close()
            #expect(first.server.sentCount == 0 && first.server.isClosed)
            #expect(try await first.client.readAll() == [])
            #expect(try await second.client.readAll() == [4])
            first.client.close()
            second.client.close()
        }
    }

    @Test func theQueueCanBeFlushedAtOnce() async throws {
        try await withLoop { loop in
            let (client, server) = try await connectedPair(on: loop)
            server.enqueue([1, 2])
            server.flushQueue()
            #expect(server.sentCount == 2)
            client.close()
            server.close()
        }
    }

    @Test func everySocketSendsItsOwnBytes() async throws {
        try await withLoop { loop in
            var pairs: [(client: Socket, server: Socket)] = []
            for _ in 0..<40 { pairs.append(try await connectedPair(on: loop)) }
            for round in 0..<10 {
                for (index, pair) in pairs.enumerated() {
                    pair.server.enqueue([UInt8](repeating: UInt8(index), count: 100 * round + 1))
                }
            }
            for (index, pair) in pairs.enumerated() {
                pair.server.close()
                #expect(try await pair.client.readAll() == [UInt8](repeating: UInt8(index), count: 4_510))
                pair.client.close()
            }
        }
    }

    @Test func bytesThatAPeerDoesNotReadAreBufferedInOrder() async throws {
        try await withLoop { loop in
            let (client, server) = try await connectedPair(on: loop)
            let piece = (0..<16_000).map { UInt8(truncatingIfNeeded: $0) }
            var expected: [UInt8] = []
            while !server.isBehind {
                server.enqueue(piece)
                expected += piece
                await loop.sleep(for: .zero)
            }
            server.enqueue([42])
            expected.append(42)
            let finished = Task(executorPreference: loop) { () async throws -> Int in
                try await server.finishSending()
                return server.sentCount
            }
            var received: [UInt8] = []
            var buffer = [UInt8](repeating: 0, count: 65_536)
            while received.count < expected.count {
                let count = try await client.read(into: &buffer)
                if count == 0 { break }
                received += buffer[..<count]
            }
            #expect(received == expected)
            #expect(try await finished.value == expected.count)
            #expect(!server.isBehind)
            client.close()
            server.close()
        }
    }

    @Test func aPeerThatNeverReadsEndsTheWaitForItAtTheDeadline() async throws {
        try await withLoop { loop in
            let (client, server) = try await connectedPair(on: loop)
            while !server.isBehind {
                server.enqueue([UInt8](repeating: 0, count: 60_000))
                await loop.sleep(for: .zero)
            }
            server.deadline = .now + .milliseconds(20)
            await #expect(throws: IOError.timedOut) { try await server.finishSending() }
            client.close()
            server.close()
        }
    }

    @Test func aPeerThatIsGoneIsNoticedOnceItsLastBytesAreRead() async throws {
        try await withLoop { loop in
            let (client, server) = try await connectedPair(on: loop)
            try await client.write([7])
            try await server.wait(for: .read)
            // The first bytes that reach a closed socket cause a reset, the next ones fail.
            client.close()
            server.enqueue([1])
            await loop.sleep(for: .milliseconds(20))
            server.enqueue([2])
            await loop.sleep(for: .milliseconds(20))
            #expect(server.hasLostPeer)
            #expect(try await server.readAll() == [7])
            await #expect(throws: IOError.connectionLost) { try await server.finishSending() }
            await #expect(throws: IOError.connectionLost) { try await server.write([3]) }
            server.close()
        }
    }

    @Test func whatCameBeforeTheLossIsThereToBeWaitedFor() async throws {
        try await withLoop { loop in
            let (client, server) = try await connectedPair(on: loop)
            // All in one iteration: no event has signalled the bytes when the sending fails.
            _ = try client.send([7], [], from: 0)
            client.close()
            _ = try server.send([1], [], from: 0)
            #expect(throws: IOError.connectionLost) { try server.send([2], [], from: 0) }
            try await server.wait(for: .read)
            #expect(try await server.readAll() == [7])
            server.close()
        }
    }

    @Test func closingSendsQueuedBytesFirst() async throws {
        try await withLoop { loop in
            let (client, server) = try await connectedPair(on: loop)
            server.enqueue([1, 2])
            server.close()
            server.enqueue([3])
            #expect(try await client.readAll() == [1, 2])
            client.close()
        }
    }
}
