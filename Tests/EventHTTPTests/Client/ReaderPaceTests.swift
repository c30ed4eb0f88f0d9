import EventIO
import EventIOTesting
import HTTPWire
import Synchronization
import Testing

@testable import EventHTTP

@Suite struct ReaderPaceTests {
    private func time(_ milliseconds: Int64) -> MonotonicTime { MonotonicTime(milliseconds: milliseconds) }

    @Test(
        arguments: [
            // One piece for too long.
            ([(0, 16_384, nil)], 1_999, false), ([(0, 16_384, nil)], 2_000, true),
            // 16 KiB in 900 ms each: fast enough. 16 KiB in 1,200 ms each: not.
            ((0..<8).map { ($0 * 900, 16_384, $0 * 900 + 900) } + [(7_200, 16_384, nil)], 7_300, false),
            ((0..<8).map { ($0 * 1_200, 16_384, $0 * 1_200 + 1_200) } + [(9_600, 16_384, nil)], 10_700, true),
            // A slow sender is not a slow reader.
            ([(0, 100, 10), (60_000, 100, 60_010), (120_000, 100, nil)], 120_100, false),
            ([(0, 100, 10)], 100_000, false),
        ] as [([(Int64, Int, Int64?)], Int64, Bool)])
    func aSlowReaderIsRecognised(pieces: [(start: Int64, count: Int, end: Int64?)], at now: Int64, isSlow: Bool) {
        var pace = ReaderPace()
        for piece in pieces {
            pace.take(piece.count, at: time(piece.start))
            if let end = piece.end { pace.finish(at: time(end)) }
        }
        #expect(pace.isTooSlow(at: time(now)) == isSlow)
    }

    /// A reader that has stopped loses its connection to a request that waits for one.
    @Test func aStalledReaderDoesNotKeepTheConnectionFromOthers() async throws {
        let long: @Sendable (Socket) async throws -> Void = { socket in
            try await socket.readRequest()
            try await socket.write("HTTP/1.1 200 OK\r\nContent-Length: 16000000\r\n\r\n")
            try await socket.write([UInt8](repeating: 1, count: 16_000_000))
        }
        let short = responding("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n1")
        try await withUpstream([long, short], pool: PoolLimits(active: 1, queue: 1)) { upstream in
            let request = ClientRequest(method: .post, target: "/in", body: Array("{}".utf8))
            let first = try await upstream.client.send(
                request, to: upstream.origin, timeouts: ClientTimeouts(), buffering: .streamed(beyond: 100))
            let incoming = try #require(first.incoming)
            let errors = Mutex<[ClientError?]>([])
            incoming.onCompletion = { error in errors.withLock { $0.append(error) } }
            _ = try await incoming.next()
            let second = try await upstream.status()
            #expect(second == 200)
            await #expect(throws: ClientError.readerTooSlow) { _ = try await incoming.next() }
            #expect(errors.withLock { $0 } == [.readerTooSlow])
        }
    }
}
