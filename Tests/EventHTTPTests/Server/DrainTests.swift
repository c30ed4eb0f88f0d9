import EventHTTP
import EventIO
import EventIOTesting
import Glibc
import Synchronization
import Testing

@Suite struct DrainTests {
    @Test func requestsUnderWayAreFinishedAndIdleConnectionsClosed() async throws {
        let hasBegun = Atomic(false)
        let mayEnd = Atomic(false)
        let handler: Server.Handler = { request in
            hasBegun.store(true, ordering: .relaxed)
            while !mayEnd.load(ordering: .relaxed) { await request.loop.sleep(for: .milliseconds(1)) }
            return await describe(request)
        }
        try await withServer(handler: handler) { fixture in
            let idle = try await fixture.connect()
            let busy = try await fixture.connect()
            try await busy.write("GET /busy HTTP/1.1\r\nHost: x\r\n\r\n")
            while fixture.server.connectionCount < 2 || !hasBegun.load(ordering: .relaxed) {
                await fixture.loop.sleep(for: .milliseconds(1))
            }
            let drain = Task(executorPreference: fixture.loop) { await fixture.server.drain(within: .seconds(20)) }
            #expect(try await idle.readAll() == [])
            mayEnd.store(true, ordering: .relaxed)
            let response = String(decoding: try await busy.readAll(), as: UTF8.self)
            #expect(response.contains("Connection: close\r\n"))
            #expect(response.hasSuffix("GET /busy "))
            await drain.value
            #expect(fixture.server.connectionCount == 0)
            await #expect(throws: IOError.cannotConnect(errno: 111)) { _ = try await fixture.connect() }
            idle.close()
            busy.close()
        }
    }

    /// Where certificates of clients begin to be asked for, connections that have shown none end; another certificate of the server is no
    /// reason to.
    @Test(arguments: [nil, "ca"])
    func whoHasShownNoCertificateEnds(authority: String?) async throws {
        let files = TestCertificates.shared
        func context(_ authority: String?) throws -> TLSServerContext {
            try TLSServerContext(
                certificateChain: files.path("server"), privateKey: files.path("server.key"),
                clientCA: authority.map(files.path))
        }
        let (plain, other) = (try context(nil), try context(authority))
        let trust = try TLSClientContext(trustedCA: files.path("ca"))
        try await withServer(tls: plain) { fixture in
            let client = try await fixture.connect()
            try await client.secure(asClient: trust, of: "localhost")
            let get = "GET / HTTP/1.1\r\nHost: x\r\n\r\n"
            try await client.write(get)
            #expect(try await client.read(through: "GET /").contains(" 200 "))
            await fixture.server.replaceTLS(other, hasOtherAuthority: authority != nil)
            if authority == nil {
                try await client.write(get)
                #expect(try await client.read(through: "GET /").contains(" 200 "))
            } else {
                #expect(try await client.readAll() == [])
            }
            client.close()
        }
    }

    /// A hundred clients have connected and sent their requests before the server drains, and it has processed none of them.
    @Test func whatHasComeBeforeIsHandled() async throws {
        try await withServer { fixture in
            let request = Array("GET /early HTTP/1.1\r\nHost: x\r\n\r\n".utf8)
            let sockets = try (0..<100).map { _ in
                let descriptor = try Self.connected(to: fixture.address.port)
                try #require(send(descriptor, request, request.count, 0) == request.count)
                return descriptor
            }
            await fixture.server.drain(within: .seconds(20))
            for descriptor in sockets {
                var response = [UInt8](repeating: 0, count: 4_096)
                let count = recv(descriptor, &response, response.count, 0)
                let text = String(decoding: response.prefix(max(0, count)), as: UTF8.self)
                #expect(text.hasPrefix("HTTP/1.1 200 ") && text.hasSuffix("GET /early "))
                close(descriptor)
            }
        }
    }

    /// A socket that blocks, and is none of the loop's.
    private static func connected(to port: UInt16) throws -> CInt {
        let descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        let length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let outcome = withUnsafeBytes(of: &address) {
            connect(descriptor, $0.assumingMemoryBound(to: sockaddr.self).baseAddress, length)
        }
        try #require(outcome == 0)
        return descriptor
    }

