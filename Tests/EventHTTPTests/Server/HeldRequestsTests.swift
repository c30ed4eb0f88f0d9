import EventIO
import EventIOTesting
import HTTPWire
import Synchronization
import Testing

@testable import EventHTTP

@Suite struct HeldRequestsTests {
    private final class Owner {}

    /// Calls through, since `#expect` cannot mutate a value.
    private final class Requests {
        private var requests = HeldRequests<Owner>()
        var used: Int { requests.used }
        func set(_ bytes: Int, for owner: Owner, of address: Int = 0) {
            requests.set(bytes, for: owner, of: Self.subscriber(address))
        }
        func remove(_ owner: Owner) { requests.remove(owner) }
        func level(without excess: Int) -> Int { requests.level(without: excess) }
        func popOldest(above level: Int, of address: Int? = nil) -> [Owner] {
            requests.popOldest(above: level, of: address.map(Self.subscriber))
        }
        func bytes(of address: Int) -> Int { requests.bytes(of: Self.subscriber(address)) }

        private static func subscriber(_ address: Int) -> Subscriber { Subscriber((0, 0xFFFF << 32 | UInt64(address))) }
    }

    @Test func theOldestAreReturned() {
        let requests = Requests()
        let owners = (0..<5).map { _ in Owner() }
        for owner in owners { requests.set(20, for: owner) }
        #expect(requests.popOldest(above: 100).isEmpty)
        requests.remove(owners[0])
        requests.set(41, for: owners[4])
        #expect(requests.used == 101)
        #expect(requests.popOldest(above: 100).map(ObjectIdentifier.init) == [ObjectIdentifier(owners[1])])
        // A new request of the same owner is the youngest.
        requests.remove(owners[2])
        requests.set(30, for: owners[2])
        requests.set(60, for: owners[0])
        let oldest = requests.popOldest(above: 100)
        #expect(oldest.map(ObjectIdentifier.init) == [owners[3], owners[4]].map { ObjectIdentifier($0) })
        #expect(requests.used == 90)
    }

    /// What is to be given up is taken from those who hold most, until they hold no more than others.
    @Test(arguments: [
        ([100, 60, 30], 0, 100), ([100, 60, 30], 10, 90), ([100, 60, 30], 40, 60), ([100, 60, 30], 60, 50),
        ([100, 60, 30], 100, 30), ([100, 60, 30], 130, 20), ([100, 60, 30], 190, 0), ([100, 60, 30], 500, 0),
        ([], 5, 0), ([7, 7], 2, 6),
    ])
    func thoseWhoHoldMostGiveUpFirst(held: [Int], excess: Int, level: Int) {
        let requests = Requests()
        let owners = held.map { _ in Owner() }
        for (address, bytes) in held.enumerated() { requests.set(bytes, for: owners[address], of: address) }
        #expect(requests.level(without: excess) == level)
    }

    @Test func anAddressThatHoldsLittleKeepsIt() {
        let requests = Requests()
        let owners = (0..<20).map { _ in Owner() }
        let first = Owner()
        requests.set(15, for: first, of: 1)
        for owner in owners { requests.set(10, for: owner, of: 2) }
        let gone = requests.popOldest(above: requests.level(without: 65))
        #expect(gone.map(ObjectIdentifier.init) == owners.prefix(7).map { ObjectIdentifier($0) })
        #expect(requests.bytes(of: 1) == 15 && requests.bytes(of: 2) == 130 && requests.used == 145)
        // Of one address nothing is given up for another.
        #expect(requests.popOldest(above: 10, of: 1).map(ObjectIdentifier.init) == [ObjectIdentifier(first)])
        #expect(requests.used == 130)
    }

    /// A connection holds what it has received: it must go with its request.
    @Test func aRemovedRequestDoesNotKeepItsOwner() {
        let requests = Requests()
        weak var gone: Owner?
        do {
            let owner = Owner()
            gone = owner
            requests.set(20, for: owner)
            requests.remove(owner)
        }
        #expect(gone == nil && requests.used == 0 && requests.bytes(of: 0) == 0)
    }

    /// What comes whole behind other requests is not given up: less of it is read while much is held.
    @Test(arguments: [(50_000, 65_536), (50_001, 4_096)])
    func littleIsReadWhileMuchIsHeld(held: Int, limit: Int) async throws {
        try await withConnections(1, limits: ServerLimits(unfinishedBytes: 100_000)) { server, connections, _ in
            server.setUnfinished(held, of: connections[0])
            #expect(server.readLimit(of: connections[0]) == limit)
            server.removeUnfinished(connections[0])
            #expect(server.readLimit(of: connections[0]) == 65_536)
        }
    }

