import EventIO
import HTTPWire

extension ServerConnection {
    /// Bodies up to this size are copied behind their head, so that both leave by one plain system call.
    private static let smallBody = 16_384

    /// What the kernel did not take at once.
    private struct Rest {
        let head: [UInt8]
        let body: [UInt8]
        /// Bytes of the two, taken as one, that are on their way.
        let sent: Int
    }

    /// Writes the answer; whether the connection stays open.
    @inline(never)
    func answer(_ request: ServerRequest, _ response: ServerResponse) async throws(ConnectionEnd) -> Bool {
        var context = ResponseContext(request.head)
        if home.isDraining { context.keepAlive = false }
        if let incoming = response.incoming { return try await pass(incoming, of: response, to: context, request) }
        let rest: Rest?
        do throws(WireError) {
            rest = try send(response, to: context)
        } catch {
            throw error == .truncated ? .gone : .refused(Refusal(error, head: request.head))
        }
        if let rest { try await write(rest.head, rest.body, from: rest.sent) }
        return context.keepAlive
    }

    /// Writes the answer as far as the kernel takes it at once, which is nearly always all of it. Throws `truncated` if the
    /// client is gone.
    private func send(_ response: ServerResponse, to context: ResponseContext) throws(WireError) -> Rest? {
        var writer = WireWriter(reusing: home.output.takeMemory())
        let hasBody = try writer.responseHead(
            status: response.status, fixed: response.fixed, headers: response.headers, bodyCount: response.body.count,
            to: context, date: date(of: response))
        var body: [UInt8] = []
        if hasBody {
            if response.body.count > ServerConnection.smallBody {
                body = response.body
            } else {
                writer.append(response.body)
            }
        }
        var head = writer.take()
        let count: Int
        do throws(IOError) {
            switch try stream.send(head, body, from: 0) {
            case .bytes(let sent): count = sent
            case .wait: count = 0
            }
        } catch { throw .truncated }
        guard count == head.count + body.count else { return Rest(head: head, body: body, sent: count) }
        wipe(&head, first: head.count)
        swap(&head, &home.output)
        return nil
    }

    /// The line of `Date`; none if the response has its own.
    private func date(of response: ServerResponse) -> FieldBlock {
        response.hasDate ? .none : home.date.current()
    }

    /// Writes all of the two arrays from byte `start` on, waiting for room; a client that does not read is given up.
    @inline(never)
    func write(_ first: [UInt8], _ second: [UInt8] = [], from start: Int = 0) async throws(ConnectionEnd) {
        stream.deadline = .now.advanced(byMilliseconds: home.bodyTimeout)
        timedPhase = nil
        do throws(IOError) { try await stream.write(first, second, from: start) } catch { throw .gone }
        stream.deadline = nil
    }

    /// Passes a body on while it arrives: the next piece is read when the last one has been taken, so that a slow client slows
    /// the sender down and no more than a piece is held.
    @inline(never)
    private func pass(
        _ incoming: IncomingBody, of response: ServerResponse, to context: ResponseContext, _ request: ServerRequest
    ) async throws(ConnectionEnd) -> Bool {
        var sent = 0
        defer {
            incoming.abandon()
            response.whenPassed?(sent)
        }
        var writer = WireWriter()
        let framing: BodyFraming
        do throws(WireError) {
            framing = try writer.streamedResponse(
                status: response.status, fixed: response.fixed, headers: response.headers, length: incoming.length,
                to: context, date: date(of: response))
        } catch { throw .refused(Refusal(error, head: request.head)) }
        try await write(writer.take())
        guard framing != .none else { return context.keepAlive }
        while true {
            let piece: [UInt8]
            // After the head nothing can be said but by ending early, which no framing takes for an end.
            do throws(ClientError) { piece = try await incoming.next() } catch { throw .gone }
            if piece.isEmpty { break }
            if framing == .chunked {
                writer.chunk(piece)
                try await write(writer.take())
            } else {
                try await write(piece)
            }
            sent += piece.count
        }
        if framing == .chunked {
            writer.lastChunk()
            try await write(writer.take())
        }
        return context.keepAlive && framing != .untilClose
    }

    /// Answers a request that the handler never saw, and closes.
    @inline(never)
    func refuse(_ refusal: Refusal) async {
        var context = refusal.head.map { ResponseContext($0) } ?? .unreadable
        context.keepAlive = false
        let response = home.refuse(refusal)
        var writer = WireWriter()
        do throws(WireError) {
            try writer.response(
                status: response.status, fixed: response.fixed, headers: response.headers, body: response.body,
                to: context, date: date(of: response))
        } catch { return stream.close() }
        stream.deadline = .now.advanced(byMilliseconds: home.bodyTimeout)
        do throws(IOError) { try await stream.write(writer.take()) } catch { return stream.close() }
        await stream.closeLingering(for: home.linger, discarding: ServerConnection.discardedBytes)
    }
}

extension [UInt8] {
    /// The array's memory, leaving it without any.
    fileprivate mutating func takeMemory() -> [UInt8] {
        var taken: [UInt8] = []
        swap(&taken, &self)
        return taken
    }
}
