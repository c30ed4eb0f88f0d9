import EventIO
import Synchronization

/// The connections of one loop to one origin: the leases of those in use, and the idle ones. `@unchecked Sendable` is sound
/// because the loop's thread alone touches it; a lease that ends elsewhere hops there.
final class ConnectionPool: @unchecked Sendable {
    private let limits: PoolLimits
    /// Whose gauges it keeps.
    private let origin: Origin
    private let idleMilliseconds: Int64
    fileprivate let loop: EventLoop
    /// Unchecked: sockets, whose closing may call back, are closed after they were removed, or from a copy.
    @exclusivity(unchecked) private var idle: [PooledConnection] = []
    private var leased: PoolShares
    private var waiting: [Waiter] = []
    private var queued: PoolShares
    /// The streamed bodies that have a lease.
    private var streams: [ObjectIdentifier: Stream] = [:]
    private var reclaimTimer: Timer?
    private static let reclaimInterval = Duration.milliseconds(250)

    /// What a response has lately had that was needed as a whole, at most, in bytes: less by an eighth with each that has less.
    private var longestWhole = 0

    private struct Stream { weak var body: IncomingBody? }

    private struct Waiter {
        let request: PendingResult<Bool>
        let caller: PoolCaller?
    }

    init(of origin: Origin, on loop: EventLoop) {
        let limits = origin.pool
        self.origin = origin
        self.limits = limits
        idleMilliseconds = limits.idleTimeout.wholeMilliseconds
        self.loop = loop
        leased = PoolShares(capacity: limits.active)
        queued = PoolShares(capacity: limits.queue)
    }

    /// Whether the pool can be dropped without losing a connection or a lease.
    var isUnused: Bool { leased.isEmpty && idle.isEmpty && waiting.isEmpty }

    /// A lease, if one is free and within the caller's share.
    func leaseNow(for caller: PoolCaller?) -> PoolLease? {
        guard leased.hasRoom(for: caller) else { return nil }
        add(caller)
        return PoolLease(of: self, for: caller)
    }

    /// The most that is reserved because other responses have had it: a caller's share may be smaller than the longest of them, and it
    /// would get none at all for one that mostly does not come.
    private static let mostReserved = 1 << 20

    /// What is reserved for a response before its request is sent: of those that fail without room as much as others have had lately,
    /// so that they seldom do. Others can be streamed.
    func room(for buffering: ResponseBuffering) -> Int {
        switch buffering {
        case .whole: max(Exchange.alwaysBuffered, min(longestWhole, Self.mostReserved))
        case .held: Exchange.alwaysBuffered
        case .streamed: 0
        }
    }

    /// A response that was needed as a whole had so many bytes.
    func noteWhole(_ count: Int) { longestWhole = max(count, longestWhole - longestWhole / 8) }

    private func add(_ caller: PoolCaller?) {
        leased.add(caller)
        origin.connectionsInUse.add(1, ordering: .relaxed)
    }

    /// Waits for a lease within the caller's share, first come first served. Throws ``ClientError/overloaded`` if too many requests, or
    /// too many of the caller's, wait already, `deadline` passes, or the task is cancelled.
    func lease(for caller: PoolCaller?, by deadline: MonotonicTime) async throws(ClientError) -> PoolLease {
        if let lease = leaseNow(for: caller) { return lease }
        guard queued.hasRoom(for: caller) else {
            origin.refusals.add(1, ordering: .relaxed)
            throw .overloaded
        }
        let request = PendingResult<Bool>(on: loop)
        waiting.append(Waiter(request: request, caller: caller))
        queued.add(caller)
        reclaim()
        guard await request.value(until: deadline, expired: false, cancelled: false) else {
            if let index = waiting.firstIndex(where: { $0.request === request }) {
                waiting.remove(at: index)
                queued.remove(caller)
            }
            origin.refusals.add(1, ordering: .relaxed)
            throw .overloaded
        }
        return PoolLease(of: self, for: caller)
    }

    func add(_ body: IncomingBody) { streams[ObjectIdentifier(body)] = Stream(body: body) }

    func removeStream(_ id: ObjectIdentifier) { streams[id] = nil }

