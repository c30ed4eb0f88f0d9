import EventHTTP
import EventIO
import EventIOTesting
import HTTPWire
import Testing

@Suite struct ServerRejectionTests {
    private static let smuggled = "GET /smuggled HTTP/1.1\r\nHost: x\r\n\r\n"

    /// Each kind of message that RFC 9112 requires to be refused, with the status; another request follows each.
    @Test(arguments: [
        ("GET / HTTP/1.1\r\n\r\n", 400),
        ("GET / HTTP/1.1\r\nHost: x\r\nHost: x\r\n\r\n", 400),
        ("GET / HTTP/1.1\r\nHost : x\r\n\r\n", 400),
        ("GET / HTTP/1.1\r\nHost: x\r\nA: b\r\n c\r\n\r\n", 400),
        ("GET / HTTP/1.1\nHost: x\n\n", 400),
        ("GET  / HTTP/1.1\r\nHost: x\r\n\r\n", 400),
        ("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\na", 400),
        ("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: +1\r\n\r\na", 400),
        ("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400),
        ("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n0x1\r\na\r\n0\r\n\r\n", 400),
        ("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nab\r\n0\r\n\r\n", 400),
        ("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip\r\n\r\n", 501),
        ("GET / HTTP/2.0\r\nHost: x\r\n\r\n", 505),
        ("POST / HTTP/1.1\r\nHost: x\r\nExpect: more\r\nContent-Length: 1\r\n\r\na", 417),
    ])
    func isRefusedAndNothingBehindItIsRead(request: String, status: Int) async throws {
        try await withServer { fixture in
            let response = try await fixture.conversation(request + Self.smuggled)
            #expect(statuses(response) == [status])
            #expect(response.contains("Connection: close\r\n"))
            #expect(!response.contains("smuggled"))
        }
    }

    private static let small = ServerLimits(
        head: HeadLimits(startLineBytes: 64, headerBytes: 128, headerCount: 4), bodyBytes: 10)

    @Test(arguments: [
        ("GET /\(String(repeating: "a", count: 100)) HTTP/1.1\r\nHost: x\r\n\r\n", 414),
        ("GET / HTTP/1.1\r\nHost: x\r\nA: \(String(repeating: "a", count: 200))\r\n\r\n", 431),
        ("GET / HTTP/1.1\r\nHost: x\r\nA: 1\r\nB: 2\r\nC: 3\r\nD: 4\r\n\r\n", 431),
        ("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 11\r\n\r\n", 413),
        ("POST / HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 11\r\n\r\n", 413),
        ("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9223372036854775807\r\n\r\n", 413),
        ("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9223372036854775808\r\n\r\n", 413),
        ("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 18446744073709551617\r\n\r\n", 413),
        ("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: \(String(repeating: "9", count: 90))\r\n\r\n", 413),
        ("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: \(String(repeating: "9", count: 90))x\r\n\r\n", 400),
        (
            "POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: \(String(repeating: "0", count: 40))\r\n\r\n",
            200
        ),
        ("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nb\r\n01234567890\r\n0\r\n\r\n", 413),
    ])
    func whatIsTooLargeIsRefused(request: String, status: Int) async throws {
        try await withServer(limits: Self.small) { fixture in
            let responses = try await statuses(fixture.conversation(request))
            #expect(responses == [status])
        }
    }

    @Test func aBodyThatIsStillBeingSentDoesNotKeepTheResponseFromArriving() async throws {
        try await withServer(limits: Self.small) { fixture in
            let body = String(repeating: "a", count: 3_000_000)
            let response = try await fixture.conversation(
                "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3000000\r\n\r\n" + body)
            #expect(statuses(response) == [413])
        }
    }

    private static let impatient = ServerTimeouts(
        header: .seconds(1), body: .seconds(1), idle: .seconds(1), linger: .seconds(1))

    @Test(arguments: [
        ("GET / HTTP/1.1\r\nHo", [408]),
        ("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nab", [408]),
        ("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab", [408]),
        ("GET / HTTP/1.1\r\nHost: x\r\n\r\nGET", [200, 408]),
        ("", []),
        ("GET / HTTP/1.1\r\nHost: x\r\n\r\n", [200]),
    ])
    func silenceEndsTheConnection(text: String, expected: [Int]) async throws {
        try await withServer(timeouts: Self.impatient) { fixture in
            let responses = try await statuses(fixture.conversation(text))
            #expect(responses == expected)
        }
    }

    /// Before the first request the time limit of a head applies if it is shorter; between requests it does not.
    @Test(arguments: [(30, 3_600_000), (3_600_000, 30)])
    func aConnectionThatSaysNothingIsClosed(header: Int, idle: Int) async throws {
        let timeouts = ServerTimeouts(header: .milliseconds(header), idle: .milliseconds(idle))
        try await withServer(timeouts: timeouts) { fixture in
            let response = try await fixture.conversation("")
            #expect(response.isEmpty)
        }
    }

    @Test func aConnectionThatHasSaidSomethingMayRest() async throws {
        try await withServer(timeouts: ServerTimeouts(header: .seconds(1), idle: .seconds(3_600))) { fixture in
            let socket = try await fixture.connect()
            defer { socket.close() }
            for _ in 0..<2 {
                try await socket.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
                #expect(try await statuses(socket.read(through: "GET /")) == [200])
                await fixture.loop.sleep(for: .milliseconds(1_500))
            }
        }
    }

    @Test func aTrickleDoesNotExtendTheTimeOfAHead() async throws {
        try await withServer(timeouts: Self.impatient) { fixture in
            let socket = try await fixture.connect()
            defer { socket.close() }
            let writer = Task(executorPreference: fixture.loop) {
                try await socket.write("GET / HTTP/1.1\r\n")
                while true {
                    try await socket.write("A")
                    await fixture.loop.sleep(for: .milliseconds(2))
                }
            }
            let response = try await socket.read(through: "\r\n\r\n")
            #expect(statuses(response) == [408])
            writer.cancel()
            socket.close()
            _ = await writer.result
        }
    }

    @Test func tooManyConnectionsAreTurnedAway() async throws {
        try await withServer(limits: ServerLimits(connections: 2)) { fixture in
            let first = try await fixture.connect()
            let second = try await fixture.connect()
            for socket in [first, second] {
                try await socket.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
                _ = try await socket.read(through: "GET /")
            }
            #expect(try await statuses(fixture.conversation(Self.smuggled)) == [503])
            first.close()
            while fixture.server.connectionCount > 1 { await fixture.loop.sleep(for: .milliseconds(1)) }
            let third = try await fixture.connect()
            try await third.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
            #expect(try await statuses(third.read(through: "GET /")) == [200])
            second.close()
            third.close()
        }
    }

    @Test func theRefuserLearnsTheTargetIfItWasRead() async throws {
        try await withLoop { loop in
            let server = Server(
                loops: [loop], addresses: [loopback], limits: Self.small,
                handler: describe,
                reject: { ServerResponse(status: $0.status, body: Array(($0.head?.target.text ?? "none").utf8)) })
            guard let address = try server.start().first else { return }
            let fixture = ServerFixture(server: server, address: address, loop: loop)
            let known = try await fixture.conversation("POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 11\r\n\r\n")
            #expect(known.hasSuffix("/a"))
            let unknown = try await fixture.conversation("GET / HTTP/3.0\r\n\r\n")
            #expect(unknown.hasSuffix("none"))
            await server.drain(within: .zero)
        }
    }
}
