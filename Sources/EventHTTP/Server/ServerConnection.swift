import EventIO
import Glibc
import HTTPWire

/// One client: reads its requests one after the other, calls the handler, writes the responses. Runs as one task, on the
/// loop that accepted it, as long as the connection lives.
///
/// Functions are not inlined into the async ones: each idle connection keeps the frames of the latter, which would otherwise
/// contain the locals of all.
///
/// `@unchecked Sendable` is sound because its loop's thread alone touches it: its task runs there, and so does `ServerLoop`.
final class ServerConnection: @unchecked Sendable {
    let socket: Socket
    let server: ServerLoop
    /// The client's address: of the socket, or of the PROXY protocol's header.
    var remoteBits: (high: UInt64, low: UInt64)
    var hidesClient = false
    /// How often the authority of clients had been replaced when this one was secured.
    private var authorityChanges = 0
    private var clientNames: [String] = []
    /// Unix seconds at which the certificate ends that proved the names.
    private var namesEnd = Int64.max
    /// Unchecked: a value without I/O, whose methods call no other code.
    @exclusivity(unchecked) var reader: RequestReader
    /// The phase for which the deadline was set.
    var timedPhase: RequestReader.Phase?
    /// When the connection begins to count as one that waits for its client alone, and may be displaced; nil while it does not wait.
    private var waitBegins: MonotonicTime?
    /// Whether another client has its place: it ends after the present request and one whose bytes had already begun to arrive.
    private(set) var isDisplaced = false
    /// Whether it ends at once since it was displaced: no request is being worked on.
    var endsAtOnce = false
    /// Whether it is within the limit on connections, and not only told that there are too many.
    private(set) var hasPlace = false
    /// Whether no request has come yet: a new connection is expected to send one soon.
    private var isNew = true
    var arrived: RequestReader.Complete?
    /// What is being done for the request that came last.
    private(set) var work = Work.none
    var charge: ByteCharge
    var isUnfinished = false
    /// Why the request that has begun was given up; nil if it was not.
    var givenUp: String?
    /// Whether it waits for its client to take what it is sent.
    private(set) var waitsForReader = false
    /// What is to be sent after the responses that are under way, since what had come of the next requests was released.
    var refusal: RequestRejection?
    private var share = IterationShare()
    /// The body whose next piece is waited for.
    var streamed: IncomingBody?
    /// How the reader of a streamed body that has ended its sending is asked whether it is there.
    var question = Question.none
    /// Until when such a reader is waited for if it cannot be asked; nil if it is not waited for.
    var patienceEnd: MonotonicTime?
    /// What is done at an event of the client meanwhile; made once.
    var onClientEvent: (() -> Void)?

    /// Bodies up to this size are not charged to the loop's budget: there may be one for every connection.
    static let smallBody = 16_384

    /// How long a client may take for a response before that counts as a wait, in which the connection may be displaced.
    static let readerPatience = Duration.seconds(10)

    /// The same for what no request depends on: a balancer's header, and the end of a connection whose last response has left.
    static let peerPatience = Duration.seconds(1)

    /// The most that a client may go on sending to a connection that is being closed.
    static let discardedBytes = 64 << 20

    /// A client that has ended its sending may still read (RFC 9112 section 9.6), or be gone: what it is sent tells, since one that is gone
    /// responds with a reset.
    enum Question {
        /// There is nothing that it could be sent.
        case none
        /// It can be sent this byte, which comes next in any case.
        case byte(UInt8)
        case asked
    }

    /// What is done for a request once it has come.
    enum Work {
        case none
        /// The handler has not returned.
        case handling
        /// Its response is sent.
        case sending
    }

    init(_ socket: Socket, server: ServerLoop) {
        self.socket = socket
        self.server = server
        remoteBits = socket.remoteAddress.bits
        reader = RequestReader(limits: server.limits)
        charge = ByteCharge(to: server.budget)
    }

    /// Whose connections count together with this one.
    var subscriber: Subscriber { Subscriber(remoteBits) }

    /// Since when the connection waits for its client, and may be displaced, or end at once if it was; nil if it does not.
    func waitingSince(at now: MonotonicTime) -> MonotonicTime? {
        guard hasPlace, let waitBegins, waitBegins <= now else { return nil }
        return waitBegins
    }

    /// Ends the connection for one of another client: in order if no request has begun, otherwise at once.
    func displaceNow() {
        isDisplaced = true
        endsAtOnce = true
        waitBegins = nil
        if timedPhase == .idle { socket.wake() } else { socket.cancel() }
    }

    /// Whether it has had a complete request, and may have another.
    var mayEndAfterResponse: Bool { hasPlace && !isDisplaced && (!isNew || arrived != nil) }

    /// Ends the connection for one of another client, in order: after the response that it works on or sends, and after the one to a request
    /// that had begun behind it. While it waits for the rest of that, it may have to end at once (``displaceNow()``).
    func displaceAfterResponse() { isDisplaced = true }

