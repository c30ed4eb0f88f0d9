import EventHTTP
import EventIO
import EventIOTesting
import HTTPWire
import Synchronization
import Testing

/// The budget for bodies that are being received.
@Suite struct LargeBodyTests {
    private static let head = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 200000\r\n\r\n"
    private static let part = String(repeating: "a", count: 199_000)
    private static let rest = String(repeating: "b", count: 1_000)

    @Test func thereIsRoomForSoManyAndThenForOthers() async throws {
        let limits = ServerLimits(bodyBytes: 300_000, bufferedBytes: 500_000)
        let count: Server.Handler = { ServerResponse(status: 200, body: Array("\($0.body.count)".utf8)) }
        try await withServer(limits: limits, handler: count) { fixture in
            var sockets: [Socket] = []
            for _ in 0..<2 {
                let socket = try await fixture.connect()
                try await socket.write(Self.head + Self.part)
                sockets.append(socket)
            }
            await fixture.loop.sleep(for: .milliseconds(50))
            // One more exceeds the budget; it is rejected before its body is complete.
            let third = try await fixture.conversation(Self.head + Self.part)
            #expect(statuses(third) == [503] && third.contains("too many large bodies"))
            // Small ones are not charged.
            let small = try await fixture.conversation(
                "POST / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 5\r\n\r\nhello")
            #expect(statuses(small) == [200])
            for socket in sockets {
                try await socket.write(Self.rest)
                #expect(try await socket.read(through: "200000").hasPrefix("HTTP/1.1 200 OK"))
            }
            // Handled bodies are not charged any more, though the connections stay open.
            for _ in 0..<4 {
                let socket = try await fixture.connect()
                try await socket.write(Self.head + Self.part + Self.rest)
                #expect(try await socket.read(through: "200000").hasPrefix("HTTP/1.1 200 OK"))
                socket.close()
            }
            // Nor are bodies whose clients have gone.
            for _ in 0..<4 {
                let socket = try await fixture.connect()
                try await socket.write(Self.head + Self.part)
                await fixture.loop.sleep(for: .milliseconds(20))
                socket.close()
                await fixture.loop.sleep(for: .milliseconds(20))
            }
            try await sockets[0].write(Self.head + Self.part + Self.rest)
            #expect(try await sockets[0].read(through: "200000").hasPrefix("HTTP/1.1 200 OK"))
            for socket in sockets { socket.close() }
        }
    }

    /// An address that holds back the ends of as many bodies as there is room for gives room up for those of others, however many come.
    @Test func anAddressThatHoldsBodiesBackLocksNobodyOut() async throws {
        let limits = ServerLimits(bodyBytes: 300_000, bufferedBytes: 1_000_000)
        let count: Server.Handler = { ServerResponse(status: 200, body: Array("\($0.body.count)".utf8)) }
        try await withServer(limits: limits, proxyProtocol: true, handler: count) { fixture in
            func begin(_ address: String) async throws -> Socket {
                let socket = try await fixture.connect()
                try await socket.write("PROXY TCP4 \(address) 192.0.2.9 4000 443\r\n\(Self.head)\(Self.part)")
                return socket
            }
            var held: [Socket] = []
            for _ in 0..<5 { held.append(try await begin("192.0.2.1")) }
            await fixture.loop.sleep(for: .milliseconds(50))
            var others: [Socket] = []
            for number in 1...4 { others.append(try await begin("198.51.100.\(number)")) }
            await fixture.loop.sleep(for: .milliseconds(50))
            for socket in others {
                try await socket.write(Self.rest)
                #expect(try await socket.read(through: "200000").hasPrefix("HTTP/1.1 200 OK"))
            }
            #expect(statuses(String(decoding: try await held[0].readAll(), as: UTF8.self)) == [503])
            for socket in held + others { socket.close() }
        }
    }

    /// Bodies that are being handled count for their address: its next one is refused, and those of others are not.
    @Test func bodiesInHandlersCountForTheirAddress() async throws {
        let limits = ServerLimits(bodyBytes: 300_000, bufferedBytes: 1_000_000)
        let isOpen = Atomic(false)
        let slow: Server.Handler = { request in
            while request.head.target.text == "/slow", !isOpen.load(ordering: .relaxed) {
                await request.loop.sleep(for: .milliseconds(5))
            }
            return ServerResponse(status: 200, body: Array("\(request.body.count)".utf8))
        }
        try await withServer(limits: limits, proxyProtocol: true, handler: slow) { fixture in
            func begin(_ address: String, _ path: String = "/") async throws -> Socket {
                let socket = try await fixture.connect()
                let head = Self.head.replacing("POST / ", with: "POST \(path) ")
                try await socket.write("PROXY TCP4 \(address) 192.0.2.9 4000 443\r\n\(head)\(Self.part)")
                await fixture.loop.sleep(for: .milliseconds(20))
                return socket
            }
            var held: [Socket] = []
            for _ in 0..<6 {
                let socket = try await begin("192.0.2.1", "/slow")
                try? await socket.write(Self.rest)
                held.append(socket)
            }
            for number in 1...4 {
                let other = try await begin("198.51.100.\(number)")
                try await other.write(Self.rest)
                #expect(try await other.read(through: "200000").hasPrefix("HTTP/1.1 200 OK"))
                other.close()
            }
            let next = try await begin("192.0.2.1")
            #expect(statuses(String(decoding: try await next.readAll(), as: UTF8.self)) == [503])
            isOpen.store(true, ordering: .relaxed)
            #expect(try await held[0].read(through: "200000").hasPrefix("HTTP/1.1 200 OK"))
            for socket in held + [next] { socket.close() }
        }
    }

    /// When many begin at once, as many are served as the budget allows: a rejected client releases its charge, even while it goes
    /// on sending.
    @Test func aCrowdIsNotRefusedAltogether() async throws {
        let limits = ServerLimits(bodyBytes: 300_000, bufferedBytes: 500_000)
        try await withServer(limits: limits) { fixture in
            var sockets: [Socket] = []
            for _ in 0..<4 {
                let socket = try await fixture.connect()
                try await socket.write(Self.head + Self.part)
                sockets.append(socket)
            }
            await fixture.loop.sleep(for: .milliseconds(100))
            var responses: [String] = []
            for socket in sockets {
                try? await socket.write(Self.rest)
                responses.append(try await socket.read(through: "HTTP/1.1 "))
            }
            #expect(responses.count { $0.hasPrefix("HTTP/1.1 200") } == 2)
            #expect(responses.count { $0.hasPrefix("HTTP/1.1 503") } == 2)
            for socket in sockets { socket.close() }
        }
    }
}
