import CLibevent
import Glibc

/// A connected TCP socket on its loop, plain or with TLS over it.
///
/// Reading and writing never block and never suspend: `receive` and `send` say `.wait` when the socket has nothing more to
/// give or to take, and `wait(for:)` suspends until it has. So a caller may read into a buffer shared by all streams of a
/// loop: no suspension lies between the read and its use.
///
/// The socket is registered once, for edges of reading and writing (`EPOLLET`), and never again: a request costs no
/// `epoll_ctl`. Edges tell when something changed, so `ready` remembers them until a call finds the socket exhausted.
///
/// `@unchecked Sendable` is sound because the whole state belongs to the loop's thread: libevent calls back there, and the
/// task that uses the stream runs there (checked in `wait(for:)`). `cancel()` alone may come from elsewhere, and it hops.
///
/// An open stream keeps itself alive, since libevent points to it: whoever has one must `close()` it.
public final class Stream: @unchecked Sendable {
    /// The loop that the stream lives on.
    public let loop: EventLoop
    /// The other end.
    public let remoteAddress: SocketAddress

    let descriptor: CInt
    var session: TLSSession?
    var ready: Interest = []
    private(set) var peerHasClosed = false
    /// A short read was taken to have emptied the socket. A reset that came along with those bytes gives no further edge, and
    /// libevent tells it as mere readiness: so before anybody waits for bytes, another read must have found none, or a write
    /// must have succeeded.
    var isEmptyByInference = false
    /// Whether the loop's outbox holds something for the peer.
    var isPosted = false
    /// What was posted, was to be sent since, and the kernel has not taken. Unchecked: it is taken out before others are called.
    @exclusivity(unchecked) var unsent: [UInt8] = []
    /// Why nothing more can be sent. What the peer sent before can still be read.
    var sendFailure: IOError?
    /// How many bytes the kernel, or TLS, has taken from us.
    public internal(set) var sentCount = 0
    private var halt = Halt.none
    /// Counts the calls of `cancellingWithTask`, so that a late cancellation does not hit the stream's next user.
    private var turn = 0
    private var awaited: Interest = []
    private var waiter: UnsafeContinuation<Void, Never>?
    private var watcher: (() -> Void)?
    private var event: OpaquePointer?
    private var due: MonotonicTime?
    private var timer: OpaquePointer?
    private var timerDue = MonotonicTime(milliseconds: .max)

    private enum Halt { case none, timedOut, cancelled, closed }

    /// Takes over a connected, or connecting, non-blocking socket; closes it if it cannot be registered.
    init(descriptor: CInt, remoteAddress: SocketAddress, loop: EventLoop) throws(IOError) {
        self.loop = loop
        self.descriptor = descriptor
        self.remoteAddress = remoteAddress
        event = event_new(
            loop.base, descriptor,
            Int16(EV_READ | EV_WRITE | EV_CLOSED | EV_PERSIST) | Int16(bitPattern: UInt16(EV_ET)),
            { _, what, owner in
                owner.map { Unmanaged<Stream>.fromOpaque($0).takeUnretainedValue().handle(edges: what) }
            }, Unmanaged.passUnretained(self).toOpaque())
        guard let event, event_add(event, nil) == 0 else {
            if let event { event_free(event) }
            event = nil
            Glibc.close(descriptor)
            throw .system(call: "event_add", errno: ENOMEM)
        }
        // Balanced in `close()`: until then libevent holds a pointer to the stream.
        _ = Unmanaged.passRetained(self)
        loop.openStreams += 1
    }

    /// Whether bytes travel under TLS.
    public var isSecure: Bool { session != nil }

    /// Whether `close()` has been called.
    public var isClosed: Bool { event == nil }

    /// When waiting ends with `IOError.timedOut`; `nil` for never. Setting it is cheap: the timer is moved only when the new
    /// moment is earlier, and otherwise when it fires.
    public var deadline: MonotonicTime? {
        get { due }
        set {
            due = newValue
            if halt == .timedOut { halt = .none }
            if let newValue, newValue < timerDue { arm(for: newValue) }
        }
    }

