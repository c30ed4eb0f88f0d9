import EventIO
import EventIOTesting
import HTTPWire
import Synchronization
import Testing

@testable import EventHTTP

/// One address that holds all connections locks nobody out. Addresses come from the PROXY protocol.
@Suite("Connections that give way")
struct DisplacedConnectionTests {
    private static func proxied(_ address: String, _ text: String = "") -> String {
        "PROXY TCP4 \(address) 192.0.2.9 4000 443\r\n" + text
    }
    private static let get = "GET / HTTP/1.1\r\nHost: x\r\n\r\n"
    /// What a connection can be held with: nothing, a served request, a part of a header, of a head, of a body.
    private static let holds = [
        proxied("192.0.2.1"), proxied("192.0.2.1", get), proxied("192.0.2.1", "GET / HT"),
        proxied("192.0.2.1", "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n1"),
    ]

    private func held(_ text: String, at fixture: ServerFixture) async throws -> Socket {
        let socket = try await fixture.connect()
        try await socket.write(Array(text.utf8))
        if text.hasSuffix(Self.get) { _ = try await socket.read(through: "GET /") }
        return socket
    }

    @Test func clientsWithFewerAreServed() async throws {
        try await withServer(limits: ServerLimits(connections: 8), proxyProtocol: true) { fixture in
            var held: [Socket] = []
            for hold in Self.holds + Self.holds { held.append(try await self.held(hold, at: fixture)) }
            await fixture.loop.sleep(for: .milliseconds(50))
            var others: [Socket] = []
            for number in 1...4 {
                let socket = try await fixture.connect()
                try await socket.write(Array(Self.proxied("198.51.100.\(number)", Self.get).utf8))
                #expect(try await socket.read(through: "GET /").contains(" 200 "))
                others.append(socket)
            }
            #expect(fixture.server.displacedConnectionCount == 4)
            while fixture.server.connectionCount > 8 { await fixture.loop.sleep(for: .milliseconds(1)) }
            // They are kept.
            for socket in others {
                try await socket.write(Array(Self.get.utf8))
                #expect(try await socket.read(through: "GET /").contains(" 200 "))
            }
            for socket in held + others { socket.close() }
        }
    }

