import CLibevent
import Glibc

/// A connected TCP socket on its loop, plain or with TLS over it.
///
/// Reading and writing never block and never suspend: `receive` and `send` return `.wait` when the socket has nothing more to
/// give or to take, and `wait(for:)` suspends until it has. So a caller may read into a buffer shared by all sockets of a
/// loop: no suspension lies between the read and its use.
///
/// The socket is registered once, for edges of reading and writing (`EPOLLET`), and never again: a request costs no
/// `epoll_ctl`.
///
/// `@unchecked Sendable` is sound because the whole state belongs to the loop's thread: libevent calls back there, and the
/// task that uses the socket runs there (checked in `wait(for:)`). Only `cancel()` may be called from elsewhere, and it hops.
///
/// An open socket is retained by its loop, since libevent has a pointer to it: its owner must `close()` it.
public final class Socket: @unchecked Sendable {
    /// The loop that the socket lives on.
    public let loop: EventLoop
    /// The other end.
    public let remoteAddress: SocketAddress

    let descriptor: CInt
    var session: TLSSession?
    // Unchecked: values without I/O, whose methods call no other code.
    @exclusivity(unchecked) var readiness = Readiness()
    @exclusivity(unchecked) var sendBuffer = SendBuffer()
    @exclusivity(unchecked) private var timeLimit = Deadline()
    let destination = OutputQueue.Destination()

    /// Reads and writes made in the iteration `operationsIteration` of the loop.
    private var operations = 0
    private var operationsIteration = 0
    private static let operationsPerIteration = 16

    private var interruption = Interruption.none
    /// The number of finished calls of `cancellingWithTask`, so that a late cancellation does not hit the socket's next user.
    private var finishedScopes = 0
    private var waiter = Waiter.none
    private var event: OpaquePointer?
    private var timer: OpaquePointer?

    /// Where it stands among its loop's sockets.
    var place = 0

    private enum Interruption { case none, cancelled, closed }

    /// What goes on when the socket becomes ready, the deadline passes, or the socket is cancelled or closed.
    private enum Waiter {
        case none
        case task(Interest, UnsafeContinuation<Void, Never>)
        /// Called once when something can be read.
        case watcher(() -> Void)

        var interest: Interest {
            switch self {
            case .none: []
            case .task(let interest, _): interest
            case .watcher: .read
            }
        }
    }

    /// Takes over a connected, or connecting, non-blocking socket; closes it if it cannot be registered.
    init(descriptor: CInt, remoteAddress: SocketAddress, loop: EventLoop) throws(IOError) {
        self.loop = loop
        self.descriptor = descriptor
        self.remoteAddress = remoteAddress
        event = event_new(
            loop.base, descriptor,
            Int16(EV_READ | EV_WRITE | EV_CLOSED | EV_PERSIST) | Int16(bitPattern: UInt16(EV_ET)),
            { _, what, owner in
                owner.map { Unmanaged<Socket>.fromOpaque($0).takeUnretainedValue().handle(edges: what) }
            }, Unmanaged.passUnretained(self).toOpaque())
        guard let event, event_add(event, nil) == 0 else {
            if let event { event_free(event) }
            event = nil
            Glibc.close(descriptor)
            throw .system(call: "event_add", errno: ENOMEM)
        }
        // Unowned is sound: `close()` removes the closure, and an open socket is alive.
        destination.send = { [unowned self] bytes in send(queued: bytes) }
        if loop.cancelsSockets { interruption = .cancelled }
        // Until `close()`, since libevent has a pointer to the socket.
        loop.add(self)
    }

    /// Whether bytes travel under TLS.
    public var isSecure: Bool { session != nil }

    /// Whether `close()` has been called.
    public var isClosed: Bool { event == nil }

    /// How many bytes the kernel, or TLS, has taken from us.
    public var sentCount: Int { sendBuffer.sentCount }

    /// When waiting ends with `IOError.timedOut`; `nil` for never. Setting it is cheap: the timer is moved only for an earlier
    /// time. Has no effect on a closed socket.
    public var deadline: MonotonicTime? {
        get { timeLimit.due }
        set { if let time = timeLimit.set(newValue) { arm(for: time) } }
    }

    /// Suspends until an operation of `interest` may succeed. Returns at once if that has been signalled already and no call has
    /// found the socket exhausted since; also after `wake()`. Throws `timedOut`, `cancelled` or `closed`, and, when nothing is
    /// left to read, the error that sending failed with.
    public func wait(for interest: Interest) async throws(IOError) {
        try checkInterruption()
        guard !readiness.allowsBeforeWait(interest) else { return }
        if let failure = sendBuffer.failure { throw failure }
        checkIsUnused()
        await withUnsafeContinuation { waiter = .task(interest, $0) }
        try checkInterruption()
    }

    /// Calls `action` once, on the loop, when something can be read, the deadline passes, or the socket is cancelled or closed:
    /// for an idle connection, without a task that waits. `unwatch()` removes it.
    public func watch(_ action: @escaping () -> Void) {
        checkIsUnused()
        waiter = .watcher(action)
    }

    /// Removes the action of `watch`.
    public func unwatch() {
        if case .watcher = waiter { waiter = .none }
    }

