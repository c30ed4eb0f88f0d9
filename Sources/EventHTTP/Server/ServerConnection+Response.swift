import EventIO
import HTTPWire

extension ServerConnection {
    /// Bytes of a streamed body that are sent in one iteration of the loop. They may be searched on their way, which takes a tenth of a
    /// microsecond a byte in the worst case.
    private static let streamedPerIteration = 32_768

    /// Queues a response if it is small and not the last. Returns whether it did.
    func enqueue(_ response: borrowing ServerResponse, to request: ServerRequest) throws(ConnectionEnd) -> Bool {
        guard response.incoming == nil, response.body.count <= ServerResponse.queuedBytes else { return false }
        let context = context(of: request)
        guard context.keepAlive else { return false }
        var writer = WireWriter(reusing: &server.output)
        do throws(WireError) {
            let hasBody = try writeHead(of: response, to: context, by: &writer)
            if hasBody { writer.append(response.body) }
            response.onSent?(hasBody ? response.body.count : 0, nil)
        } catch { throw .rejected(RequestRejection(error, head: request.head)) }
        server.output = writer.take()
        socket.enqueue(server.output)
        wipe(&server.output, first: server.output.count)
        // A response must not wait until all large requests of the iteration are handled.
        if request.body.count > ServerResponse.queuedBytes { socket.flushQueue() }
        return true
    }

    /// Writes a response that is large, streamed, or the last. Returns whether the connection stays open.
    @inline(never)
    func send(_ response: borrowing ServerResponse, to request: ServerRequest) async throws(ConnectionEnd) -> Bool {
        let context = context(of: request)
        if let incoming = response.incoming { return try await stream(incoming, of: response, to: context, request) }
        var writer = WireWriter()
        let hasBody: Bool
        var isSent = false
        do throws(WireError) { hasBody = try writeHead(of: response, to: context, by: &writer) } catch {
            throw .rejected(RequestRejection(error, head: request.head))
        }
        let head = writer.take()
        // Responses before this one may not have left yet.
        let before = socket.unsentCount() + socket.sentCount + head.count
        defer {
            // After a failure, bytes that the kernel took and the peer did not acknowledge may never leave.
            let left = socket.isClosed || socket.hasLostPeer ? socket.sentCount : socket.takenCount
            response.onSent?(
                hasBody ? min(max(0, (isSent ? socket.sentCount : left) - before), response.body.count) : 0, nil)
        }
        try await write(head, hasBody ? response.body : [])
        isSent = true
        return context.keepAlive
    }

    private func context(of request: ServerRequest) -> ResponseContext {
        var context = ResponseContext(request.head)
        if isEnding { context.keepAlive = false }
        return context
    }

    /// Returns whether the body is to follow.
    private func writeHead(
        of response: borrowing ServerResponse, to context: ResponseContext, by writer: inout WireWriter
    ) throws(WireError) -> Bool {
        try writer.responseHead(
            status: response.status, fixed: response.fixed, headers: response.headers, bodyCount: response.body.count,
            to: context, date: date(of: response))
    }

    /// The line of `Date`; none if the response has its own.
    private func date(of response: borrowing ServerResponse) -> FieldBlock {
        response.hasDate ? .none : server.date.current()
    }

    /// Writes both arrays completely, waiting for room. Ends the connection of a client that does not read.
    @inline(never)
    func write(_ first: [UInt8], _ second: [UInt8] = []) async throws(ConnectionEnd) {
        beginReaderWait()
        defer { endWait() }
        do throws(IOError) { try await socket.write(first, second, stallPeriod: server.bodyTimeout) } catch {
            throw .gone
        }
    }

    /// Waits until the client has taken all queued output.
    @inline(never)
    func finishSending() async throws(ConnectionEnd) {
        beginReaderWait()
        defer { endWait() }
        do throws(IOError) { try await socket.finishSending(stallPeriod: server.bodyTimeout) } catch { throw .gone }
    }