    /// While requests wait, ends the streams whose readers take too little: one reader must not keep a connection from others for
    /// as long as it likes. Their own responses end early.
    private func reclaim() {
        guard !waiting.isEmpty, !streams.isEmpty else { return }
        let now = MonotonicTime.now
        var slow = streams.values.compactMap(\.body).filter { $0.readerIsTooSlow(now) }
        while !waiting.isEmpty, let body = slow.popLast() { body.end(.readerTooSlow) }
        guard !waiting.isEmpty, reclaimTimer == nil else { return }
        let timer = Timer(on: loop) { [weak self] in
            self?.reclaimTimer = nil
            self?.reclaim()
        }
        reclaimTimer = timer
        timer.schedule(after: ConnectionPool.reclaimInterval)
    }

    /// Passes an ended lease to the first request that still waits and is within its caller's share. It may make room for a second one: a
    /// caller's share grows with what is free and with what the caller gives back.
    fileprivate func leaseEnded(of caller: PoolCaller?) {
        leased.remove(caller)
        origin.connectionsInUse.subtract(1, ordering: .relaxed)
        while let index = waiting.firstIndex(where: { leased.hasRoom(for: $0.caller) }) {
            let waiter = waiting.remove(at: index)
            queued.remove(waiter.caller)
            if waiter.request.finish(true) { add(waiter.caller) }
        }
    }

    /// Removes and returns the connection used last, which the peer is least likely to have closed; `nil` if none is usable. The
    /// kernel is asked each time: a close by the peer may have arrived without its event being processed yet, and a request that
    /// is not idempotent would be lost on such a connection.
    func popIdle() -> PooledConnection? {
        while let connection = idle.popLast() {
            connection.socket.unwatch()
            if connection.isQuiet { return connection }
            connection.socket.close()
        }
        return nil
    }

    /// Keeps a connection for later, or closes it; what is left of a request that got its response before is not sent any more. The one
    /// idle for longest is closed if there are too many.
    func putBack(_ connection: PooledConnection, isReusable: Bool) {
        guard isReusable, !connection.socket.maySucceedReading || connection.isQuiet else {
            return connection.socket.abandon()
        }
        idle.append(connection)
        if idle.count > limits.idle {
            let oldest = idle.removeFirst()
            oldest.socket.unwatch()
            oldest.socket.close()
        }
        guard !connection.socket.isClosed else { return }
        connection.socket.deadline = .now.advanced(byMilliseconds: idleMilliseconds)
        connection.watch()
    }

    func closeIdle() {
        for connection in idle {
            connection.socket.unwatch()
            connection.socket.close()
        }
        idle = []
    }

    /// An event on an idle connection: the peer closed it, sent bytes without a request, or it was idle for too long. It is
    /// closed, unless the event was a message of TLS itself (a session ticket, RFC 8446 section 4.6.1).
    fileprivate func disturbed(_ socket: Socket) {
        guard !socket.isClosed else { return }
        if let connection = idle.first(where: { $0.socket === socket }), connection.isQuiet {
            return connection.watch()
        }
        idle.removeAll { $0.socket === socket }
        socket.close()
    }
}

/// The right to have one connection of a pool in use. Ends with its value, wherever that is dropped, so that it cannot leak.
struct PoolLease: ~Copyable, Sendable {
    let pool: ConnectionPool
    private let caller: PoolCaller?

    fileprivate init(of pool: ConnectionPool, for caller: PoolCaller?) {
        self.pool = pool
        self.caller = caller
    }

    deinit {
        let (pool, caller) = (pool, caller)
        if pool.loop.isCurrent {
            pool.leaseEnded(of: caller)
        } else {
            pool.loop.execute { pool.leaseEnded(of: caller) }
        }
    }
}

/// A connection to an upstream, for one exchange after the other.
///
/// `@unchecked Sendable` is sound because the loop's thread alone touches it.
final class PooledConnection: @unchecked Sendable {
    let socket: Socket
    /// Called on an event while the connection is idle. Made once per connection, not each time it becomes idle.
    private let onDisturbance: () -> Void

    /// The socket retains the closure while it is watched, and is alive when it calls it. The closure retains the pool: every
    /// connection is closed in the end, at the latest by the idle timeout, and a weak reference would make each retain of the
    /// pool go through a side table.
    init(_ socket: Socket, of pool: ConnectionPool) {
        self.socket = socket
        onDisturbance = { [unowned socket] in pool.disturbed(socket) }
    }

    func watch() { socket.watch(onDisturbance) }

    /// Whether there is nothing to read and no end, by asking the kernel.
    var isQuiet: Bool {
        guard let isQuiet = try? socket.isQuiet() else { return false }
        return isQuiet
    }
}