    /// Serves the client until one side ends, and closes the connection. One that is above the limit on connections is served if another
    /// is displaced; its address, which decides that, may be in the header of the PROXY protocol.
    func serve(_ admission: Server.Shared.Admission) async {
        do throws(ConnectionEnd) {
            hasPlace = admission == .admitted
            if server.proxyProtocol { try await readProxyHeader() }
            if !hasPlace { hasPlace = server.takePlace(for: self) }
            if !hasPlace, admission == .ignored { throw .gone }
            try await secure()
            if !hasPlace { throw .rejected(RequestRejection(status: 503, reason: "too many connections")) }
            while try await awaitRequest(), try await respondToArrived() {}
            try await finishSending()
            await end()
        } catch {
            switch error {
            case .gone: socket.close()
            case .idle:
                socket.deadline = nil
                await end()
            case .rejected(let rejection): await reject(rejection)
            }
        }
    }

    /// Closes after the last response. Bytes that have arrived and are not read would turn the close into a reset, and the client
    /// might lose the response: then they are read and dropped first.
    @inline(never)
    private func end() async {
        beginWait(after: ServerConnection.readerPatience)
        guard reader.phase == .idle, !socket.maySucceedReading else {
            beginWait(after: ServerConnection.peerPatience)
            return await socket.closeLingering(for: server.linger, discarding: ServerConnection.discardedBytes)
        }
        do throws(IOError) { try await socket.endWriting(stallPeriod: server.bodyTimeout) } catch {
            // Without `close_notify` an end could be mistaken for the end of a response; a reset cannot.
            return socket.reset()
        }
        socket.close()
    }

    /// The rejection with what is known of the client.
    func located(_ rejection: RequestRejection) -> RequestRejection {
        var rejection = rejection
        rejection.remoteBits = remoteBits
        rejection.hidesClient = hidesClient
        return rejection
    }

    @inline(never)
    private func secure() async throws(ConnectionEnd) {
        let changes = server.authorityChanges
        guard let context = server.secureContext else { return }
        beginWait()
        defer { endWait() }
        socket.deadline = .now.advanced(byMilliseconds: server.headerTimeout)
        do throws(IOError) { try await socket.secure(asServer: context) } catch {
            if !isDisplaced { server.recordFailedHandshake(error) }
            if error == .plaintext {
                throw .rejected(RequestRejection(status: 400, reason: "a request without TLS on a port for TLS"))
            }
            // A client of TLS 1.3 has sent its request before its certificate is judged: closing at once would reset the connection,
            // and the client might lose the alert that says why. A connection above the limit is closed at once all the same.
            if hasPlace, case .secureConnectionFailed = error {
                await socket.closeLingering(for: server.linger, discarding: ServerConnection.discardedBytes)
            }
            throw .gone
        }
        socket.deadline = nil
        authorityChanges = changes
        guard context.verifiesClients else { return }
        clientNames = socket.peerNames
        namesEnd = socket.peerCertificateEnd ?? .max
    }

    /// Calls the handler and sends its response. Returns whether another request may follow.
    @inline(never)
    private func respondToArrived() async throws(ConnectionEnd) -> Bool {
        guard let complete = arrived.take() else { return false }
        isNew = false
        server.clearEndsAtOnce(of: self)
        let request = ServerRequest(
            head: complete.head, body: complete.body, loop: server.loop,
            remoteBits: remoteBits, hidesClient: hidesClient, isSecure: socket.isSecure,
            clientNames: provenNames,
            waited: server.overload?.age(of: socket) ?? 0, maxWait: server.overload?.maxWait
        )
        if let delay = server.overload?.retryDelay(for: request) { return try await refuseOverload(request, delay) }
        server.overload?.begin()
        work = .handling
        let response = await server.handler(request)
        work = .sending
        defer { work = .none }
        server.overload?.end()
        stopCharging()
        return try enqueue(response, to: request) ? true : await send(response, to: request)
    }

    /// Responds to a request that would wait too long. The connection stays open: a new one would cost more.
    @inline(never)
    private func refuseOverload(_ request: ServerRequest, _ delay: Int) async throws(ConnectionEnd) -> Bool {
        stopCharging()
        var response = server.reject(
            located(RequestRejection(status: 503, reason: "the server is overloaded", head: request.head)))
        response.setRetryAfter(delay)
        return try enqueue(response, to: request) ? true : await send(response, to: request)
    }

    /// Waits for a complete request. Returns false if the client has ended, or the connection is to end and no request has begun.
    @inline(never)
    private func awaitRequest() async throws(ConnectionEnd) -> Bool {
        do throws(RequestRejection) {
            // One may have been looked for already, as what came behind the last request was given up.
            if arrived == nil { arrived = try reader.next() }
        } catch { throw .rejected(error) }
        try chargeReceived()
        var interest = Interest.read
        while true {
            // No request is handled for a client that does not read its responses, or is gone.
            if socket.isBehind || socket.hasLostPeer { try await finishSending() }
            if arrived == nil, let refusal { throw .rejected(refusal) }
            if arrived != nil {
                if !mayHandleNow() { await yield() }
                break
            }
            if reader.takeContinue() { try await sendContinue() }
            if isEnding, reader.phase == .idle {
                guard try hasMore() else { return false }
                continue
            }
            try await wait(for: interest)
            guard let next = try receive() else { return false }
            interest = next
            if socket.hasUsedShare { await yield() }
        }
        socket.deadline = nil
        return true
    }

