import EventIO
import HTTPWire

/// One client: reads its requests one after the other, has them answered, writes the answers. Runs as one task, on the
/// loop that accepted it, for as long as the connection lives.
///
/// `@unchecked Sendable` is sound because its loop's thread alone touches it: its task runs there, and so does `ServerLoop`.
final class ServerConnection: @unchecked Sendable {
    let stream: EventIO.Stream
    let home: ServerLoop
    private let remoteAddress: String
    private var clientNames: [String] = []
    /// Unchecked: a value without I/O, which calls nobody.
    @exclusivity(unchecked) var reader: RequestReader
    var timedPhase: RequestReader.Phase?
    /// Whether no request has come yet: whoever connects is expected to say something.
    private var isNew = true
    private var arrived: RequestReader.Whole?
    /// What of the loop's held bytes is ours.
    private var held = 0
    private var share = TurnShare()

    /// Bodies up to this size are not counted: there may be one for every connection.
    private static let smallHeld = 16_384

    /// The most that a client may go on sending to a connection that is being closed.
    static let discardedBytes = 64 << 20

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
            while try await awaitRequest(), try await answerArrived() {}
            try await catchUp()
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
    @inline(never)
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

    @inline(never)
    private func secure() async throws(ConnectionEnd) {
        guard let context = home.secureContext else { return }
        stream.deadline = .now.advanced(byMilliseconds: home.headerTimeout)
        do throws(IOError) { try await stream.secure(asServer: context) } catch {
            home.noteFailedHandshake()
            throw .gone
        }
        stream.deadline = nil
        if context.verifiesClients { clientNames = stream.peerNames }
    }

    /// Whether another request may follow. Not inlined, as the others below: one frame of all of them would be kept by every
    /// idle connection.
    @inline(never)
    private func answerArrived() async throws(ConnectionEnd) -> Bool {
        guard let whole = arrived.take() else { return false }
        isNew = false
        let request = ServerRequest(
            head: whole.head, body: whole.body, loop: home.loop, remoteAddress: remoteAddress,
            isSecure: stream.isSecure,
            clientNames: clientNames
        )
        let response = await home.handler(request)
        release()
        return try post(response, to: request) ? true : await answer(request, response)
    }

    /// Waits for a whole request; false if the client has ended, or the server drains and nothing has begun.
    @inline(never)
    private func awaitRequest() async throws(ConnectionEnd) -> Bool {
        do throws(Refusal) {
            arrived = try reader.next()
        } catch { throw .refused(error) }
        var interest = Interest.read
        while true {
            // A client that sends requests and reads no answers gets no further ones.
            if stream.isBehind { try await catchUp() }
            if arrived != nil {
                if !mayAnswer() { await letOthersGo() }
                break
            }
            if reader.takeContinue() { try await goOn() }
            if home.isDraining, reader.phase == .idle {
                guard try hasMore() else { return false }
                continue
            }
            try await wait(for: interest)
            guard let next = try receive() else { return false }
            interest = next
        }
        timedPhase = nil
        stream.deadline = nil
        return true
    }

    /// Whether what has arrived may be answered in this turn of the loop.
    @inline(never)
    private func mayAnswer() -> Bool {
        let isLarge = (arrived?.body.count ?? 0) > ServerConnection.smallHeld
        return share.take(in: home.loop.turn, isLarge: isLarge)
    }

    @inline(never)
    private func letOthersGo() async { await home.loop.nextTurn() }

    /// Whether something has come that nobody has looked at yet: what came before the end is still answered.
    @inline(never)
    private func hasMore() throws(ConnectionEnd) -> Bool {
        try receive() != nil && (arrived != nil || reader.phase != .idle)
    }

    /// Reads once, into the buffer that all connections of the loop share: nothing suspends between the read and its use, and
    /// the bytes are wiped before anything else runs. Answers what to wait for before the next read; `nil` at the end.
    @inline(never)
    private func receive() throws(ConnectionEnd) -> Interest? {
        var buffer: [UInt8] = []
        swap(&buffer, &home.buffer)
        defer { swap(&buffer, &home.buffer) }
        let received: Received
        do throws(IOError) { received = try stream.receive(into: &buffer) } catch { throw .gone }
        switch received {
        case .bytes(let count):
            defer { wipe(&buffer, first: count) }
            do throws(Refusal) {
                arrived = try reader.receive(buffer.span.extracting(0..<count))
            } catch { throw .refused(error) }
            try hold(arrived?.body.count ?? reader.heldBytes)
            return .read
        case .end:
            guard reader.phase == .idle else { throw .gone }
            return nil
        case .wait(let interest): return interest
        }
    }

    /// Counts what is held of a large body. Where the loop has no more room for one that is still to come, its client is to try
    /// again: without a bound, as many bodies as there may be connections could wait here for their ends.
    private func hold(_ count: Int) throws(ConnectionEnd) {
        guard count > ServerConnection.smallHeld else { return }
        home.heldBytes += count - held
        held = count
        guard arrived == nil, home.heldBytes > home.limits.heldBytes else { return }
        throw .refused(Refusal(status: 503, reason: "too many large bodies are under way", head: reader.currentHead))
    }

    /// Nothing is held any more.
    func release() {
        guard held > 0 else { return }
        home.heldBytes -= held
        held = 0
    }

    /// Sends `100 Continue` to a client that waits for it before its body.
    @inline(never)
    private func goOn() async throws(ConnectionEnd) {
        var writer = WireWriter()
        writer.continueResponse()
        try await write(writer.take())
    }

    /// A phase's time runs from its first wait, however often its bytes trickle in.
    @inline(never)
    private func wait(for interest: Interest) async throws(ConnectionEnd) {
        let phase = reader.phase
        if phase != timedPhase {
            timedPhase = phase
            var time = home.timeout(of: phase)
            if isNew, phase == .idle { time = min(time, home.timeout(of: .head)) }
            stream.deadline = .now.advanced(byMilliseconds: time)
        }
        do throws(IOError) { try await stream.wait(for: interest) } catch {
            guard error == .timedOut, phase != .idle else { throw .gone }
            throw tooSlow()
        }
    }

    /// Not inlined: what it is made of would be part of the frame of every wait.
    @inline(never)
    private func tooSlow() -> ConnectionEnd {
        .refused(
            Refusal(
                status: 408, reason: "the request took too long", head: reader.currentHead, unread: reader.unreadHead))
    }
}
