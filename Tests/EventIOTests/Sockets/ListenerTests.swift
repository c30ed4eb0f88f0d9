import EventIO
import EventIOTesting
import Testing

@Suite struct ListenerTests {
    /// A loop whose iterations are long, because it has others to read from, accepts more connections in each: a fixed number would
    /// let new clients wait for seconds.
    @Test func aBusyLoopAcceptsInProportionToTheWait() async throws {
        try await withLoop { loop in
            let accepted = Accepted()
            let listener = try Listener(on: loop, address: loopback) { accepted.sockets.append($0) }
            // The kernel completes them before anybody accepts.
            var clients: [Socket] = []
            for _ in 0..<1_000 {
                clients.append(try await Socket.connect(to: listener.localAddress, on: loop, deadline: testDeadline))
            }
            listener.start()
            let first = loop.iteration
            while accepted.sockets.count < clients.count, loop.iteration < first + 50 {
                let end = MonotonicTime.now + .milliseconds(40)
                while MonotonicTime.now < end {}
                await loop.nextIteration()
            }
            #expect(accepted.sockets.count == clients.count)
            // 64 in each would need 16.
            #expect(loop.iteration <= first + 6)
            listener.stop()
            for socket in clients + accepted.sockets { socket.close() }
        }
    }
}

/// Lives on its loop's thread.
private final class Accepted {
    var sockets: [Socket] = []
}