    /// A request whose upstream has not responded at the end gets the response that says so. Of one that has got a part of its response the
    /// rest never comes.
    @Test(arguments: [("", " 502 "), (firstEvent, " 200 "), (firstEvent + "4\r\nmore\r\n", " 200 ")])
    func whoWaitsForAnUpstreamIsTold(response: String, status: String) async throws {
        let hasCome = Atomic(false)
        let script: @Sendable (Socket) async throws -> Void = { socket in
            try await socket.readRequest()
            try await socket.write(response)
            hasCome.store(true, ordering: .relaxed)
            try await socket.readRequest()
        }
        try await withUpstream([script]) { upstream in
            let server = upstream.passingServer(holdingFor: .milliseconds(20))
            let address = try #require(try server.start().first)
            let descriptor = try Self.connected(to: address.port)
            let request = Array("GET / HTTP/1.1\r\nHost: a\r\n\r\n".utf8)
            try #require(send(descriptor, request, request.count, 0) == request.count)
            while !hasCome.load(ordering: .relaxed) { await upstream.loop.sleep(for: .milliseconds(1)) }
            await upstream.loop.sleep(for: .milliseconds(100))
            await server.drain(within: .milliseconds(20))
            await server.end(within: .seconds(5))
            #expect(server.connectionCount == 0)
            var text = ""
            var bytes = [UInt8](repeating: 0, count: 4_096)
            while case let count = recv(descriptor, &bytes, bytes.count, 0), count > 0 {
                text += String(decoding: bytes.prefix(count), as: UTF8.self)
            }
            close(descriptor)
            #expect(text.contains(status))
            #expect(text.contains("Connection: close\r\n") == response.isEmpty)
            #expect(!text.hasSuffix("0\r\n\r\n") || response.isEmpty)
        }
    }

    private static let firstEvent =
        "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nfirst\r\n"

    /// A handler that waits for something else than a socket, as for a database, may still be told that it will not come: its response is
    /// sent. What goes on beyond its time is cut.
    @Test(arguments: [(800, " 503 "), (nil, "")])
    func whoWaitsForAHandlerIsTold(milliseconds: Int?, response: String) async throws {
        let mayEnd = Atomic(false)
        let handler: Server.Handler = { request in
            let end = milliseconds.map { MonotonicTime.now + .milliseconds($0) }
            while !mayEnd.load(ordering: .relaxed), end.map({ .now < $0 }) ?? true {
                await request.loop.sleep(for: .milliseconds(5))
            }
            return ServerResponse(status: 503)
        }
        try await withServer(handler: handler) { fixture in
            let descriptor = try Self.connected(to: fixture.address.port)
            let request = Array("GET / HTTP/1.1\r\nHost: a\r\n\r\n".utf8)
            try #require(send(descriptor, request, request.count, 0) == request.count)
            await fixture.loop.sleep(for: .milliseconds(50))
            await fixture.server.drain(within: .milliseconds(20))
            await fixture.server.end(within: .seconds(4))
            #expect(fixture.server.connectionCount == (milliseconds == nil ? 1 : 0))
            mayEnd.store(true, ordering: .relaxed)
            while fixture.server.connectionCount > 0 { await fixture.loop.sleep(for: .milliseconds(5)) }
            var bytes = [UInt8](repeating: 0, count: 4_096)
            let count = max(0, recv(descriptor, &bytes, bytes.count, 0))
            close(descriptor)
            let text = String(decoding: bytes.prefix(count), as: UTF8.self)
            #expect(response.isEmpty ? text.isEmpty : text.contains(response), "\(text)")
        }
    }

    @Test func whatDoesNotFinishIsCut() async throws {
        try await withServer { fixture in
            let stuck = try await fixture.connect()
            try await stuck.write("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nab")
            while fixture.server.connectionCount < 1 { await fixture.loop.sleep(for: .milliseconds(1)) }
            await fixture.loop.sleep(for: .milliseconds(10))
            await fixture.server.drain(within: .milliseconds(20))
            #expect(try await stuck.readAll() == [])
            stuck.close()
        }
    }
}
