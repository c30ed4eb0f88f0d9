import EventIO
import HTTPWire

/// One client: reads its requests one after the other, has them answered, writes the answers. Runs as one task, on the
/// loop that accepted it, for as long as the connection lives.
///
/// `@unchecked Sendable` is sound because its loop's thread alone touches it: its task runs there, and so does `ServerLoop`.
final class ServerConnection: @unchecked Sendable {
    let stream: EventIO.Stream
    private let home: ServerLoop
    private let remoteAddress: String
    private var reader: RequestReader
    private var timedPhase: RequestReader.Phase?

    /// The most that a client may go on sending to a connection that is being closed.
    private static let discardedBytes = 64 << 20

    init(_ stream: EventIO.Stream, home: ServerLoop) {
        self.stream = stream
        self.home = home
        remoteAddress = stream.remoteAddress.host
        reader = RequestReader(limits: home.limits)
    }

    /// Serves the client to its end and closes the connection.
    func serve() async {
        do throws(ConnectionEnd) {
            try await secure()
            while try await serveNext() {}
            await end()
        } catch {
            switch error {
            case .gone: stream.close()
            case .refused(let refusal): await refuse(refusal)
            }
        }
    }

    /// Closes behind the last answer. Bytes that lie unread would turn the close into a reset, and the answer might never be
    /// seen: then they are read and dropped first.
    private func end() async {
        guard reader.phase == .idle, !stream.maySucceedReading else {
            return await stream.closeLingering(for: home.linger, discarding: ServerConnection.discardedBytes)
        }
        stream.shutdownWriting()
        stream.close()
    }

    /// Tells a client that there are too many, and closes.
    func turnAway() async {
        do throws(ConnectionEnd) {
            try await secure()
            await refuse(Refusal(status: 503, reason: "too many connections"))
        } catch {
            stream.close()
        }
    }

    private func secure() async throws(ConnectionEnd) {
        guard let context = home.secureContext else { return }
        stream.deadline = .now.advanced(byMilliseconds: home.headerTimeout)
        do throws(IOError) { try await stream.secure(asServer: context) } catch { throw .gone }
        stream.deadline = nil
    }

    /// Whether another request may follow.
    private func serveNext() async throws(ConnectionEnd) -> Bool {
        guard let whole = try await nextRequest() else { return false }
        let request = ServerRequest(
            head: whole.head, body: whole.body, loop: home.loop, remoteAddress: remoteAddress, isSecure: stream.isSecure
        )
        return try await answer(request, home.handler(request))
    }

    /// The next whole request; `nil` if the client has ended, or the server drains and nothing has begun.
    private func nextRequest() async throws(ConnectionEnd) -> RequestReader.Whole? {
        do throws(Refusal) {
            if let whole = try reader.next() { return whole }
        } catch { throw .refused(error) }
        var interest = Interest.read
        while true {
            try await goOn()
            if home.isDraining, reader.phase == .idle { return nil }
            try await wait(for: interest)
            switch try receive() {
            case .whole(let whole):
                timedPhase = nil
                stream.deadline = nil
                return whole
            case .end: return nil
            case .wait(let next): interest = next
            }
        }
    }

    private enum Outcome {
        case whole(RequestReader.Whole)
        case end
        case wait(Interest)
    }

    /// Reads once, into the buffer that all connections of the loop share: nothing suspends between the read and its use, and
    /// the bytes are wiped before anything else runs.
    private func receive() throws(ConnectionEnd) -> Outcome {
        var buffer: [UInt8] = []
        swap(&buffer, &home.buffer)
        defer { swap(&buffer, &home.buffer) }
        let received: Received
        do throws(IOError) { received = try stream.receive(into: &buffer) } catch { throw .gone }
        switch received {
        case .bytes(let count):
            defer { wipe(&buffer, first: count) }
            return try take(buffer.span.extracting(0..<count))
        case .end:
            guard reader.phase == .idle else { throw .gone }
            return .end
        case .wait(let interest): return .wait(interest)
        }
    }

    private func take(_ bytes: Span<UInt8>) throws(ConnectionEnd) -> Outcome {
        do throws(Refusal) {
            guard let whole = try reader.receive(bytes) else { return .wait(.read) }
            return .whole(whole)
        } catch { throw .refused(error) }
    }

    /// Sends `100 Continue` to a client that waits for it before its body.
    private func goOn() async throws(ConnectionEnd) {
        guard reader.takeContinue() else { return }
        var writer = WireWriter()
        writer.continueResponse()
        try await write(writer.take())
    }

    /// A phase's time runs from its first wait, however often its bytes trickle in.
    private func wait(for interest: Interest) async throws(ConnectionEnd) {
        let phase = reader.phase
        if phase != timedPhase {
            timedPhase = phase
            stream.deadline = .now.advanced(byMilliseconds: home.timeout(of: phase))
        }
        do throws(IOError) { try await stream.wait(for: interest) } catch {
            guard error == .timedOut, phase != .idle else { throw .gone }
            throw .refused(Refusal(status: 408, reason: "the request took too long", head: reader.currentHead))
        }
    }

    /// Whether the connection stays open.
    private func answer(_ request: ServerRequest, _ response: ServerResponse) async throws(ConnectionEnd) -> Bool {
        var context = ResponseContext(request.head)
        if home.isDraining { context.keepAlive = false }
        var writer = WireWriter()
        do throws(WireError) {
            try writer.response(
                status: response.status, headers: response.headers, body: response.body, to: context,
                date: home.date.current())
        } catch {
            throw .refused(Refusal(error, head: request.head))
        }
        try await write(writer.take())
        return context.keepAlive
    }

    private func write(_ bytes: [UInt8]) async throws(ConnectionEnd) {
        do throws(IOError) {
            // Nearly always the kernel takes it all at once; only a client that does not read needs a limit.
            let sent = try stream.send(bytes, [], from: 0)
            guard sent != .bytes(bytes.count) else { return }
            stream.deadline = .now.advanced(byMilliseconds: home.bodyTimeout)
            timedPhase = nil
            if case .bytes(let count) = sent {
                try await stream.write(bytes, from: count)
            } else {
                try await stream.write(bytes)
            }
            stream.deadline = nil
        } catch { throw .gone }
    }

    private func refuse(_ refusal: Refusal) async {
        var context = refusal.head.map { ResponseContext($0) } ?? .unreadable
        context.keepAlive = false
        let response = home.refuse(refusal)
        var writer = WireWriter()
        do throws(WireError) {
            try writer.response(
                status: response.status, headers: response.headers, body: response.body, to: context,
                date: home.date.current())
        } catch { return stream.close() }
        stream.deadline = .now.advanced(byMilliseconds: home.bodyTimeout)
        do throws(IOError) { try await stream.write(writer.take()) } catch { return stream.close() }
        await stream.closeLingering(for: home.linger, discarding: ServerConnection.discardedBytes)
    }
}