    /// Sends a body while it arrives: the next piece is read when the last one has been taken, so that a slow client slows
    /// the sender down and no more than a piece is buffered.
    @inline(never)
    private func stream(
        _ incoming: IncomingBody, of response: borrowing ServerResponse, to context: ResponseContext,
        _ request: ServerRequest
    ) async throws(ConnectionEnd) -> Bool {
        var context = context
        var sent = 0
        var failure: ClientError?
        var framing = BodyFraming.none
        var isComplete = false
        defer {
            incoming.abandon()
            // Before the reset: a socket that is closed counts as gone.
            if !isComplete, failure == nil {
                failure = socket.isCancelled ? .cancelled : socket.peerIsGone ? .readerLeft : .readerTooSlow
            }
            var isHeldBack = false
            if case .byte = question, framing != .chunked { isHeldBack = true }
            response.onSent?(sent - (isHeldBack ? 1 : 0), failure)
            // After the head, an error can only be shown by ending early. A body that ends with the connection would look complete then, and
            // a digit of the next chunk's size could be read as the last chunk.
            var isInChunkSize = false
            if case .asked = question, framing == .chunked { isInChunkSize = true }
            if !isComplete, framing == .untilClose || isInChunkSize { socket.reset() }
            question = .none
        }
        var writer = WireWriter()
        do throws(WireError) {
            framing = try writer.streamedResponse(
                status: response.status, fixed: response.fixed, headers: response.headers, length: incoming.length,
                to: &context, date: date(of: response))
        } catch {
            failure = .badServerResponse
            throw .rejected(RequestRejection(error, head: request.head))
        }
        // The first digit of the next chunk's size, which may have zeros in front (RFC 9112 section 7.1).
        question = framing == .chunked ? .byte(UInt8(ascii: "0")) : .none
        try await write(writer.take())
        guard framing != .none else {
            isComplete = true
            return context.keepAlive
        }
        while true {
            let piece: [UInt8]
            do throws(ClientError) { piece = try await next(of: incoming) } catch {
                failure = error
                if case .byte(let byte) = question, framing != .chunked, !socket.peerIsGone {
                    // All that has come reaches the client.
                    question = .none
                    socket.enqueue([byte])
                }
                throw .gone
            }
            if piece.isEmpty { break }
            let count = piece.count
            if framing == .chunked {
                writer.chunk(piece)
                try await write(writer.take())
            } else if case .length(let length) = framing {
                // Not used again, or its last byte could not be taken off it without a copy.
                try await write(consume piece, isLast: sent + count >= length)
            } else {
                try await write(piece)
            }
            sent += count
            // With a fast sender and a fast reader the task would never suspend.
            if sent / Self.streamedPerIteration > (sent - count) / Self.streamedPerIteration {
                await server.loop.nextIteration()
            }
        }
        if framing == .chunked {
            writer.lastChunk()
            try await write(writer.take())
        }
        isComplete = true
        return context.keepAlive
    }

    /// Writes a piece of a body of stated length but for its last byte, which goes ahead of the next piece: if that is long in coming, the
    /// client can be asked by it whether it is there.
    @inline(never)
    private func write(_ piece: consuming [UInt8], isLast: Bool) async throws(ConnectionEnd) {
        var first: [UInt8] = []
        if case .byte(let byte) = question { first.append(byte) }
        question = .none
        let last = isLast ? nil : piece.popLast()
        try await write(first, piece)
        // Not before: what is held back is a part of what was sent.
        if let last { question = .byte(last) }
    }

    /// The next piece. The sender may have none for long: meanwhile the client is watched, which may be gone.
    @inline(never)
    private func next(of incoming: IncomingBody) async throws(ClientError) -> [UInt8] {
        if onClientEvent == nil {
            // Unowned is sound: the task that waits for the piece retains the connection.
            onClientEvent = { [unowned self] in watchReader() }
        }
        streamed = incoming
        watchReader()
        defer {
            socket.unwatch()
            streamed = nil
            if patienceEnd.take() != nil { socket.deadline = nil }
        }
        return try await incoming.next()
    }

    /// Ends the stream if its reader is gone or the connection is cancelled, and looks again at the client's next event.
    private func watchReader() {
        if socket.isCancelled {
            streamed?.end(.cancelled)
        } else if socket.maySucceedReading {
            // Also for an event that came before: it is not signalled again.
            if socket.peerIsGone { streamed?.end(.readerLeft) }
            if socket.peerHasEnded { askReader() }
        }
        if !socket.isClosed, let onClientEvent { socket.watch(onClientEvent) }
    }

    /// Asks a client that has ended its sending whether it is there. One that cannot be asked, since its body ends with the connection or
    /// has not begun, is taken to have left once nothing has come for it for as long as it may take for bytes of its own.
    private func askReader() {
        switch question {
        case .asked: break
        case .byte(let byte):
            question = .asked
            socket.enqueue([byte])
        case .none:
            let now = MonotonicTime.now
            let end = patienceEnd ?? now.advanced(byMilliseconds: server.bodyTimeout)
            if now >= end { streamed?.end(.readerLeft) }
            guard patienceEnd == nil else { return }
            patienceEnd = end
            socket.deadline = end
        }
    }

    /// Responds to a request that the handler does not see, and closes.
    @inline(never)
    func reject(_ rejection: RequestRejection) async {
        // The memory is needed by other connections now, not when the client has gone.
        reader.discard()
        stopCharging()
        server.removeUnfinished(self)
        let isHead = rejection.partialHead?.isHead == true
        var context = rejection.head.map { ResponseContext($0) } ?? .unreadable(isHead: isHead)
        context.keepAlive = false
        let response = server.reject(located(rejection))
        var writer = WireWriter()
        do throws(WireError) {
            try writer.response(
                status: response.status, fixed: response.fixed, headers: response.headers, body: response.body,
                to: context, date: date(of: response))
        } catch { return socket.close() }
        beginWait(after: ServerConnection.readerPatience)
        do throws(IOError) { try await socket.write(writer.take(), stallPeriod: server.bodyTimeout) } catch {
            return socket.close()
        }
        beginWait()
        await socket.closeLingering(for: server.linger, discarding: ServerConnection.discardedBytes)
    }
}