    /// Suspends until one of `interest` may succeed. Returns at once if that has been signalled already and no call has found
    /// the socket exhausted for certain since; also after `wake()`. Throws `timedOut`, `cancelled` or `closed`, and, when there is
    /// nothing left to read, why nothing could be sent.
    public func wait(for interest: Interest) async throws(IOError) {
        try checkHalt()
        if isEmptyByInference, interest.contains(.read) {
            isEmptyByInference = false
            ready.insert(.read)
        }
        guard ready.isDisjoint(with: interest) else { return }
        if let sendFailure { throw sendFailure }
        precondition(loop.isCurrent && waiter == nil, "a stream belongs to one task at a time, on its loop's thread")
        await withUnsafeContinuation { continuation in
            awaited = interest
            waiter = continuation
        }
        try checkHalt()
    }

    /// Calls `action` once, on the loop, when something can be read, the deadline passes, or the stream is cancelled or closed:
    /// for a connection that lies idle, without a task that waits. `unwatch()` takes it back.
    public func watch(_ action: @escaping () -> Void) {
        precondition(loop.isCurrent && waiter == nil, "a stream belongs to one task at a time, on its loop's thread")
        awaited = .read
        watcher = action
    }

    /// Takes `watch` back.
    public func unwatch() {
        watcher = nil
        awaited = []
    }

    /// Whether the peer has sent something, or ended, as far as one can tell without asking the kernel.
    public var maySucceedReading: Bool { ready.contains(.read) }

    /// Ends the wait under way without an error, so that the waiting task looks around. Loop thread only.
    public func wake() { resume() }

    /// Ends the wait under way, and every later one, with `IOError.cancelled`. May be called from any thread.
    public func cancel() {
        if loop.isCurrent { cancelHere() } else { loop.execute { self.cancelHere() } }
    }

    /// Closes the socket at once. What was posted is handed to the kernel first, as far as it takes it, and what the kernel has
    /// accepted is still sent. Further calls do nothing.
    public func close() {
        // Before anything else: a stream that finds its peer gone calls whoever watches it, who may close it.
        if isPosted { loop.deliver() }
        guard let event else { return }
        precondition(loop.isCurrent, "a stream belongs to its loop's thread")
        wipe(&unsent, first: unsent.count)
        unsent = []
        self.event = nil
        event_free(event)
        if let timer { event_free(timer) }
        timer = nil
        session = nil
        Glibc.close(descriptor)
        halt = .closed
        loop.openStreams -= 1
        resume()
        Unmanaged.passUnretained(self).release()
    }

    func checkHalt() throws(IOError) {
        switch halt {
        case .none: return
        case .timedOut: throw .timedOut
        case .cancelled: throw .cancelled
        case .closed: throw .closed
        }
    }

    func beginTurn() -> Int { turn }

    func endTurn() { turn += 1 }

    /// Cancels, if `ended` is still under way.
    func cancel(turn ended: Int) {
        loop.execute { if ended == self.turn { self.cancelHere() } }
    }

    private func cancelHere() {
        guard halt != .closed else { return }
        halt = .cancelled
        resume()
    }

    private func handle(edges: Int16) {
        let edges = CInt(edges)
        if edges & EV_CLOSED != 0 { peerHasClosed = true }
        if edges & (EV_READ | EV_CLOSED) != 0 { ready.insert(.read) }
        if edges & EV_WRITE != 0 { ready.insert(.write) }
        if !unsent.isEmpty {
            sendUnsent()
            // TLS may have waited for bytes to come before it could send.
            if unsent.isEmpty, awaited.contains(.write) { return resume() }
        }
        if !ready.isDisjoint(with: awaited) { resume() }
    }

    /// The continuation is taken before it is resumed, so that nothing resumes it twice.
    func resume() {
        awaited = []
        waiter.take()?.resume()
        watcher.take()?()
    }

    private func arm(for moment: MonotonicTime) {
        if timer == nil {
            // Unretained: `close()` frees the timer before the stream can go.
            timer = event_new(
                loop.base, -1, 0,
                { _, _, owner in owner.map { Unmanaged<Stream>.fromOpaque($0).takeUnretainedValue().timerFired() } },
                Unmanaged.passUnretained(self).toOpaque())
        }
        var interval = timeval(milliseconds: moment.milliseconds - MonotonicTime.now.milliseconds)
        if event_add(timer, &interval) == 0 { timerDue = moment }
    }

    private func timerFired() {
        timerDue = MonotonicTime(milliseconds: .max)
        guard let due else { return }
        if MonotonicTime.now < due { return arm(for: due) }
        if halt == .none { halt = .timedOut }
        resume()
    }
}
