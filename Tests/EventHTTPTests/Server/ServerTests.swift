import EventHTTP
import EventIO
import EventIOTesting
import Synchronization
import Testing

@Suite struct ServerTests {
    @Test(arguments: [false, true])
    func requestsOfOneConnectionAreHandledInOrder(bytewise: Bool) async throws {
        try await withServer { fixture in
            let responses = try await fixture.conversation(
                "GET /a HTTP/1.1\r\nHost: x\r\n\r\n"
                    + "POST /b HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\none"
                    + "POST /c HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n2\r\ntw\r\n1\r\no\r\n0\r\n\r\n"
                    + "POST /d HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n"
                    + "GET http://x/e?f=g HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", bytewise: bytewise)
            #expect(statuses(responses) == [200, 200, 200, 200, 200])
            let bodies = ["GET /a ", "POST /b one", "POST /c two", "POST /d ", "GET http://x/e?f=g "]
            var rest = responses[...]
            for body in bodies {
                guard let found = rest.firstRange(of: "\r\n\r\n" + body) else {
                    Issue.record("\(body) is not in \(rest)")
                    return
                }
                rest = rest[found.upperBound...]
            }
            #expect(rest.isEmpty)
        }
    }

    @Test func aHeadIsHandledWithoutBodyAndTheConnectionGoesOn() async throws {
        try await withServer { fixture in
            let responses = try await fixture.conversation(
                "HEAD /a HTTP/1.1\r\nHost: x\r\n\r\nGET /b HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
            #expect(statuses(responses) == [200, 200])
            #expect(responses.contains("Content-Length: 8\r\n\r\nHTTP/1.1 200"))
            #expect(responses.hasSuffix("GET /b "))
        }
    }

    @Test func bytesBehindTheLastRequestDoNotCostTheClientItsResponse() async throws {
        try await withServer { fixture in
            let junk = String(repeating: "junk", count: 1_000_000)
            let responses = try await fixture.conversation(
                "GET /a HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n" + junk)
            #expect(statuses(responses) == [200])
            #expect(responses.hasSuffix("GET /a "))
        }
    }

    @Test func httpTenClosesUnlessAskedNotTo() async throws {
        try await withServer { fixture in
            let responses = try await fixture.conversation(
                "GET /a HTTP/1.0\r\nConnection: keep-alive\r\n\r\nGET /b HTTP/1.0\r\n\r\nGET /c HTTP/1.0\r\n\r\n")
            #expect(statuses(responses) == [200, 200])
            #expect(responses.contains("Connection: keep-alive\r\n"))
        }
    }

    @Test func everyResponseHasADate() async throws {
        try await withServer { fixture in
            let response = try await fixture.conversation("GET / HTTP/1.0\r\n\r\n")
            #expect(response.contains(#/\r\nDate: [A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT\r\n/#))
        }
    }

    @Test func aClientThatWaitsIsToldToGoOn() async throws {
        try await withServer { fixture in
            let socket = try await fixture.connect()
            defer { socket.close() }
            try await socket.write("POST /a HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n")
            #expect(try await socket.read(through: "\r\n\r\n") == "HTTP/1.1 100 Continue\r\n\r\n")
            try await socket.write("hi")
            let response = try await socket.read(through: "hi")
            #expect(response.hasSuffix("POST /a hi"))
        }
    }

    @Test func aClientThatEndsItsSideIsStillHandled() async throws {
        try await withServer { fixture in
            let socket = try await fixture.connect()
            defer { socket.close() }
            try await socket.write("GET /a HTTP/1.1\r\nHost: x\r\n\r\n")
            try await socket.endWriting()
            let response = String(decoding: try await socket.readAll(), as: UTF8.self)
            #expect(response.hasSuffix("GET /a "))
        }
    }

    /// A response to HEAD has no content, also one to a head that could not be read (RFC 9110 section 9.3.2).
    @Test(arguments: [
        "HEAD / HTTP/1.1\r\n\r\n", "HEAD / HTTP/1.1\r\nHost: x\r\nA : b\r\n\r\n", "HEAD / HTTP/9.9\r\nHost: x\r\n\r\n",
        "HEAD / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: x\r\n\r\n",
    ])
    func aRefusedHeadHasNoContent(request: String) async throws {
        try await withServer { fixture in
            for (method, isEmpty) in [("HEAD", true), ("POST", false)] {
                let socket = try await fixture.connect()
                defer { socket.close() }
                try await socket.write(Array(request.replacing("HEAD", with: method).utf8))
                let response = String(decoding: try await socket.readAll(), as: UTF8.self)
                #expect(response.hasPrefix("HTTP/1.1 "), "\(response)")
                #expect(response.hasSuffix("\r\n\r\n") == isEmpty, "\(response)")
            }
        }
    }

    /// A client that pipelines and reads nothing must not be served without end: its responses would fill the memory.
    @Test func aClientThatReadsNothingIsNotReadFromForEver() async throws {
        let handled = Mutex(0)
        let handler: Server.Handler = { _ in
            handled.withLock { $0 += 1 }
            return ServerResponse(status: 200, body: [UInt8](repeating: 0x78, count: 8_000))
        }
        try await withServer(handler: handler) { fixture in
            let socket = try await fixture.connect()
            defer { socket.close() }
            let request = Array("GET / HTTP/1.1\r\nHost: x\r\n\r\n".utf8)
            let requests = Array(repeating: request, count: 1_000).flatMap { $0 }
            var sent = 0
            socket.deadline = .now + .milliseconds(300)
            while sent < 1 << 30 {
                do throws(IOError) { try await socket.write(requests) } catch {
                    #expect(error == .timedOut)
                    break
                }
                sent += requests.count
            }
            // On a busy machine it may still be at what had come before.
            var stopped = -1
            for _ in 0..<100 where handled.withLock({ $0 }) != stopped {
                stopped = handled.withLock { $0 }
                await fixture.loop.sleep(for: .milliseconds(100))
            }
            #expect(handled.withLock { $0 } == stopped)
            #expect(stopped < 2_000)
        }
    }

    /// The time limit for taking a response is not the idle timeout.
    @Test func aClientThatPausesGetsAllItsResponses() async throws {
        let timeouts = ServerTimeouts(header: .seconds(30), body: .seconds(30), idle: .seconds(1))
        let handler: Server.Handler = { _ in
            ServerResponse(status: 200, body: [UInt8](repeating: 0x78, count: 16_000))
        }
        try await withServer(timeouts: timeouts, handler: handler) { fixture in
            let socket = try await fixture.connect()
            defer { socket.close() }
            let count = 1_500
            try await socket.write(String(repeating: "GET / HTTP/1.1\r\nHost: x\r\n\r\n", count: count))
            await fixture.loop.sleep(for: .milliseconds(2_500))
            var bytes = 0
            var buffer = [UInt8](repeating: 0, count: 65_536)
            while true {
                let more = try await socket.read(into: &buffer)
                if more == 0 { break }
                bytes += more
            }
            #expect(bytes > count * 16_000)
        }
    }

    @Test func bigResponsesReachSlowReaders() async throws {
        let body = (0..<5_000_000).map { UInt8(truncatingIfNeeded: $0) }
        let handler: Server.Handler = { _ in ServerResponse(status: 200, body: body) }
        try await withServer(handler: handler) { fixture in
            let socket = try await fixture.connect()
            defer { socket.close() }
            try await socket.write("GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
            await fixture.loop.sleep(for: .milliseconds(50))
            let response = try await socket.readAll()
            #expect(Array(response.suffix(body.count)) == body)
        }
    }

    @Test func theHandlerMaySuspend() async throws {
        let handler: Server.Handler = { request in
            await request.loop.sleep(for: .milliseconds(5))
            return ServerResponse(status: request.loop.isCurrent ? 201 : 500)
        }
        try await withServer(handler: handler) { fixture in
            let response = try await fixture.conversation("GET / HTTP/1.0\r\n\r\n")
            #expect(statuses(response) == [201])
        }
    }

    @Test func aHeaderThatCannotBeWrittenIsOurFault() async throws {
        let handler: Server.Handler = { _ in ServerResponse(status: 200, headers: [("X", "a\r\nb")]) }
        try await withServer(handler: handler) { fixture in
            let response = try await fixture.conversation("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
            #expect(statuses(response) == [500])
        }
    }

    @Test func tlsIsServed() async throws {
        let certificates = TestCertificates.shared
        let context = try TLSServerContext(
            certificateChain: certificates.path("server"), privateKey: certificates.path("server.key"))
        let trust = try TLSClientContext(trustedCA: certificates.path("ca"))
        try await withServer(tls: context) { fixture in
            let socket = try await fixture.connect()
            defer { socket.close() }
            try await socket.secure(asClient: trust, of: "localhost")
            for path in ["/a", "/b"] {
                try await socket.write("GET \(path) HTTP/1.1\r\nHost: x\r\n\r\n")
                let response = try await socket.read(through: path)
                #expect(response.hasSuffix("GET \(path) "))
            }
        }
    }

    /// A client that is closed because it says nothing is told that this is the end (RFC 8446 section 6.1).
    @Test(arguments: [true, false])
    func anIdleTLSConnectionEndsInOrder(hasAsked: Bool) async throws {
        let certificates = TestCertificates.shared
        let context = try TLSServerContext(
            certificateChain: certificates.path("server"), privateKey: certificates.path("server.key"))
        let trust = try TLSClientContext(trustedCA: certificates.path("ca"))
        let timeouts = ServerTimeouts(header: .seconds(20), idle: .seconds(2))
        try await withServer(timeouts: timeouts, tls: context) { fixture in
            let socket = try await fixture.connect()
            defer { socket.close() }
            try await socket.secure(asClient: trust, of: "localhost")
            if hasAsked {
                try await socket.write("GET /a HTTP/1.1\r\nHost: x\r\n\r\n")
                _ = try await socket.read(through: "GET /a ")
            }
            // Without the notice this throws.
            #expect(try await socket.readAll() == [])
        }
    }

    @Test(arguments: ["GET / HTTP/1.1\r\nHost: x\r\n\r\n", "DELETE /a HTTP/1.1\r\nHost: x\r\n\r\n"])
    func plainHTTPOnATLSPortGetsAResponseInClear(request: String) async throws {
        let certificates = TestCertificates.shared
        let context = try TLSServerContext(
            certificateChain: certificates.path("server"), privateKey: certificates.path("server.key"))
        try await withServer(tls: context) { fixture in
            let response = try await fixture.conversation(request)
            #expect(statuses(response) == [400] && response.contains("without TLS"))
            #expect(fixture.server.failedHandshakeCount == 1)
        }
    }

    /// With TLS 1.3 its request has arrived by then, and a connection with unread bytes would be reset.
    @Test func aRefusedClientReadsWhy() async throws {
        let certificates = TestCertificates.shared
        let context = try TLSServerContext(
            certificateChain: certificates.path("server"), privateKey: certificates.path("server.key"),
            clientCA: certificates.path("ca"))
        let trust = try TLSClientContext(trustedCA: certificates.path("ca"))
        let request =
            "POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 40000\r\n\r\n" + String(repeating: "a", count: 40_000)
        try await withServer(tls: context) { fixture in
            for _ in 0..<8 {
                let socket = try await fixture.connect()
                defer { socket.close() }
                try await socket.secure(asClient: trust, of: "localhost")
                try await socket.write(request)
                await #expect(throws: IOError.secureConnectionFailed(reason: "tlsv13 alert certificate required")) {
                    _ = try await socket.readAll()
                }
            }
            #expect(fixture.server.failedHandshakeCount == 8)
        }
    }

    /// Clients may send an empty line after a body: the connection is idle, not slow with a head.
    @Test func aStrayLineEndLeavesTheConnectionIdle() async throws {
        let timeouts = ServerTimeouts(header: .seconds(1), idle: .seconds(60))
        try await withServer(timeouts: timeouts) { fixture in
            let socket = try await fixture.connect()
            defer { socket.close() }
            for path in ["/a", "/b"] {
                try await socket.write("POST \(path) HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n\r\n1\r\n")
                #expect(try await socket.read(through: path).contains(" 200 "))
                await fixture.loop.sleep(for: .milliseconds(1_500))
            }
            let begin = MonotonicTime.now
            await fixture.server.drain(within: .seconds(30))
            #expect(MonotonicTime.now < begin + .seconds(20))
            #expect(try await socket.readAll() == [])
        }
    }

    @Test(arguments: [100, 24 << 20])
    func theBytesThatLeftAreReported(count: Int) async throws {
        let reports = Mutex<[Int]>([])
        let handler: Server.Handler = { request in
            var response = ServerResponse(status: 200, body: [UInt8](repeating: 0x78, count: count))
            response.onSent = { bytes, _ in reports.withLock { $0.append(bytes) } }
            return response
        }
        try await withServer(timeouts: ServerTimeouts(body: .milliseconds(100)), handler: handler) { fixture in
            let whole = try await fixture.connect()
            try await whole.write("GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
            #expect(try await whole.readAll().count > count)
            whole.close()
            // One that never reads.
            let stalled = try await fixture.connect()
            try await stalled.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
            while reports.withLock({ $0.count }) < 2 { await fixture.loop.sleep(for: .milliseconds(10)) }
            stalled.close()
        }
        let all = reports.withLock { $0 }
        #expect(all.first == count)
        #expect(count == 100 ? all.last == 100 : (1..<count).contains(all.last ?? 0))
    }
}