    /// The connection waits for its client from now on, for no phase yet.
    ///
    /// - Parameter patience: how long it may wait before the connection may be displaced.
    func beginWait(after patience: Duration = .zero) {
        timedPhase = nil
        waitBegins = endsAtOnce ? nil : .now + patience
    }

    func endWait() {
        timedPhase = nil
        waitBegins = nil
        waitsForReader = false
    }

    /// The connection waits for its client to take what it is sent. What was given up is released then: it may wait for long.
    func beginReaderWait() {
        beginWait(after: ServerConnection.readerPatience)
        waitsForReader = true
        if givenUp != nil { release() }
    }

    /// Whether no request is to follow: the server drains, another client gets the place, the client's certificate has ended, or the
    /// authority for client certificates was replaced or first configured after this connection's handshake.
    var isEnding: Bool {
        server.isDraining || isDisplaced || hasExpired
            || socket.isSecure && server.authorityChanges != authorityChanges
    }

    /// What the client's certificate proves for a request that is complete now.
    private var provenNames: [String] {
        if clientNames.isEmpty || hasExpired { return [] }
        if server.authorityChanges == authorityChanges { return clientNames }
        guard let context = server.secureContext, socket.peerIsAccepted(by: context) else { return [] }
        return clientNames
    }

    private var hasExpired: Bool { namesEnd != .max && time(nil) > namesEnd }

    /// Whether the request that has arrived may be handled in this iteration of the loop.
    @inline(never)
    private func mayHandleNow() -> Bool {
        let isLarge = (arrived?.body.count ?? 0) > ServerConnection.smallBody
        return share.use(in: server.loop.iteration, isLarge: isLarge, of: &server.work)
    }

    @inline(never)
    private func yield() async { await server.loop.nextIteration() }

    /// Whether bytes of a request have come without an event yet: a request that came before the end is still handled.
    @inline(never)
    private func hasMore() throws(ConnectionEnd) -> Bool {
        try receive() != nil && (arrived != nil || reader.phase != .idle)
    }

    /// Reads once, into the buffer that all connections of the loop share: nothing suspends between the read and its use, and
    /// the bytes are wiped before other code runs. Returns what to wait for before the next read; `nil` at the end.
    @inline(never)
    private func receive() throws(ConnectionEnd) -> Interest? {
        let limit = server.readLimit(of: self)
        var buffer: [UInt8] = []
        swap(&buffer, &server.buffer)
        defer { swap(&buffer, &server.buffer) }
        let received: Received
        do throws(IOError) { received = try socket.receive(into: &buffer, atMost: limit) } catch { throw .gone }
        switch received {
        case .bytes(let count):
            defer { wipe(&buffer, first: count) }
            do throws(RequestRejection) {
                arrived = try reader.receive(buffer.span.extracting(0..<count))
            } catch { throw .rejected(error) }
            // A complete request is always handled: from here on, also while the task yields, the connection can't be displaced.
            if arrived != nil { endWait() }
            try chargeReceived()
            return .read
        case .end:
            guard reader.phase == .idle else { throw .gone }
            return nil
        case .wait(let interest): return interest
        }
    }

    /// Sends `100 Continue` to a client that waits for it before its body.
    @inline(never)
    private func sendContinue() async throws(ConnectionEnd) {
        var writer = WireWriter()
        writer.continueResponse()
        try await write(writer.take())
    }

    /// The time of a phase starts with its first wait; further bytes do not renew it.
    @inline(never)
    private func wait(for interest: Interest) async throws(ConnectionEnd) {
        try requireNotGivenUp()
        let phase = reader.phase
        // What has begun as the connection was displaced is not waited for: the place is another's.
        if endsAtOnce, phase != .idle { throw .gone }
        if phase != timedPhase {
            beginWait()
            timedPhase = phase
            var time = server.timeout(of: phase)
            if isNew, phase == .idle { time = min(time, server.timeout(of: .head)) }
            socket.deadline = .now.advanced(byMilliseconds: time)
        }
        do throws(IOError) { try await socket.wait(for: interest) } catch {
            guard error == .timedOut else { throw .gone }
            if phase == .idle { throw .idle }
            throw requestTimeout()
        }
        try requireNotGivenUp()
    }

    @inline(never)
    private func requestTimeout() -> ConnectionEnd {
        .rejected(
            RequestRejection(
                status: 408, reason: "the request took too long", head: reader.head,
                partialHead: reader.partialHead))
    }
}
