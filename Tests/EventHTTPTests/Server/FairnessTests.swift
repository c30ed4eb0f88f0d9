import EventIO
import EventIOTesting
import HTTPWire
import Synchronization
import Testing

@testable import EventHTTP

@Suite("Fairness")
struct FairnessTests {
    @Test func sixteenSmallRequestsOrALargeOnePerIteration() {
        var (share, work) = (IterationShare(), IterationWork())
        var verdicts: [Bool] = []
        for _ in 0..<17 { verdicts.append(share.use(in: 1, isLarge: false, of: &work)) }
        for (turn, isLarge) in [(2, false), (2, true), (2, true), (3, false), (4, false)] {
            verdicts.append(share.use(in: turn, isLarge: isLarge, of: &work))
        }
        // A request that had to wait uses the next share, and a large one uses all of it.
        #expect(verdicts == Array(repeating: true, count: 16) + [false, true, true, false, false, true])
    }

    /// What a client has sent in advance is not handled any more once a response could not be sent.
    @Test func whoIsGoneIsNotWorkedFor() async throws {
        let handled = Mutex(0)
        let handler: Server.Handler = { request in
            await request.loop.sleep(for: .milliseconds(2))
            handled.withLock { $0 += 1 }
            return ServerResponse(status: 200)
        }
        try await withServer(handler: handler) { server in
            let flood = try await server.connect()
            try await flood.write(String(repeating: "GET / HTTP/1.1\r\nHost: h\r\n\r\n", count: 1_000))
            while handled.withLock({ $0 }) < 5 { await server.loop.sleep(for: .milliseconds(1)) }
            flood.reset()
            while server.server.connectionCount > 0 { await server.loop.sleep(for: .milliseconds(1)) }
            #expect(handled.withLock { $0 } < 500)
        }
    }

    /// Requests without pause on a hundred connections are a hundred in an iteration and a few more, not sixteen hundred.
    @Test func onManyConnectionsOneRequestEach() {
        var work = IterationWork()
        var shares = Array(repeating: IterationShare(), count: 100)
        var handled: [Int] = []
        for iteration in 1...3 {
            var count = 0
            for index in shares.indices {
                // What had to wait is handled first.
                if iteration > 1 { count += 1 }
                while shares[index].use(in: iteration, isLarge: false, of: &work) { count += 1 }
            }
            handled.append(count)
        }
        #expect(handled.allSatisfy { (100...250).contains($0) }, "\(handled)")
    }

    /// A thousand requests on one connection are in the kernel's buffer before the first is handled, and so is the one of another
    /// client.
    @Test func aFloodOfRequestsDoesNotDelayOthers() async throws {
        let order = Mutex<[String]>([])
        let handler: Server.Handler = { request in
            order.withLock { $0.append(request.head.path) }
            return ServerResponse(status: 200)
        }
        try await withServer(handler: handler) { server in
            let flood = try await server.connect()
            let other = try await server.connect()
            defer {
                flood.close()
                other.close()
            }
            for socket in [flood, other] {
                try await socket.write("GET /first HTTP/1.1\r\nHost: h\r\n\r\n")
                _ = try await socket.read(through: "\r\n\r\n")
            }
            try await flood.write(String(repeating: "GET /flood HTTP/1.1\r\nHost: h\r\n\r\n", count: 1_000))
            try await other.write("GET /other HTTP/1.1\r\nHost: h\r\n\r\n")
            _ = try await other.read(through: "\r\n\r\n")
            let before = order.withLock { $0.firstIndex(of: "/other") }
            #expect(try #require(before) < 100)
            // All of them are handled in the end.
            while order.withLock({ $0.count { $0 == "/flood" } }) < 1_000 {
                await server.loop.sleep(for: .milliseconds(1))
                var responses = [UInt8](repeating: 0, count: 65_536)
                _ = try flood.receive(into: &responses)
            }
        }
    }
}