    /// Addresses that send as many unfinished heads as they can: one holds half of the room, two a third each, with a sixteenth of
    /// it more at times. Whoever comes then reads as ever, and nothing of theirs is given up.
    @Test(arguments: [(1, 1.0 / 2), (2, 1.0 / 3), (4, 1.0 / 5)])
    func addressesLeaveRoomForAnother(count: Int, share: Double) async throws {
        let room = 3_200_000
        try await withConnections(301, limits: ServerLimits(unfinishedBytes: room)) { server, connections, _ in
            let others = connections.dropFirst()
            for (index, connection) in others.enumerated() {
                connection.remoteBits = (0, 0xFFFF_0A00_0000 + UInt64(index % count))
                server.setUnfinished(32_768, of: connection)
            }
            let held = others.count { $0.givenUp == nil } * 32_768
            let most = Double(count) * (share + 1.0 / 16) * Double(room)
            #expect(Double(held) <= most && Double(held) > Double(count) * share * 0.8 * Double(room))
            #expect(server.readLimit(of: connections[0]) == 65_536)
            server.setUnfinished(32_768, of: connections[0])
            #expect(connections[0].givenUp == nil)
            for connection in connections { server.removeUnfinished(connection) }
        }
    }

    /// What is given up of a client whose request is in its handler is released at once, unless it is a whole request.
    @Test(arguments: [
        ("GET /b HTTP/1.1\r\nHost: x\r\nA: " + String(repeating: "a", count: 20_000), [200, 503], false),
        (
            "POST /b HTTP/1.1\r\nHost: x\r\nContent-Length: 30000\r\n\r\n" + String(repeating: "a", count: 20_000),
            [200, 503], false
        ),
        ("no request\r\n\r\n" + String(repeating: "a", count: 20_000), [200, 400], false),
        ("GET /b HTTP/1.1\r\nHost: x\r\n\r\n", [200, 200], true),
        ("GET /b HTTP/1.1\r\nHost: x\r\n\r\nGET /c HTTP/1.1\r\n", [200, 200], true),
    ])
    func whatIsGivenUpBehindAHandlerIsReleased(behind: String, responses: [Int], isWhole: Bool) async throws {
        let hasBegun = Atomic(false)
        let mayEnd = Atomic(false)
        let handler: Server.Handler = { request in
            hasBegun.store(true, ordering: .relaxed)
            while !mayEnd.load(ordering: .relaxed) { await request.loop.sleep(for: .milliseconds(1)) }
            return await describe(request)
        }
        try await withConnections(1, limits: ServerLimits(), handler: handler) { server, connections, client in
            let connection = connections[0]
            let serving = Task(executorPreference: server.loop) { await connection.serve(.admitted) }
            try await client.write("GET /a HTTP/1.1\r\nHost: x\r\n\r\n" + behind)
            while !hasBegun.load(ordering: .relaxed) { await server.loop.sleep(for: .milliseconds(1)) }
            #expect(connection.reader.unfinishedHeadBytes > 0)
            connection.giveUp()
            #expect((connection.arrived != nil) == isWhole)
            // A head whose body had begun is kept for its response.
            #expect(connection.reader.unfinishedHeadBytes + connection.reader.bufferedBytes < 100 || isWhole)
            mayEnd.store(true, ordering: .relaxed)
            try await client.endWriting()
            #expect(statuses(String(decoding: try await client.readAll(), as: UTF8.self)) == responses)
            await serving.value
        }
    }

    /// Connections that share one socket, for a loop that accepts none, and their client.
    private func withConnections(
        _ count: Int, limits: ServerLimits, handler: @escaping Server.Handler = describe,
        _ body: @escaping @Sendable (ServerLoop, [ServerConnection], Socket) async throws -> Void
    ) async throws {
        try await withLoop { loop in
            let acceptor = try Acceptor(on: loop)
            let client = try await Socket.connect(to: acceptor.address, on: loop, deadline: testDeadline)
            client.deadline = testDeadline
            let socket = await acceptor.next()
            let shared = Server.Shared(maximum: 10, files: 100, secureContext: nil, proxyProtocol: false)
            let server = ServerLoop(
                loop, shared, limits: limits, timeouts: ServerTimeouts(),
                responder: Server.Responder(handler: handler, reject: { ServerResponse(status: $0.status) }))
            try await body(server, (0..<count).map { _ in ServerConnection(socket, server: server) }, client)
            socket.close()
            client.close()
            acceptor.stop()
        }
    }

