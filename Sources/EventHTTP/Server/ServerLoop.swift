import EventIO
import HTTPWire

/// What the connections of one event loop share.
///
/// `@unchecked Sendable` is sound because its mutable state belongs to the loop's thread: listeners call back there and the
/// connections' tasks run there.
final class ServerLoop: @unchecked Sendable {
    let loop: EventLoop
    let handler: Server.Handler
    let reject: Server.Rejecter
    private let noteFailedHandshake: @Sendable (String) -> Void
    private(set) var limits: ServerLimits
    private(set) var headerTimeout: Int64
    private(set) var bodyTimeout: Int64
    private(set) var idleTimeout: Int64
    let linger: Duration

    /// The buffer of all reads of the loop. Unchecked, as `output`: both are moved out, or copied from, while they are used.
    @exclusivity(unchecked) var buffer = [UInt8](repeating: 0, count: 65_536)
    /// The buffer into which small responses are written; nothing suspends before they are queued and wiped.
    @exclusivity(unchecked) var output: [UInt8] = []
    var date = HTTPDate()
    /// The bytes of large bodies that are buffered on this loop, unfinished or in a handler.
    let budget: ByteBudget
    /// Unchecked: a value that calls no other code of this module.
    @exclusivity(unchecked) var overload: OverloadControl?
    /// Requests that are not complete, without large bodies.
    private var unfinished = HeldRequests<ServerConnection>()
    /// Large bodies, as they are charged to `budget`.
    private var largeBodies = HeldRequests<ServerConnection>()
    /// What its connections have done in the present iteration.
    @exclusivity(unchecked) var work = IterationWork()
    private(set) var isDraining = false
    private let shared: Server.Shared
    private var burst = BurstDetector()
    private var trimTimer: Timer?
    /// A burst may go on after a pause: memory is returned when it has been over for this long.
    private static let trimDelay = Duration.seconds(2)
    /// Beyond a limit so much more is given up, as a part of it: finding out who holds most is not cheap.
    private static let slack = 16
    private var listeners: [Listener] = []
    private var connections = OpenConnections<ServerConnection>()
    /// Connections that were displaced, end at once and have not ended yet.
    private var endingAtOnce = 0

    init(
        _ loop: EventLoop, _ shared: Server.Shared, limits: ServerLimits, timeouts: ServerTimeouts,
        responder: Server.Responder
    ) {
        self.loop = loop
        self.shared = shared
        handler = responder.handler
        reject = responder.reject
        noteFailedHandshake = responder.noteFailedHandshake
        self.limits = limits
        headerTimeout = timeouts.header.wholeMilliseconds
        bodyTimeout = timeouts.body.wholeMilliseconds
        idleTimeout = timeouts.idle.wholeMilliseconds
        linger = timeouts.linger
        overload = timeouts.maxWait.map { OverloadControl(maximum: $0) }
        budget = ByteBudget(limits.bufferedBytes, on: loop)
    }

    /// On the loop's thread.
    func replaceLimits(_ limits: ServerLimits, _ timeouts: ServerTimeouts) {
        self.limits = limits
        budget.limit = limits.bufferedBytes
        headerTimeout = timeouts.header.wholeMilliseconds
        bodyTimeout = timeouts.body.wholeMilliseconds
        idleTimeout = timeouts.idle.wholeMilliseconds
    }

    /// The TLS settings of new connections; `nil` for no TLS.
    var secureContext: TLSServerContext? { shared.secureContext }

    var authorityChanges: Int { shared.authorityChanges }

    /// Whether connections start with a header of the PROXY protocol.
    var proxyProtocol: Bool { shared.proxyProtocol }

    func recordFailedHandshake(_ error: IOError) {
        shared.recordFailedHandshake()
        if case .secureConnectionFailed(let reason) = error { noteFailedHandshake(reason) }
    }

    func timeout(of phase: RequestReader.Phase) -> Int64 {
        switch phase {
        case .idle: idleTimeout
        case .head: headerTimeout
        case .body: bodyTimeout
        }
    }

