import EventHTTP
import EventIO
import EventIOTesting
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
            let answer = String(decoding: try await busy.readAll(), as: UTF8.self)
            #expect(answer.contains("Connection: close\r\n"))
            #expect(answer.hasSuffix("GET /busy "))
            await drain.value
            #expect(fixture.server.connectionCount == 0)
            await #expect(throws: IOError.cannotConnect(errno: 111)) { _ = try await fixture.connect() }
            idle.close()
            busy.close()
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
