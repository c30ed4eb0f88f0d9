import EventIO
import EventIOTesting
import Foundation
import Synchronization

/// An upstream on this machine that closes connections when a test says so, in the middle of a response too.
final class CuttingUpstream: Sendable {
    /// Where the connection is closed.
    enum Cut: CaseIterable { case beforeResponse, inHead, inBody, afterResponse }

    struct Answer: Sendable {
        var status = 200
        var body = "{}"
        var delay = Duration.zero
        /// It is sent when this is no longer so.
        var isHeld: @Sendable () -> Bool = { false }
        /// Events without an end in the place of a body.
        var isEndless = false
        /// nil: it stays open for the next request.
        var cut: Cut?
    }

    let url: String
    private let loop: EventLoop
    private let listener: Listener

    /// - Parameter answer: to a request with this body.
    init(_ answer: @escaping @Sendable (_ body: String) -> Answer) throws {
        let loop = try EventLoop(name: "upstream")
        try loop.start()
        let listener = try Listener(on: loop, address: loopback) { socket in
            Task(executorPreference: loop) {
                defer { socket.close() }
                try await Self.serve(socket, answer)
            }
        }
        loop.execute { listener.start() }
        (self.loop, self.listener) = (loop, listener)
        url = "http://127.0.0.1:\(listener.localAddress.port)"
    }

    deinit { loop.stop() }

    private static func serve(_ socket: Socket, _ answer: (String) -> Answer) async throws {
        var received: [UInt8] = []
        while let request = try await next(of: socket, &received) {
            let answer = answer(request)
            if answer.delay > .zero { await socket.loop.sleep(for: answer.delay) }
            while answer.isHeld() { await socket.loop.sleep(for: .milliseconds(1)) }
            if answer.isEndless { return try await Self.sendEvents(to: socket) }
            let head = "HTTP/1.1 \(answer.status) X\r\nContent-Type: application/json\r\nContent-Length: "
            let whole = "\(head)\(answer.body.utf8.count)\r\n\r\n\(answer.body)"
            switch answer.cut {
            case nil: try await socket.write(Array(whole.utf8))
            case .beforeResponse: return
            case .inHead: return try await socket.write(Array(head.utf8))
            case .inBody: return try await socket.write(Array(whole.utf8.dropLast()))
            case .afterResponse: return try await socket.write(Array(whole.utf8))
            }
        }
    }

    private static func sendEvents(to socket: Socket) async throws {
        let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
        try await socket.write(Array(head.utf8))
        while true {
            try await socket.write(Array("9\r\ndata: 1\n\n\r\n".utf8))
            await socket.loop.sleep(for: .milliseconds(20))
        }
    }

    /// The body of the next request; nil at the end of the connection.
    private static func next(of socket: Socket, _ received: inout [UInt8]) async throws -> String? {
        var chunk = [UInt8](repeating: 0, count: 4_096)
        while true {
            let text = String(decoding: received, as: UTF8.self)
            if let end = text.range(of: "\r\n\r\n") {
                let head = text[..<end.lowerBound].lowercased()
                let line = head.split(separator: "\r\n").first { $0.hasPrefix("content-length:") }
                let length = line.flatMap { Int($0.dropFirst(15).filter { $0 != " " }) } ?? 0
                let body = text[end.upperBound...].utf8
                if body.count >= length {
                    received = Array(body.dropFirst(length))
                    return String(decoding: body.prefix(length), as: UTF8.self)
                }
            }
            let count = try await socket.read(into: &chunk)
            if count == 0 { return nil }
            received += chunk.prefix(count)
        }
    }
}