    /// Binds a socket of this loop and returns its address. The listener retains this object until `drain`.
    func bind(_ address: SocketAddress) throws(IOError) -> SocketAddress {
        let listener = try Listener(on: loop, address: address) { self.admit($0) }
        listeners.append(listener)
        return listener.localAddress
    }

    /// Releases the bound sockets, before `start`.
    func unbind() { listeners = [] }

    func start() {
        for listener in listeners { listener.start() }
    }

    /// Stops accepting, lets requests under way finish, and cancels the remaining connections at `deadline`.
    func drain(until deadline: MonotonicTime) async {
        for listener in listeners { listener.stop() }
        listeners = []
        isDraining = true
        wakeConnections()
        await connectionsEnd(by: deadline)
        for connection in connections.owners where connection.work != .handling { connection.socket.cancel() }
    }

    /// How long clients have for the responses to requests that were being handled as the server ended.
    private static let lastResponses = Duration.milliseconds(500)

    /// Cancels everything on the loop that handlers may wait for, and has their responses sent, which say that they failed; cancels what is
    /// left of the clients' connections then, and waits until they have ended. Handlers that wait for something else have until a second before
    /// the deadline.
    func end(until deadline: MonotonicTime) async {
        loop.cancelSockets(except: connections.owners.map(\.socket))
        let last = deadline.advanced(byMilliseconds: -2 * Self.lastResponses.wholeMilliseconds)
        await pause(until: last) { connections.owners.allSatisfy { $0.work != .handling } }
        await connectionsEnd(by: min(deadline, .now + Self.lastResponses))
        for connection in connections.owners { connection.socket.cancel() }
        await connectionsEnd(by: deadline)
    }

    private func connectionsEnd(by deadline: MonotonicTime) async {
        await pause(until: deadline) { connections.count == 0 }
    }

    private func pause(until deadline: MonotonicTime, unless isOver: () -> Bool) async {
        while !isOver(), MonotonicTime.now < deadline { await loop.sleep(for: .milliseconds(5)) }
    }

    /// Ends idle connections that were secured before the clients' authority was replaced, or asked for. The tasks that are woken run before
    /// the next iteration.
    func endOutdatedConnections() async {
        wakeConnections()
        await loop.nextIteration()
    }

    /// Has idle connections find out whether they are to end.
    private func wakeConnections() { for connection in connections.owners { connection.socket.wake() } }

    /// What `connection` has received of a request that is not complete occupies `bytes`, without a large body. Gives up the oldest of its
    /// address if that holds more than is free, and the oldest of those who hold most if all hold too much.
    func setUnfinished(_ bytes: Int, of connection: ServerConnection) {
        let address = connection.subscriber
        unfinished.set(bytes, for: connection, of: address)
        let (limit, own) = (limits.unfinishedBytes, unfinished.bytes(of: address))
        let free = max(0, limit - unfinished.used)
        if own > free + limit / Self.slack {
            for oldest in unfinished.popOldest(above: (own + free) / 2, of: address) { oldest.giveUp() }
        }
        let excess = unfinished.used - limit
        guard excess > 0 else { return }
        let level = unfinished.level(without: excess + limit / Self.slack)
        for oldest in unfinished.popOldest(above: level) { oldest.giveUp() }
    }

    /// Bytes that `connection` may read at once. Requests that come whole behind others are not given up, so few of them are read while much
    /// is held: clients that send faster than they are served would have 64 KiB each. An address that would still hold no more than is free
    /// reads as ever: what others hold does not slow it down.
    func readLimit(of connection: ServerConnection) -> Int {
        let (limit, used) = (limits.unfinishedBytes, unfinished.used)
        guard used > limit / 2, unfinished.bytes(of: connection.subscriber) + buffer.count > limit - used else {
            return buffer.count
        }
        return 4_096
    }

    /// The request of `connection` is complete, or has been given up.
    func removeUnfinished(_ connection: ServerConnection) { unfinished.remove(connection) }

