internal import EventIO
public import HTTPWire

/// How much an upstream may send.
public struct ClientLimits: Sendable {
    /// Sizes of status line and headers.
    public var head: HeadLimits
    /// The maximum size of a body in bytes.
    public var bodyBytes: Int
    /// The bytes of unfinished bodies of unknown length that one loop buffers, so that an error in them can still be reported.
    /// Beyond it such bodies are streamed.
    public var bufferedBytes: Int

    /// The bytes of bodies that are needed completely, unfinished or in use, that one loop buffers; beyond it such a response
    /// fails with ``ClientError/responseTooLarge``.
    public var completeBytes: Int

    /// - Parameter completeBytes: nil for 64 MiB, or four times `bodyBytes` if that is more.
    public init(
        head: HeadLimits = HeadLimits(), bodyBytes: Int = 16 << 20, bufferedBytes: Int = 32 << 20,
        completeBytes: Int? = nil
    ) {
        self.completeBytes = completeBytes ?? max(64 << 20, min(max(0, bodyBytes), .max / 4) * 4)
        self.head = head
        self.bufferedBytes = max(0, bufferedBytes)
        self.bodyBytes = max(0, bodyBytes)
    }
}

/// How many connections one loop has to one origin. Callers share them: see ``PoolShares``.
public struct PoolLimits: Hashable, Sendable {
    /// The maximum number of connections in use.
    public var active: Int
    /// The maximum number of idle connections.
    public var idle: Int
    /// The maximum number of requests that wait for a connection when all are in use; beyond it ``ClientError/overloaded``.
    public var queue: Int
    /// How long an idle connection is kept. Shorter than what servers usually allow, so that they rarely close first.
    public var idleTimeout: Duration

    /// At least one connection may be in use. With a `queue` of 0 no request waits.
    public init(active: Int = 1024, idle: Int = 256, queue: Int = 1024, idleTimeout: Duration = .seconds(30)) {
        self.active = max(1, active)
        self.idle = max(0, idle)
        self.queue = max(0, queue)
        self.idleTimeout = idleTimeout
    }
}

/// How long an upstream may take (`docs/reference/proxy.md` section 1, `timeouts`).
public struct ClientTimeouts: Sendable {
    // In milliseconds, converted once and not for every request.
    let connect: Int64
    let response: Int64?
    let exchange: Int64
    /// How long a body of unknown length may take before it is streamed, so that an error in its beginning can still be reported; an
    /// event stream (HTML, section 9.2) is streamed at once. Nil: such a body is buffered as long as there is room.
    public var buffering: Duration?

    /// - Parameters:
    ///   - connect: to get a connection: waiting for the pool, the name look-up, TCP and, for https, the TLS handshake.
    ///   - response: from the start of sending to the first byte of the response; `nil`: the time of the whole exchange.
    ///   - exchange: the whole exchange, connecting included.
    public init(connect: Duration = .seconds(10), response: Duration? = nil, exchange: Duration = .seconds(60)) {
        self.connect = connect.wholeMilliseconds
        self.response = response?.wholeMilliseconds
        self.exchange = exchange.wholeMilliseconds
    }
}
