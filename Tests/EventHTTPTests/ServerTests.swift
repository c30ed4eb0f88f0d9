import EventHTTP
import EventIO
import EventIOTesting
import Synchronization
import Testing

@Suite struct ServerTests {
    @Test(arguments: [false, true])
    func requestsOfOneConnectionAreAnsweredInOrder(bytewise: Bool) async throws {
        try await withServer { fixture in
            let answers = try await fixture.conversation(
                "GET /a HTTP/1.1\r\nHost: x\r\n\r\n"
                    + "POST /b HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\none"
                    + "POST /c HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n2\r\ntw\r\n1\r\no\r\n0\r\n\r\n"
                    + "POST /d HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n"
                    + "GET http://x/e?f=g HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", bytewise: bytewise)
            #expect(statuses(answers) == [200, 200, 200, 200, 200])
            let bodies = ["GET /a ", "POST /b one", "POST /c two", "POST /d ", "GET http://x/e?f=g "]
            var rest = answers[...]
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

    @Test func aHeadIsAnsweredWithoutBodyAndTheConnectionGoesOn() async throws {
        try await withServer { fixture in
            let answers = try await fixture.conversation(
                "HEAD /a HTTP/1.1\r\nHost: x\r\n\r\nGET /b HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
            #expect(statuses(answers) == [200, 200])
            #expect(answers.contains("Content-Length: 8\r\n\r\nHTTP/1.1 200"))
            #expect(answers.hasSuffix("GET /b "))
        }
    }

    @Test func bytesBehindTheLastRequestDoNotCostTheClientItsAnswer() async throws {
        try await withServer { fixture in
            let junk = String(repeating: "junk", count: 1_000_000)
            let answers = try await fixture.conversation(
                "GET /a HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n" + junk)
            #expect(statuses(answers) == [200])
            #expect(answers.hasSuffix("GET /a "))
        }
    }

    @Test func httpTenClosesUnlessAskedNotTo() async throws {
        try await withServer { fixture in
            let answers = try await fixture.conversation(
                "GET /a HTTP/1.0\r\nConnection: keep-alive\r\n\r\nGET /b HTTP/1.0\r\n\r\nGET /c HTTP/1.0\r\n\r\n")
            #expect(statuses(answers) == [200, 200])
            #expect(answers.contains("Connection: keep-alive\r\n"))
        }
    }

    @Test func everyAnswerHasADate() async throws {
        try await withServer { fixture in
            let answer = try await fixture.conversation("GET / HTTP/1.0\r\n\r\n")
            #expect(answer.contains(#/\r\nDate: [A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT\r\n/#))
        }
    }

    @Test func aClientThatWaitsIsToldToGoOn() async throws {
        try await withServer { fixture in
            let stream = try await fixture.connect()
            defer { stream.close() }
            try await stream.write("POST /a HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n")
            #expect(try await stream.read(through: "\r\n\r\n") == "HTTP/1.1 100 Continue\r\n\r\n")
            try await stream.write("hi")
            let answer = try await stream.read(through: "hi")
            #expect(answer.hasSuffix("POST /a hi"))
        }
    }

    @Test func aClientThatEndsItsSideIsStillAnswered() async throws {
        try await withServer { fixture in
            let stream = try await fixture.connect()
            defer { stream.close() }
            try await stream.write("GET /a HTTP/1.1\r\nHost: x\r\n\r\n")
            stream.shutdownWriting()
            let answer = String(decoding: try await stream.readAll(), as: UTF8.self)
            #expect(answer.hasSuffix("GET /a "))
        }
    }

    /// A client that pipelines and reads nothing must not be answered without end: its answers would pile up in memory.
    @Test func aClientThatReadsNothingIsNotReadFromForEver() async throws {
        let answered = Mutex(0)
        let handler: Server.Handler = { _ in
            answered.withLock { $0 += 1 }
            return ServerResponse(status: 200, body: [UInt8](repeating: 0x78, count: 8_000))
        }
        try await withServer(handler: handler) { fixture in
            let stream = try await fixture.connect()
            defer { stream.close() }
            let request = Array("GET / HTTP/1.1\r\nHost: x\r\n\r\n".utf8)
            let requests = Array(repeating: request, count: 1_000).flatMap { $0 }
            var sent = 0
            stream.deadline = .now + .milliseconds(300)
            while sent < 1 << 30 {
                do throws(IOError) { try await stream.write(requests) } catch {
                    #expect(error == .timedOut)
                    break
                }
                sent += requests.count
            }
            let stopped = answered.withLock { $0 }
            await fixture.loop.sleep(for: .milliseconds(50))
            #expect(answered.withLock { $0 } == stopped)
            #expect(stopped < 2_000)
        }
    }

    /// Taking an answer has a time of its own, which is not that of lying idle.
    @Test func aClientThatPausesGetsAllItsAnswers() async throws {
        let timeouts = ServerTimeouts(header: .seconds(30), body: .seconds(30), idle: .milliseconds(100))
        let handler: Server.Handler = { _ in
            ServerResponse(status: 200, body: [UInt8](repeating: 0x78, count: 16_000))
        }
        try await withServer(timeouts: timeouts, handler: handler) { fixture in
            let stream = try await fixture.connect()
            defer { stream.close() }
            let count = 1_500
            try await stream.write(String(repeating: "GET / HTTP/1.1\r\nHost: x\r\n\r\n", count: count))
            await fixture.loop.sleep(for: .milliseconds(600))
            var bytes = 0
            var buffer = [UInt8](repeating: 0, count: 65_536)
            while true {
                let more = try await stream.read(into: &buffer)
                if more == 0 { break }
                bytes += more
            }
            #expect(bytes > count * 16_000)
        }
    }

    @Test func bigAnswersReachSlowReaders() async throws {
        let body = (0..<5_000_000).map { UInt8(truncatingIfNeeded: $0) }
        let handler: Server.Handler = { _ in ServerResponse(status: 200, body: body) }
        try await withServer(handler: handler) { fixture in
            let stream = try await fixture.connect()
            defer { stream.close() }
            try await stream.write("GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
            await fixture.loop.sleep(for: .milliseconds(50))
            let answer = try await stream.readAll()
            #expect(Array(answer.suffix(body.count)) == body)
        }
    }

    @Test func theHandlerMaySuspend() async throws {
        let handler: Server.Handler = { request in
            await request.loop.sleep(for: .milliseconds(5))
            return ServerResponse(status: request.loop.isCurrent ? 201 : 500)
        }
        try await withServer(handler: handler) { fixture in
            let answer = try await fixture.conversation("GET / HTTP/1.0\r\n\r\n")
            #expect(statuses(answer) == [201])
        }
    }

    @Test func aHeaderThatCannotBeWrittenIsOurFault() async throws {
        let handler: Server.Handler = { _ in ServerResponse(status: 200, headers: [("X", "a\r\nb")]) }
        try await withServer(handler: handler) { fixture in
            let answer = try await fixture.conversation("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
            #expect(statuses(answer) == [500])
        }
    }

    @Test func tlsIsServed() async throws {
        let certificates = TestCertificates.shared
        let context = try TLSServerContext(
            certificateChain: certificates.path("server"), privateKey: certificates.path("server.key"))
        let trust = try TLSClientContext(trustedCA: certificates.path("ca"))
        try await withServer(tls: context) { fixture in
            let stream = try await fixture.connect()
            defer { stream.close() }
            try await stream.secure(asClient: trust, of: "localhost")
            for path in ["/a", "/b"] {
                try await stream.write("GET \(path) HTTP/1.1\r\nHost: x\r\n\r\n")
                let answer = try await stream.read(through: path)
                #expect(answer.hasSuffix("GET \(path) "))
            }
        }
    }
}