    @Test func manySlowHeadsAreBounded() async throws {
        let limits = ServerLimits(unfinishedBytes: 100_000)
        try await withServer(limits: limits) { fixture in
            var sockets: [Socket] = []
            for _ in 0..<20 {
                let socket = try await fixture.connect()
                try await socket.write("GET / HTTP/1.1\r\nHost: x\r\nA: " + String(repeating: "a", count: 20_000))
                sockets.append(socket)
            }
            // The oldest is given up, the youngest can still be finished.
            #expect(statuses(String(decoding: try await sockets[0].readAll(), as: UTF8.self)) == [503])
            try await sockets[19].write("\r\n\r\n")
            #expect(try await sockets[19].read(through: "GET / ").contains(" 200 "))
            for socket in sockets { socket.close() }
        }
    }

    /// Heads are counted until their bodies have come, and small bodies with them.
    @Test func completeHeadsWithoutTheirBodiesAreBounded() async throws {
        try await withServer(limits: ServerLimits(unfinishedBytes: 100_000)) { fixture in
            var sockets: [Socket] = []
            for _ in 0..<20 {
                let socket = try await fixture.connect()
                let padding = String(repeating: "a", count: 9_000)
                try await socket.write(
                    "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10000\r\n\r\n\(padding)")
                sockets.append(socket)
            }
            #expect(statuses(String(decoding: try await sockets[0].readAll(), as: UTF8.self)) == [503])
            try await sockets[19].write(String(repeating: "b", count: 1_000))
            #expect(try await sockets[19].read(through: "POST / ").contains(" 200 "))
            for socket in sockets { socket.close() }
        }
    }

    /// A client that does not read its responses is not waited for: what it has sent beside is released, and refused when it reads.
    @Test(arguments: [5_000_000])
    func whatIsHeldForAClientThatDoesNotReadIsBounded(count: Int) async throws {
        let handler: Server.Handler = { _ in ServerResponse(status: 200, body: [UInt8](repeating: 0x61, count: count)) }
        let (limits, timeouts) = (ServerLimits(unfinishedBytes: 20_000), ServerTimeouts(linger: .seconds(60)))
        try await withServer(limits: limits, timeouts: timeouts, handler: handler) { fixture in
            let get = "GET / HTTP/1.1\r\nHost: x\r\n\r\n"
            var idle: [Socket] = []
            for _ in 0..<10 {
                let socket = try await fixture.connect()
                // As long as the server takes some: until its responses find no room.
                socket.deadline = .now + .milliseconds(500)
                let pipelined = String(repeating: get, count: 65_536 / get.utf8.count)
                do { while true { try await socket.write(pipelined) } } catch {}
                socket.deadline = testDeadline
                idle.append(socket)
            }
            // The oldest has been refused, and reads it now; the youngest still has its place.
            let text = String(decoding: try await idle[0].readAll(), as: UTF8.self)
            #expect(statuses(text).last == 503)
            #expect(statuses(text).dropLast().allSatisfy { $0 == 200 })
            for socket in idle { socket.close() }
        }
    }

    /// A request that has come whole behind another is not given up while it waits for its turn, and an idle connection gets no response.
    @Test func requestsThatWaitForTheirTurnAreServed() async throws {
        let slow: Server.Handler = { request in
            await request.loop.sleep(for: .milliseconds(request.head.target.text == "/slow" ? 300 : 0))
            return ServerResponse(status: 200, body: Array("<\(request.head.target.text)>".utf8))
        }
        try await withServer(limits: ServerLimits(unfinishedBytes: 100_000), handler: slow) { fixture in
            func get(_ path: String) -> String { "GET \(path) HTTP/1.1\r\nHost: x\r\n\r\n" }
            let victim = try await fixture.connect()
            try await victim.write(get("/slow") + get("/second") + get("/third"))
            var others: [Socket] = []
            for _ in 0..<20 {
                let socket = try await fixture.connect()
                try await socket.write("GET / HTTP/1.1\r\nHost: x\r\nA: " + String(repeating: "a", count: 20_000))
                others.append(socket)
            }
            let first = try await victim.read(through: "</third>")
            #expect(statuses(first) == [200, 200, 200])
            await fixture.loop.sleep(for: .milliseconds(50))
            #expect(try victim.isQuiet())
            try await victim.write(get("/last"))
            #expect(statuses(try await victim.read(through: "</last>")) == [200])
            for socket in others + [victim] { socket.close() }
        }
    }
}
