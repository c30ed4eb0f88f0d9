import EventIO
import HTTPWire

/// What the connections of one loop share.
///
/// `@unchecked Sendable` is sound because its mutable state belongs to the loop's thread: listeners call back there and the
/// connections' tasks run there.
final class ServerLoop: @unchecked Sendable {
    let loop: EventLoop
    let handler: Server.Handler
    let refuse: Server.Refuser
    let limits: ServerLimits
    let headerTimeout: Int64
    let bodyTimeout: Int64
    let idleTimeout: Int64
    let linger: Duration

    /// All reads of the loop go through this one. Unchecked, as `output`: both are taken out while they are used, or copied from.
    @exclusivity(unchecked) var buffer = [UInt8](repeating: 0, count: 65_536)
    /// Small answers are written into this one; nothing suspends before they are posted and wiped.
    @exclusivity(unchecked) var output: [UInt8] = []
    var date = HTTPDate()
    /// Bytes of large bodies that are held on this loop, unfinished or being answered.
    var heldBytes = 0
    private(set) var isDraining = false
    private let server: Server.Shared
    private var listeners: [Listener] = []
    private var connections: [ObjectIdentifier: ServerConnection] = [:]

    init(
        _ loop: EventLoop, _ server: Server.Shared, limits: ServerLimits, timeouts: ServerTimeouts,
        answerer: Server.Answerer
    ) {
        self.loop = loop
        self.server = server
        handler = answerer.handler
        refuse = answerer.refuse
        self.limits = limits
        headerTimeout = timeouts.header.wholeMilliseconds
        bodyTimeout = timeouts.body.wholeMilliseconds
        idleTimeout = timeouts.idle.wholeMilliseconds
        linger = timeouts.linger
    }

    /// What new connections speak; `nil` for no TLS.
    var secureContext: TLSServerContext? { server.secureContext }

    func noteFailedHandshake() { server.noteFailedHandshake() }

    func timeout(of phase: RequestReader.Phase) -> Int64 {
        switch phase {
        case .idle: idleTimeout
        case .head: headerTimeout
        case .body: bodyTimeout
        }
    }

    /// Binds a socket of this loop; answers where. The listener keeps the loop's part of the server alive until `drain`.
    func bind(_ address: SocketAddress) throws(IOError) -> SocketAddress {
        let listener = try Listener(on: loop, address: address) { self.admit($0) }
        listeners.append(listener)
        return listener.localAddress
    }

    /// Gives up what has been bound, before `start`.
    func unbind() { listeners = [] }

    func start() {
        for listener in listeners { listener.start() }
    }

    /// Stops accepting, lets requests under way finish, and closes what is left at `deadline`.
    func drain(until deadline: MonotonicTime) async {
        for listener in listeners { listener.stop() }
        listeners = []
        isDraining = true
        for connection in connections.values { connection.stream.wake() }
        while !connections.isEmpty, MonotonicTime.now < deadline { await loop.sleep(for: .milliseconds(5)) }
        for connection in connections.values { connection.stream.cancel() }
    }

    private func admit(_ stream: EventIO.Stream) {
        let admission = server.admit()
        guard admission != .ignored else { return stream.close() }
        let connection = ServerConnection(stream, home: self)
        connections[ObjectIdentifier(connection)] = connection
        Task(executorPreference: loop) { [self] in
            if admission == .admitted { await connection.serve() } else { await connection.turnAway() }
            leave(connection)
        }
    }

    private func leave(_ connection: ServerConnection) {
        connection.release()
        connections[ObjectIdentifier(connection)] = nil
        server.leave()
    }
}
