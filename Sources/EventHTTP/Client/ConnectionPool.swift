import EventIO

/// The connections of one loop to one origin: who may have one, and those that nobody uses now. Belongs to the loop's thread,
/// which is why `@unchecked Sendable` is sound.
final class ConnectionPool: @unchecked Sendable {
    private let limits: PoolLimits
    private let idleMilliseconds: Int64
    private let loop: EventLoop
    /// Unchecked: streams, whose closing may call back, are closed after they have left it, or from a copy.
    @exclusivity(unchecked) private var idle: [PooledConnection] = []
    private var active = 0
    private var queue: [QueuedRequest] = []

    init(_ limits: PoolLimits, on loop: EventLoop) {
        self.limits = limits
        idleMilliseconds = limits.idleTimeout.wholeMilliseconds
        self.loop = loop
    }

    /// Connections that nobody uses now.
    var idleCount: Int { idle.count }

    /// Whether nothing would be lost with it.
    var isUnused: Bool { active == 0 && idle.isEmpty && queue.isEmpty }

    /// Takes a place if one is free.
    func enterNow() -> Bool {
        guard active < limits.active else { return false }
        active += 1
        return true
    }

    /// Waits for a place, in the order of asking. Throws ``ClientError/overloaded`` if too many wait already, `deadline` passes, or
    /// the task is cancelled.
    func enter(by deadline: MonotonicTime) async throws(ClientError) {
        if enterNow() { return }
        guard queue.count < limits.queue else { throw .overloaded }
        let request = QueuedRequest(on: loop)
        queue.append(request)
        guard await request.wait(until: deadline) else {
            queue.removeAll { $0 === request }
            throw .overloaded
        }
    }

    /// Gives a place back: to the first that waits, if there is one.
    func leave() {
        while !queue.isEmpty {
            if queue.removeFirst().admit() { return }
        }
        active -= 1
    }

    /// The connection used last, which is the least likely to have been given up by the peer; `nil` if there is none that
    /// still lives. The kernel is asked each time: a peer's end that has arrived may stand behind us in the queue of events,
    /// and a request that is not idempotent would be lost on it.
    func take() -> PooledConnection? {
        while let connection = idle.popLast() {
            connection.stream.unwatch()
            if connection.isQuiet { return connection }
            connection.stream.close()
        }
        return nil
    }

    /// Ends an exchange, its place included. The longest unused connection goes if there are too many.
    func giveBack(_ connection: PooledConnection, isReusable: Bool) {
        defer { leave() }
        guard isReusable, !connection.stream.maySucceedReading || connection.isQuiet else {
            return connection.stream.close()
        }
        idle.append(connection)
        if idle.count > limits.idle {
            let oldest = idle.removeFirst()
            oldest.stream.unwatch()
            oldest.stream.close()
        }
        guard !connection.stream.isClosed else { return }
        connection.stream.deadline = .now.advanced(byMilliseconds: idleMilliseconds)
        connection.watch()
    }

    /// Ends an exchange that went wrong, its place included.
    func discard(_ connection: PooledConnection) {
        connection.stream.close()
        leave()
    }

    func closeAll() {
        for connection in idle {
            connection.stream.unwatch()
            connection.stream.close()
        }
        idle = []
    }

    /// Closed by the peer, silent for too long, or talking out of turn: a connection on which something happens while it is
    /// idle is of no more use, unless it was TLS's own business (a session ticket, RFC 8446 section 4.6.1).
    func disturbed(_ stream: EventIO.Stream) {
        guard !stream.isClosed else { return }
        if let connection = idle.first(where: { $0.stream === stream }), connection.isQuiet {
            return connection.watch()
        }
        idle.removeAll { $0.stream === stream }
        stream.close()
    }
}
