import EventHTTP
import EventIO
import EventIOTesting
import HTTPWire
import Testing

@Suite struct ClientTests {
    @Test(arguments: [
        ("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", 200, "hello"),
        (
            "HTTP/1.1 404 \r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhe\r\n3;a=b\r\nllo\r\n0\r\nX: y\r\n\r\n", 404,
            "hello"
        ),
        ("HTTP/1.1 200 OK\r\n\r\nhello", 200, "hello"),
        ("HTTP/1.0 500 No\r\n\r\nhello", 500, "hello"),
        ("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early\r\nA: b\r\n\r\nHTTP/1.1 204 None\r\n\r\n", 204, ""),
        ("HTTP/1.1 302 Found\r\nLocation: /x\r\nContent-Length: 0\r\n\r\n", 302, ""),
    ])
    func answersAreRead(text: String, status: Int, body: String) async throws {
        try await withUpstream([respondingOnce(text)]) { upstream in
            let response = try await upstream.send()
            #expect(response.status == status)
            #expect(String(decoding: response.body, as: UTF8.self) == body)
        }
    }

    @Test func theRequestIsWrittenAsAsked() async throws {
        let script: @Sendable (Socket) async throws -> Void = { socket in
            let request = try await socket.readRequest()
            try await socket.write("HTTP/1.1 200 OK\r\nContent-Length: \(request.utf8.count)\r\n\r\n\(request)")
        }
        try await withUpstream([script]) { upstream in
            let response = try await upstream.send()
            #expect(
                String(decoding: response.body, as: UTF8.self)
                    == "POST /in HTTP/1.1\r\nHost: 127.0.0.1:\(upstream.port)\r\nX-A: b\r\nContent-Length: 2\r\n\r\n{}")
        }
    }

    @Test func oneConnectionServesManyRequests() async throws {
        try await withUpstream([responding("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n1")]) { upstream in
            for _ in 0..<5 {
                let status = try await upstream.status()
                #expect(status == 200)
            }
            #expect(upstream.log.connections == 1)
        }
    }

    @Test(arguments: [
        "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 1\r\n\r\n1",
        "HTTP/1.0 200 OK\r\nContent-Length: 1\r\n\r\n1",
        "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n12",
    ])
    func aConnectionThatIsNotToBeTrustedAgainIsNotKept(text: String) async throws {
        try await withUpstream([responding(text)]) { upstream in
            for _ in 0..<2 {
                let response = try await upstream.text()
                #expect(response == "1")
            }
            #expect(upstream.log.connections == 2)
        }
    }

    @Test func simultaneousRequestsHaveConnectionsOfTheirOwn() async throws {
        try await withUpstream([responding("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n1")]) { upstream in
            await withTaskGroup { group in
                for _ in 0..<10 { group.addTask { #expect((try? await upstream.status()) == 200) } }
            }
            #expect(upstream.log.connections > 1)
        }
    }

    @Test func noMoreConnectionsAreKeptThanAllowed() async throws {
        let pool = PoolLimits(idle: 2)
        try await withUpstream([responding("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n1")], pool: pool) {
            upstream in
            await withTaskGroup { group in
                for _ in 0..<10 { group.addTask { #expect((try? await upstream.status()) == 200) } }
            }
            while upstream.loop.openSockets > 4 { await upstream.loop.sleep(for: .milliseconds(1)) }
            // Two idle connections, and their other ends.
            #expect(upstream.loop.openSockets == 4)
        }
    }

    @Test func anIdleConnectionIsClosedInTheEnd() async throws {
        let pool = PoolLimits(idleTimeout: .milliseconds(20))
        try await withUpstream([responding("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n1")], pool: pool) {
            upstream in
            let first = try await upstream.status()
            #expect(first == 200)
            while upstream.loop.openSockets > 0 { await upstream.loop.sleep(for: .milliseconds(5)) }
            let second = try await upstream.status()
            #expect(second == 200)
            #expect(upstream.log.connections == 2)
        }
    }

    @Test func aTaskOutsideOfTheLoopsIsServedToo() async throws {
        try await withUpstream([responding("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n1")]) { upstream in
            let response = try await Task.detached { try await upstream.send() }.value
            #expect(response.status == 200)
        }
    }

    @Test func bigBodiesGoBothWays() async throws {
        let script: @Sendable (Socket) async throws -> Void = { socket in
            let request = try await socket.read(through: "{}")
            let body = String(repeating: "b", count: 2_000_000)
            try await socket.write("HTTP/1.1 200 OK\r\nContent-Length: 2000010\r\n\r\n\(body)")
            let size = "\(request.utf8.count)"
            try await socket.write(size + String(repeating: " ", count: 10 - size.count))
        }
        try await withUpstream([script]) { upstream in
            let response = try await upstream.send(body: Array((String(repeating: "a", count: 1_000_000) + "{}").utf8))
            #expect(response.body.count == 2_000_010)
            #expect(String(decoding: response.body.suffix(10), as: UTF8.self).hasPrefix("10000"))
        }
    }

    @Test func anResponseThatComesBeforeTheRequestIsTakenCounts() async throws {
        let script: @Sendable (Socket) async throws -> Void = { socket in
            _ = try await socket.read(through: "POST")
            try await socket.write("HTTP/1.1 413 No\r\nContent-Length: 0\r\n\r\n")
            await socket.loop.sleep(for: .seconds(20))
        }
        try await withUpstream([script]) { upstream in
            let response = try await upstream.send(body: [UInt8](repeating: 7, count: 20_000_000))
            #expect(response.status == 413)
        }
    }
}
