import CLibevent
import Glibc

/// A listening TCP socket. Any number of loops may listen on one address, each with a socket of its own: the kernel distributes
/// the connections among them (`SO_REUSEPORT`).
///
/// `@unchecked Sendable` is sound because `start()` and `stop()` are checked to be on the loop's thread, where libevent
/// calls back too; the rest is constant.
public final class Listener: @unchecked Sendable {
    /// Where it listens, with the port that the system chose if 0 was requested.
    public let localAddress: SocketAddress

    private let loop: EventLoop
    private let descriptor: CInt
    private let accept: (Socket) -> Void
    private var event: OpaquePointer?
    private var resumption: Timer?
    private var isClosed = false
    /// When connections were last accepted and others were left in the kernel's queue; nil if none were.
    private var leftOthers: MonotonicTime?

    /// Connections accepted in a row before the loop polls its other sockets.
    private static let batch = 64
    /// One more batch is accepted for each such time that the loop has let new connections wait, or they would wait for as long as an
    /// overloaded loop has others to read from: 64 in 4 ms are 16,000 a second.
    private static let millisecondsOfWaitABatch: Int64 = 4
    /// Connections that the kernel queues.
    private static let backlog = 4096
    private static let mostBatches = backlog / batch + 1

    /// Binds and listens; nothing is accepted before `start()`. `accept` is called on the loop with each connection.
    /// Throws `IOError.system` when the address is in use, not an address of this machine, or not permitted.
    public init(on loop: EventLoop, address: SocketAddress, accept: @escaping (Socket) -> Void) throws(IOError) {
        let socket = try boundSocket(address, sharingPort: true)
        guard listen(socket, CInt(Self.backlog)) == 0,
            let bound = SocketAddress(filledBy: { getsockname(socket, $0, $1) })
        else {
            let number = errno
            close(socket)
            throw .system(call: "listen", errno: number)
        }
        self.loop = loop
        self.accept = accept
        descriptor = socket
        localAddress = bound
    }

    deinit {
        if let event { event_free(event) }
        if !isClosed { close(descriptor) }
    }

    /// Throws `IOError.system` if another socket listens on `address` already. `SO_REUSEPORT` would let a second process of the
    /// same user share it silently, which is usually a mistake.
    public static func checkIsFree(_ address: SocketAddress) throws(IOError) {
        let socket = try boundSocket(address, sharingPort: false)
        close(socket)
    }

    /// Begins to accept.
    public func start() {
        precondition(loop.isCurrent, "a listener belongs to its loop's thread")
        guard event == nil, !isClosed else { return }
        // Unretained: `stop()` and `deinit` free the event first.
        event = event_new(
            loop.base, descriptor, Int16(EV_READ | EV_PERSIST),
            { _, _, owner in
                if let owner { Unmanaged<Listener>.fromOpaque(owner).takeUnretainedValue().acceptDue() }
            },
            Unmanaged.passUnretained(self).toOpaque())
        event_add(event, nil)
    }

    /// Accepts the connections that the kernel has queued, which would be reset otherwise, and closes.
    public func stop() {
        precondition(loop.isCurrent, "a listener belongs to its loop's thread")
        guard !isClosed else { return }
        // Bounded by the length of the kernel's queue: new connections may arrive as fast as they are accepted.
        if event != nil { acceptBatches(Self.mostBatches) }
        isClosed = true
        if let event { event_free(event) }
        event = nil
        resumption = nil
        close(descriptor)
    }

    /// Accepts a batch, and more for the time that connections have been left waiting.
    private func acceptDue() {
        let now = MonotonicTime.now
        let waited = leftOthers.map { now.milliseconds - $0.milliseconds } ?? 0
        let count = min(1 + waited / Self.millisecondsOfWaitABatch, Int64(Self.mostBatches))
        leftOthers = acceptBatches(Int(count)) ? now : nil
    }

    /// Returns whether there may be more.
    @discardableResult
    private func acceptBatches(_ count: Int) -> Bool {
        for _ in 0..<count where !acceptBatch() { return false }
        return true
    }

    /// Returns whether there may be more.
    private func acceptBatch() -> Bool {
        for _ in 0..<Self.batch {
            var socket: CInt = -1
            let remote = SocketAddress(filledBy: { address, length in
                socket = cloakroom_accept(descriptor, address, length)
                return socket
            })
            guard socket >= 0 else {
                switch errno {
                case ECONNABORTED, EINTR, EPROTO, EPERM: continue
                case EMFILE, ENFILE, ENOBUFS, ENOMEM:
                    pause()
                    return false
                default: return false
                }
            }
            guard let remote else {
                close(socket)
                continue
            }
            cloakroom_set_option(socket, CInt(IPPROTO_TCP), TCP_NODELAY, 1)
            if let accepted = try? Socket(descriptor: socket, remoteAddress: remote, loop: loop) { accept(accepted) }
        }
        return true
    }

    /// Out of descriptors or memory: the connection stays in the kernel's queue and would be reported again at once. Stops
    /// accepting for 100 ms instead.
    private func pause() {
        guard let event, resumption == nil else { return }
        event_del(event)
        let timer = Timer(on: loop) { [weak self] in
            guard let self else { return }
            resumption = nil
            event_add(event, nil)
        }
        resumption = timer
        timer.schedule(after: .milliseconds(100))
    }
}

private func boundSocket(_ address: SocketAddress, sharingPort: Bool) throws(IOError) -> CInt {
    let socket = cloakroom_stream_socket(address.family)
    guard socket >= 0 else { throw .system(call: "socket", errno: errno) }
    cloakroom_set_option(socket, SOL_SOCKET, SO_REUSEADDR, 1)
    if sharingPort { cloakroom_set_option(socket, SOL_SOCKET, SO_REUSEPORT, 1) }
    if address.family == AF_INET6 { cloakroom_set_option(socket, CInt(IPPROTO_IPV6), IPV6_V6ONLY, 1) }
    guard address.withSockaddr({ bind(socket, $0, $1) }) == 0 else {
        let number = errno
        close(socket)
        throw .system(call: "bind", errno: number)
    }
    return socket
}
