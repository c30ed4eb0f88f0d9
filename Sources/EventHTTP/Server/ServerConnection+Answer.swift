import EventIO
import HTTPWire

extension ServerConnection {
    /// Bodies up to this size are posted: copied behind their head, and sent when the loop's turn ends.
    private static let smallBody = 16_384

    /// Bytes of a body that are passed on in one turn of the loop.
    private static let passedInTurn = 262_144

    /// Writes the answer; whether the connection stays open.
    @inline(never)
    func answer(_ request: ServerRequest, _ response: borrowing ServerResponse) async throws(ConnectionEnd) -> Bool {
        let context = context(of: request)
        if let incoming = response.incoming { return try await pass(incoming, of: response, to: context, request) }
        var writer = WireWriter()
        let hasBody: Bool
        do throws(WireError) { hasBody = try writeHead(of: response, to: context, by: &writer) } catch {
            throw .refused(Refusal(error, head: request.head))
        }
        try await write(writer.take(), hasBody ? response.body : [])
        return context.keepAlive
    }

    /// Posts the answer, if it is small and not the last; whether it was.
    func post(_ response: borrowing ServerResponse, to request: ServerRequest) throws(ConnectionEnd) -> Bool {
        guard response.incoming == nil, response.body.count <= ServerConnection.smallBody else { return false }
        let context = context(of: request)
        guard context.keepAlive else { return false }
        var writer = WireWriter(reusing: &home.output)
        do throws(WireError) {
            if try writeHead(of: response, to: context, by: &writer) { writer.append(response.body) }
        } catch { throw .refused(Refusal(error, head: request.head)) }
        home.output = writer.take()
        stream.post(home.output)
        wipe(&home.output, first: home.output.count)
        // Nobody is to wait for the work of many large requests.
        if request.body.count > ServerConnection.smallBody { stream.sendPosted() }
        return true
    }

    private func context(of request: ServerRequest) -> ResponseContext {
        var context = ResponseContext(request.head)
        if home.isDraining { context.keepAlive = false }
        return context
    }

    /// Whether a body is to follow.
    private func writeHead(
        of response: borrowing ServerResponse, to context: ResponseContext, by writer: inout WireWriter
    ) throws(WireError) -> Bool {
        try writer.responseHead(
            status: response.status, fixed: response.fixed, headers: response.headers, bodyCount: response.body.count,
            to: context, date: date(of: response))
    }

    /// The line of `Date`; none if the response has its own.
    private func date(of response: borrowing ServerResponse) -> FieldBlock {
        response.hasDate ? .none : home.date.current()
    }

    /// Writes all of the two arrays, waiting for room; a client that does not read is given up.
    @inline(never)
    func write(_ first: [UInt8], _ second: [UInt8] = []) async throws(ConnectionEnd) {
        limitWriting()
        do throws(IOError) { try await stream.write(first, second) } catch { throw .gone }
        stream.deadline = nil
    }

    /// Waits until the client has taken what was posted to it.
    @inline(never)
    func catchUp() async throws(ConnectionEnd) {
        limitWriting()
        do throws(IOError) { try await stream.finishSending() } catch { throw .gone }
        stream.deadline = nil
    }

    private func limitWriting() {
        stream.deadline = .now.advanced(byMilliseconds: home.bodyTimeout)
        timedPhase = nil
    }

    /// Passes a body on while it arrives: the next piece is read when the last one has been taken, so that a slow client slows
    /// the sender down and no more than a piece is held.
    @inline(never)
    private func pass(
        _ incoming: IncomingBody, of response: borrowing ServerResponse, to context: ResponseContext,
        _ request: ServerRequest
    ) async throws(ConnectionEnd) -> Bool {
        var sent = 0
        var failure: ClientError?
        defer {
            incoming.abandon()
            response.whenPassed?(sent, failure)
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
        var isWhole = false
        // After the head nothing can be said but by ending early, which no framing takes for an end but the one that has no
        // other: there the end is made one that nobody takes for good.
        defer { if !isWhole, framing == .untilClose { stream.reset() } }
        while true {
            let piece: [UInt8]
            do throws(ClientError) { piece = try await incoming.next() } catch {
                failure = error
                throw .gone
            }
            if piece.isEmpty { break }
            if framing == .chunked {
                writer.chunk(piece)
                try await write(writer.take())
            } else {
                try await write(piece)
            }
            sent += piece.count
            // With a fast sender and a fast reader nothing would ever have to be waited for.
            if sent / Self.passedInTurn > (sent - piece.count) / Self.passedInTurn { await home.loop.nextTurn() }
        }
        if framing == .chunked {
            writer.lastChunk()
            try await write(writer.take())
        }
        isWhole = true
        return context.keepAlive && framing != .untilClose
    }

    /// Answers a request that the handler never saw, and closes.
    @inline(never)
    func refuse(_ refusal: Refusal) async {
        // There is room for others at once, and not when the client has gone.
        reader.forgetBody()
        release()
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