    /// A request whose beginning comes at that very moment is not waited for: else every connection could stay so.
    @Test func whatBeginsTooLateIsNotWaitedFor() async throws {
        try await withServer(limits: ServerLimits(connections: 8), proxyProtocol: true) { fixture in
            var held: [Socket] = []
            for _ in 0..<8 { held.append(try await self.held(Self.proxied("192.0.2.1", Self.get), at: fixture)) }
            // All in one iteration of the loop: four new clients, and a part of a request on each connection that may give way.
            var others: [Socket] = []
            for number in 1...4 {
                let socket = try await fixture.connect()
                try await socket.write(Array(Self.proxied("198.51.100.\(number)", Self.get).utf8))
                others.append(socket)
            }
            for socket in held {
                try await socket.write("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n123")
            }
            for socket in others { #expect(try await socket.read(through: "GET /").contains(" 200 ")) }
            let end = MonotonicTime.now + .seconds(5)
            while fixture.server.connectionCount > 8, MonotonicTime.now < end {
                await fixture.loop.sleep(for: .milliseconds(5))
            }
            #expect(fixture.server.connectionCount == 8 && fixture.server.displacedConnectionCount == 4)
            for socket in held + others { socket.close() }
        }
    }

    /// Clients whose headers are not read yet do not count as the balancer's: all come at once, and have no connection before.
    @Test func manyNewClientsAtOnce() async throws {
        try await withServer(limits: ServerLimits(connections: 12), proxyProtocol: true) { fixture in
            var held: [Socket] = []
            for number in 0..<12 {
                held.append(try await self.held(Self.proxied("192.0.2.\(number % 4)", Self.get), at: fixture))
            }
            var others: [Socket] = []
            for number in 1...8 {
                let socket = try await fixture.connect()
                try await socket.write(Array(Self.proxied("198.51.100.\(number)", Self.get).utf8))
                others.append(socket)
            }
            for socket in others { #expect(try await socket.read(through: "\r\n\r\n").contains(" 200 ")) }
            for socket in held + others { socket.close() }
        }
    }

    @Test func anAddressThatHasMostGetsNoMore() async throws {
        try await withServer(limits: ServerLimits(connections: 4), proxyProtocol: true) { fixture in
            var held: [Socket] = []
            for number in 0..<4 {
                let address = number < 3 ? "192.0.2.1" : "198.51.100.1"
                held.append(try await self.held(Self.proxied(address, Self.get), at: fixture))
            }
            #expect(try await statuses(fixture.conversation(Self.proxied("192.0.2.1", Self.get))) == [503])
            #expect(fixture.server.displacedConnectionCount == 0)
            for socket in held { socket.close() }
        }
    }

    /// Connections above the limit, which are refused and take their time to end, keep no place within it from being free.
    @Test func refusedConnectionsTakeNoPlace() async throws {
        let timeouts = ServerTimeouts(linger: .seconds(60))
        try await withServer(limits: ServerLimits(connections: 4), timeouts: timeouts, proxyProtocol: true) { fixture in
            let hold = Self.proxied("192.0.2.1", Self.get)
            var held: [Socket] = []
            var refused: [Socket] = []
            for _ in 0..<4 { held.append(try await self.held(hold, at: fixture)) }
            for _ in 0..<10 {
                let socket = try await fixture.connect()
                try await socket.write(Array(hold.utf8))
                #expect(try await socket.read(through: "\r\n\r\n").contains(" 503 "))
                refused.append(socket)
            }
            for socket in held { socket.close() }
            while fixture.server.connectionCount > 10 { await fixture.loop.sleep(for: .milliseconds(1)) }
            held = []
            for _ in 0..<4 { held.append(try await self.held(hold, at: fixture)) }
            let other = try await self.held(Self.proxied("198.51.100.1", Self.get), at: fixture)
            #expect(fixture.server.displacedConnectionCount == 1)
            for socket in held + refused + [other] { socket.close() }
        }
    }

    /// What no request depends on gives way after a second: a byte behind the last request, for which the server lingers, and a header of
    /// the PROXY protocol that never comes.
    @Test(arguments: [
        proxied("192.0.2.1", "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\nG"), "PROXY TCP4 1",
    ])
    func whatEndsLateGivesWay(hold: String) async throws {
        let timeouts = ServerTimeouts(linger: .seconds(60))
        try await withServer(limits: ServerLimits(connections: 3), timeouts: timeouts, proxyProtocol: true) { fixture in
            var held: [Socket] = []
            for _ in 0..<3 {
                let socket = try await fixture.connect()
                try await socket.write(Array(hold.utf8))
                if hold.hasSuffix("G") { _ = try await socket.read(through: "GET /") }
                held.append(socket)
            }
            await fixture.loop.sleep(for: .milliseconds(1_200))
            held.append(try await self.held(Self.proxied("198.51.100.1", Self.get), at: fixture))
            #expect(fixture.server.displacedConnectionCount == 1)
            for socket in held { socket.close() }
        }
    }

    /// Those that were within the limit before it was lowered are no reason to refuse others without a look at them.
    @Test func aLoweredLimit() {
        let shared = Server.Shared(maximum: 400, files: 4_096, secureContext: nil, proxyProtocol: false)
        for _ in 0..<350 { #expect(shared.admit() == .admitted) }
        shared.maximum = 10
        for _ in 0..<17 { #expect(shared.admit() == .rejected) }
        for _ in 0..<256 { #expect(shared.admit() == .ignored) }
        #expect(shared.admit() == nil)
    }

    /// A client that ends in the middle of the header of the PROXY protocol is gone.
    @Test func halfOfAHeaderIsNoClient() async throws {
        try await withServer(proxyProtocol: true) { fixture in
            let socket = try await fixture.connect()
            try await socket.write("PROXY TCP4 1.2")
            while fixture.server.connectionCount == 0 { await fixture.loop.sleep(for: .milliseconds(1)) }
            await fixture.loop.sleep(for: .milliseconds(20))
            socket.close()
            let end = MonotonicTime.now + .seconds(5)
            while fixture.server.connectionCount > 0, MonotonicTime.now < end {
                await fixture.loop.sleep(for: .milliseconds(5))
            }
            #expect(fixture.server.connectionCount == 0)
        }
    }

    /// A handshake that does not go on is no better than silence.
    @Test func handshakesGiveWay() async throws {
        let certificates = TestCertificates.shared
        let context = try TLSServerContext(
            certificateChain: certificates.path("server"), privateKey: certificates.path("server.key"))
        try await withServer(limits: ServerLimits(connections: 3), tls: context, proxyProtocol: true) { fixture in
            var held: [Socket] = []
            for _ in 0..<3 { held.append(try await self.held(Self.proxied("192.0.2.1"), at: fixture)) }
            await fixture.loop.sleep(for: .milliseconds(50))
            let response = try await fixture.conversation(Self.proxied("198.51.100.1", Self.get))
            #expect(statuses(response) == [400] && response.contains("without TLS"))
            #expect(fixture.server.displacedConnectionCount == 1)
            for socket in held { socket.close() }
        }
    }

    /// What a handler works on is not given up, but it is the last of its connection, whatever the client has sent behind it: else an
    /// address whose connections are never without a request would lock out all others.
    @Test(arguments: [1, 40])
    func requestsUnderWayAreTheLast(requests: Int) async throws {
        let isOpen = Mutex(false)
        let begun = Mutex(0)
        let handler: Server.Handler = { request in
            begun.withLock { $0 += 1 }
            while !isOpen.withLock({ $0 }) { await request.loop.sleep(for: .milliseconds(5)) }
            return await describe(request)
        }
        try await withServer(limits: ServerLimits(connections: 2), proxyProtocol: true, handler: handler) { fixture in
            var held: [Socket] = []
            for _ in 0..<2 {
                let socket = try await fixture.connect()
                let text = Self.proxied("192.0.2.1") + String(repeating: Self.get, count: requests)
                try await socket.write(Array(text.utf8))
                held.append(socket)
            }
            let end = MonotonicTime.now + .seconds(10)
            while begun.withLock({ $0 }) < 2, MonotonicTime.now < end {
                await fixture.loop.sleep(for: .milliseconds(1))
            }
            let other = try await fixture.connect()
            try await other.write(Self.proxied("198.51.100.1", Self.get))
            while begun.withLock({ $0 }) < 3, MonotonicTime.now < end {
                await fixture.loop.sleep(for: .milliseconds(1))
            }
            #expect(fixture.server.displacedConnectionCount == 1)
            // An address gets no more so than others have.
            #expect(try await statuses(fixture.conversation(Self.proxied("192.0.2.1", Self.get))) == [503])
            isOpen.withLock { $0 = true }
            #expect(try await other.read(through: "GET /").contains(" 200 "))
            var closed = 0
            for socket in held {
                let response = try await socket.read(through: "GET /")
                #expect(response.contains(" 200 "))
                if response.contains("Connection: close") {
                    closed += 1
                    #expect(try await socket.readAll().isEmpty)
                }
            }
            #expect(closed == 1)
            for socket in held + [other] { socket.close() }
        }
    }

    /// A response is not cut because its connection gives way meanwhile and its client has begun another request.
    @Test func aResponseIsSentToItsEnd() async throws {
        let size = 8 << 20
        let handler: Server.Handler = { request in
            request.head.path == "/"
                ? await describe(request) : ServerResponse(status: 200, body: [UInt8](repeating: 65, count: size))
        }
        try await withServer(limits: ServerLimits(connections: 2), proxyProtocol: true, handler: handler) { fixture in
            var held: [Socket] = []
            for _ in 0..<2 {
                let socket = try await fixture.connect()
                try await socket.write(
                    Self.proxied("192.0.2.1", "GET /large HTTP/1.1\r\nHost: x\r\n\r\nGET / HTTP/1.1\r\nHo"))
                _ = try await socket.read(through: "A")
                held.append(socket)
            }
            let other = try await self.held(Self.proxied("198.51.100.1", Self.get), at: fixture)
            #expect(fixture.server.displacedConnectionCount == 1)
            for socket in held {
                var count = 0
                var buffer = [UInt8](repeating: 0, count: 1 << 16)
                while count < size - 8_192 {
                    let read = try await socket.read(into: &buffer)
                    if read == 0 { break }
                    count += read
                }
                #expect(count >= size - 8_192)
            }
            // What had begun behind it is the last.
            var closed = 0
            for socket in held {
                try await socket.write("st: x\r\n\r\n")
                let response = try await socket.read(through: "GET /")
                #expect(response.contains(" 200 "))
                if response.contains("Connection: close") { closed += 1 }
            }
            #expect(closed == 1)
            for socket in held + [other] { socket.close() }
        }
    }

    /// Who does not take the last response of a connection that another has the place of keeps others out no longer than otherwise.
    @Test func lastResponsesThatNobodyTakesGiveWay() async throws {
        let isOpen = Mutex(false)
        let begun = Mutex(0)
        let handler: Server.Handler = { request in
            begun.withLock { $0 += 1 }
            while !isOpen.withLock({ $0 }) { await request.loop.sleep(for: .milliseconds(5)) }
            return ServerResponse(status: 200, body: [UInt8](repeating: 65, count: 32 << 20))
        }
        try await withServer(limits: ServerLimits(connections: 2), proxyProtocol: true, handler: handler) { fixture in
            var held: [Socket] = []
            for _ in 0..<2 {
                held.append(try await fixture.connect())
                try await held.last?.write(Self.proxied("192.0.2.1", Self.get))
            }
            func wait(until count: Int) async {
                let end = MonotonicTime.now + .seconds(10)
                while begun.withLock({ $0 }) < count, MonotonicTime.now < end {
                    await fixture.loop.sleep(for: .milliseconds(1))
                }
            }
            await wait(until: 2)
            var others: [Socket] = []
            for number in 1...2 {
                let other = try await fixture.connect()
                try await other.write(Self.proxied("198.51.100.\(number)", Self.get))
                others.append(other)
            }
            await wait(until: 4)
            isOpen.withLock { $0 = true }
            for other in others {
                #expect(try await other.read(through: "\r\n\r\n").contains(" 200 "))
                other.close()
            }
            while fixture.server.connectionCount > 2 { await fixture.loop.sleep(for: .milliseconds(5)) }
            await fixture.loop.sleep(for: ServerConnection.readerPatience + .milliseconds(200))
            // This one finds them, and for the next there is a place.
            #expect(try await statuses(fixture.conversation(Self.proxied("198.51.100.3", Self.get))) == [503])
            let end = MonotonicTime.now + .seconds(5)
            while fixture.server.connectionCount > 0, MonotonicTime.now < end {
                await fixture.loop.sleep(for: .milliseconds(5))
            }
            #expect(fixture.server.connectionCount == 0)
            for socket in held { socket.close() }
        }
    }
}
