import EventHTTP
import EventIO
import HTTPWire
import Interposing
import Testing

/// The buffers that all connections of a loop share are wiped before another connection uses them.
@Suite struct WipingTests {
    private func watch(_ text: String) -> Int32 { interposed_watch(Array(text.utf8), text.utf8.count) }

    @Test func whatAServerReadsAndWritesIsWiped() async throws {
        let (body, response) = ("read 4539601234594134", "written 4539601234594134")
        let watched = [watch(body), watch(response)]
        let handler: @Sendable (ServerRequest) async -> ServerResponse = { _ in
            ServerResponse(status: 200, body: Array(response.utf8))
        }
        try await withServer(handler: handler) { fixture in
            _ = try await fixture.conversation(
                "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
                    + "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        }
        // The second is of the writer, and of the queue of the loop.
        #expect(interposed_wipes(watched[0]) >= 1 && interposed_wipes(watched[1]) >= 2)
    }

    @Test func aRequestInPiecesIsWiped() async throws {
        let head = "GET /split-4539601234594134 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
        let watched = watch("/split-4539601234594134")
        try await withServer { fixture in _ = try await fixture.conversation(head, bytewise: true) }
        #expect(interposed_wipes(watched) >= 1)
    }

    @Test func whatAClientReadsIsWiped() async throws {
        let text = "upstream 4539601234594134"
        let watched = watch(text)
        let script = respondingOnce("HTTP/1.1 200 OK\r\nContent-Length: \(text.utf8.count)\r\n\r\n\(text)")
        try await withUpstream([script]) { upstream in _ = try await upstream.send() }
        #expect(interposed_wipes(watched) >= 1)
    }
}