    /// What `connection` has received of a large body is `bytes`. Returns whether it may go on: if there are too many, one that is not complete
    /// is given up, of an address that holds most; bodies of others where that is not this connection's. Where those are complete, it may
    /// go on all the same.
    func setLargeBody(_ bytes: Int, isComplete: Bool, of connection: ServerConnection) -> Bool {
        largeBodies.set(bytes, for: connection, of: connection.subscriber)
        if isComplete {
            largeBodies.complete(connection)
            return true
        }
        guard budget.isExceeded else { return true }
        let level = largeBodies.level(without: budget.used - budget.limit + budget.limit / Self.slack)
        guard largeBodies.bytes(of: connection.subscriber) <= level else { return false }
        for oldest in largeBodies.popOldest(above: level) { oldest.giveUpBody() }
        return true
    }

    /// The body of `connection` is not held any more.
    func removeLargeBody(of connection: ServerConnection) { largeBodies.remove(connection) }

    private func admit(_ socket: Socket) {
        let admission = shared.admit()
        guard let admission else {
            socket.close()
            return shared.leave()
        }
        let connection = ServerConnection(socket, server: self)
        connections.add(connection, from: connection.subscriber)
        _ = burst.hasEnded(connections: connections.count, bytes: budget.used)
        Task(executorPreference: loop) { [self] in
            await connection.serve(admission)
            remove(connection)
        }
    }

    /// Takes a place that has become free, or that of another connection which is displaced. Returns whether there is one.
    func takePlace(for connection: ServerConnection) -> Bool {
        shared.takePlace() || takePlaceOfAnother(for: connection)
    }

    /// A connection that was to end at once has ended, or works on a last request, which may take its time.
    func clearEndsAtOnce(of connection: ServerConnection) {
        guard connection.endsAtOnce else { return }
        connection.endsAtOnce = false
        endingAtOnce -= 1
    }

    /// Has another connection of this loop end, if one may, and takes its place: one that waits for its client, or else one that works on
    /// a request or sends a response, its last. Returns whether one does.
    private func takePlaceOfAnother(for connection: ServerConnection) -> Bool {
        let now = MonotonicTime.now
        // Those that are still ending hold files: so many at most are above the limit.
        while endingAtOnce < 64 {
            guard
                let other = connections.candidate(
                    toDisplaceFor: connection, waitingSince: { $0.waitingSince(at: now) })
            else { return takePlaceOfWorking(for: connection, at: now) }
            let hasGivenItsPlace = other.isDisplaced
            guard hasGivenItsPlace || shared.takePlaceAhead() else { return false }
            endingAtOnce += 1
            other.displaceNow()
            if hasGivenItsPlace { continue }
            shared.recordDisplaced()
            return true
        }
        return false
    }

    private func takePlaceOfWorking(for connection: ServerConnection, at now: MonotonicTime) -> Bool {
        guard
            let other = connections.candidate(
                toDisplaceFor: connection,
                waitingSince: { $0.mayEndAfterResponse && $0.waitingSince(at: now) == nil ? now : nil }),
            shared.takePlaceAhead()
        else { return false }
        other.displaceAfterResponse()
        shared.recordDisplaced()
        return true
    }

    /// The header of the PROXY protocol has said where a connection comes from.
    func noteSubscriber(of connection: ServerConnection) { connections.move(connection, to: connection.subscriber) }

    private func remove(_ connection: ServerConnection) {
        connection.stopCharging()
        removeUnfinished(connection)
        connections.remove(connection)
        clearEndsAtOnce(of: connection)
        if connection.hasPlace { shared.leavePlace() }
        shared.leave()
        noteLoad()
    }

    /// Connections or buffered bytes have changed by much. Returns freed memory to the system some time after a burst.
    func noteLoad() {
        guard burst.hasEnded(connections: connections.count, bytes: budget.used), trimTimer == nil else { return }
        let timer = Timer(on: loop) { [weak self] in self?.trim() }
        trimTimer = timer
        timer.schedule(after: ServerLoop.trimDelay)
    }

    private func trim() {
        trimTimer = nil
        guard burst.hasEnded(connections: connections.count, bytes: budget.used) else { return }
        burst.reset(connections: connections.count, bytes: budget.used)
        FreedMemory.returnToSystem()
    }
}