    private func checkIsUnused() {
        let isUnused = if case .task = waiter { false } else { true }
        precondition(loop.isCurrent && isUnused, "a socket belongs to one task at a time, on its loop's thread")
    }

    /// Whether so many reads and writes were made in this iteration of the loop that the task should continue in the next one:
    /// with a fast peer it would never suspend, and delay all other connections.
    public var hasUsedShare: Bool {
        operations >= Self.operationsPerIteration && operationsIteration == loop.iteration
    }

    func recordOperation() {
        if operationsIteration != loop.iteration {
            operationsIteration = loop.iteration
            operations = 0
        }
        operations &+= 1
    }

    /// Whether the peer may have sent something, or ended, by the signals so far: the kernel is not asked.
    public var maySucceedReading: Bool { readiness.allows(.read) }

    /// Whether the socket is cancelled.
    package var isCancelled: Bool { interruption == .cancelled }

    /// Ends the wait under way without an error, so that the waiting task checks its conditions. Loop thread only.
    public func wake() { resume() }

    /// Ends the wait under way, and every later one, with `IOError.cancelled`. May be called from any thread.
    public func cancel() {
        if loop.isCurrent { cancelOnLoop() } else { loop.execute { self.cancelOnLoop() } }
    }

    private func cancelOnLoop() {
        guard interruption != .closed else { return }
        interruption = .cancelled
        resume()
    }

    /// Runs `body`; if the task is cancelled meanwhile, the wait under way ends with `IOError.cancelled`. To be used once around
    /// a whole exchange instead of around every read, since registering a cancellation handler has a cost. Afterwards a socket
    /// that was not cancelled may be used by another task.
    public func cancellingWithTask<R, Failure: Error>(
        _ body: () async throws(Failure) -> R
    ) async throws(Failure) -> R {
        let scope = finishedScopes
        defer { finishedScopes += 1 }
        let outcome = await withTaskCancellationHandler { () async -> Result<R, Failure> in
            do throws(Failure) { return .success(try await body()) } catch { return .failure(error) }
        } onCancel: {
            loop.execute { if scope == self.finishedScopes { self.cancelOnLoop() } }
        }
        return try outcome.get()
    }

    /// Closes the socket at once. Queued output is handed to the kernel first, as far as it takes it, and what the kernel has
    /// taken is still sent. Further calls do nothing.
    public func close() {
        // First, because sending may fail and call the watcher, which may close this socket.
        if sendBuffer.hasQueued { loop.flush() }
        guard let event else { return }
        precondition(loop.isCurrent, "a socket belongs to its loop's thread")
        sendBuffer.discard()
        destination.send = nil
        self.event = nil
        event_free(event)
        timeLimit.close()
        if let timer { event_free(timer) }
        timer = nil
        session = nil
        Glibc.close(descriptor)
        interruption = .closed
        // The loop may have had the last reference.
        withExtendedLifetime(self) {
            loop.remove(self)
            resume()
        }
    }

    /// Closes the socket at once, and sends nothing more of what is queued: ``sentCount`` is final.
    public func abandon() {
        precondition(loop.isCurrent, "a socket belongs to its loop's thread")
        // The loop's queue drops what has no destination any more.
        destination.send = nil
        sendBuffer.hasQueued = false
        close()
    }

    func checkInterruption() throws(IOError) {
        switch interruption {
        case .none: if timeLimit.hasPassed { throw .timedOut }
        case .cancelled: throw .cancelled
        case .closed: throw .closed
        }
    }

    private func handle(edges: Int16) {
        let edges = CInt(edges)
        var signalled: Interest = []
        if edges & EV_READ != 0 { signalled.insert(.read) }
        if edges & EV_WRITE != 0 { signalled.insert(.write) }
        readiness.signal(signalled, peerHasClosed: edges & EV_CLOSED != 0)
        if sendBuffer.isBehind {
            sendUnsent()
            // TLS may have waited for bytes to read before it could send.
            if !sendBuffer.isBehind, waiter.interest.contains(.write) { return resume() }
        }
        if readiness.allows(waiter.interest) { resume() }
    }

    /// Ends the wait. The waiter is removed before it is called, so that nothing resumes it twice.
    func resume() {
        var resumed = Waiter.none
        swap(&resumed, &waiter)
        switch resumed {
        case .none: break
        case .task(_, let continuation): continuation.resume()
        case .watcher(let action): action()
        }
    }

    private func arm(for time: MonotonicTime) {
        if timer == nil {
            // Unretained: `close()` frees the timer before the socket is released.
            timer = event_new(
                loop.base, -1, 0,
                { _, _, owner in owner.map { Unmanaged<Socket>.fromOpaque($0).takeUnretainedValue().timerFired() } },
                Unmanaged.passUnretained(self).toOpaque())
        }
        var interval = timeval(milliseconds: time.milliseconds - MonotonicTime.now.milliseconds)
        if event_add(timer, &interval) != 0 { timeLimit.armingFailed() }
    }

    private func timerFired() {
        switch timeLimit.fired(at: .now) {
        case .ignore: break
        case .rearm(let time): arm(for: time)
        case .timedOut: resume()
        }
    }
}
