import EventHTTP
import EventIO
import EventIOTesting
import HTTPWire
import Synchronization
import Testing

/// Bodies that are streamed and end early.
@Suite struct StreamedBodyTests {
    /// For an HTTP/1.0 client the end of the connection is the end of a body without a length: an early end must not look like it.
    @Test(arguments: [("HTTP/1.0", true), ("HTTP/1.0", false), ("HTTP/1.1", true)])
    func whatBreaksOffDoesNotLookWhole(version: String, breaksOff: Bool) async throws {
        let piece = "4000\r\n" + String(repeating: "a", count: 0x4000) + "\r\n"
        let sent =
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + String(repeating: piece, count: 20)
            + (breaksOff ? "" : "0\r\n\r\n")
        let script: @Sendable (Socket) async throws -> Void = { socket in
            try await socket.readRequest()
            try await socket.write(sent)
        }
        try await withUpstream([script], limits: ClientLimits(bufferedBytes: 40_000)) { upstream in
            let server = upstream.passingServer()
            let address = try #require(try server.start().first)
            let socket = try await Socket.connect(to: address, on: upstream.loop, deadline: testDeadline)
            socket.deadline = testDeadline
            try await socket.write("GET / \(version)\r\nHost: a\r\n\r\n")
            if version == "HTTP/1.1" {
                // The last chunk is missing.
                let text = try await String(decoding: socket.readAll(), as: UTF8.self)
                #expect(text.hasPrefix("HTTP/1.1 200 OK\r\n") && !text.hasSuffix("0\r\n\r\n"))
            } else if breaksOff {
                await #expect(throws: IOError.connectionLost) { _ = try await socket.readAll() }
            } else {
                let text = try await String(decoding: socket.readAll(), as: UTF8.self)
                #expect(text.utf8.count { $0 == UInt8(ascii: "a") } >= 20 * 0x4000)
            }
            socket.close()
            await server.drain(within: .zero)
        }
    }

    /// A client that is too slow is not an error of the sender.
    @Test func whatIsNotTakenDoesNotLookWhole() async throws {
        let piece = "100000\r\n" + String(repeating: "a", count: 0x100000) + "\r\n"
        let script: @Sendable (Socket) async throws -> Void = { socket in
            try await socket.readRequest()
            try await socket.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
            for _ in 0..<14 { try await socket.write(piece) }
            try await socket.write("0\r\n\r\n")
        }
        try await withUpstream([script], limits: ClientLimits(bufferedBytes: 40_000)) { upstream in
            let server = upstream.passingServer(timeouts: ServerTimeouts(body: .milliseconds(300)))
            let address = try #require(try server.start().first)
            let socket = try await Socket.connect(to: address, on: upstream.loop, deadline: testDeadline)
            socket.deadline = testDeadline
            try await socket.write("GET / HTTP/1.0\r\nHost: a\r\n\r\n")
            // The response has begun; nothing more of it is taken until the server has given up.
            try await socket.wait(for: .read)
            while server.connectionCount > 0 { await upstream.loop.sleep(for: .milliseconds(10)) }
            await #expect(throws: IOError.connectionLost) { _ = try await socket.readAll() }
            socket.close()
            await server.drain(within: .zero)
        }
    }

    /// The byte that is held back of a body of stated length is a part of what was sent, also where the reader takes nothing of that.
    @Test func whatWasSentIsNeverNegative() async throws {
        let counts = Mutex<[Int]>([])
        let response = "HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n" + String(repeating: "a", count: 100_000)
        try await withUpstream(Array(repeating: responding(response), count: 12)) { upstream in
            let server = upstream.passingServer(timeouts: ServerTimeouts(body: .milliseconds(300))) { bytes, _ in
                counts.withLock { $0.append(bytes) }
            }
            let address = try #require(try server.start().first)
            var clients: [Socket] = []
            for _ in 0..<12 {
                let socket = try await Socket.connect(to: address, on: upstream.loop, deadline: testDeadline)
                try await socket.write(String(repeating: "GET / HTTP/1.1\r\nHost: a\r\n\r\n", count: 80))
                clients.append(socket)
            }
            while server.connectionCount > 0 { await upstream.loop.sleep(for: .milliseconds(10)) }
            for socket in clients { socket.close() }
            let sent = counts.withLock { $0 }
            #expect(sent.contains { $0 < 100_000 } && sent.allSatisfy { $0 >= 0 })
            await server.drain(within: .zero)
        }
    }
}
