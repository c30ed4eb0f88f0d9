public import HTTPWire

/// How much a client may send, and how many clients there may be.
public struct ServerLimits: Sendable {
    /// Sizes of request line and headers; beyond them 414 and 431.
    public var head: HeadLimits
    /// The maximum size of a body in bytes; beyond it 413.
    public var bodyBytes: Int
    /// The bytes of large bodies that one loop buffers; beyond it bodies that are not complete are rejected with 503, of the address that has
    /// most.
    public var bufferedBytes: Int
    /// The memory for requests that are not complete, without large bodies, on one loop; beyond it the oldest of the address that has most are
    /// rejected with 503.
    public var unfinishedBytes: Int
    /// The maximum number of connections, over all loops; beyond it 503.
    public var connections: Int

    /// - Parameter bufferedBytes: nil for 64 MiB, or four times `bodyBytes` if that is more.
    public init(
        head: HeadLimits = HeadLimits(), bodyBytes: Int = 1 << 20, bufferedBytes: Int? = nil,
        unfinishedBytes: Int = 32 << 20, connections: Int = 10_000
    ) {
        self.unfinishedBytes = max(unfinishedBytes, 0)
        self.head = head
        self.bodyBytes = max(0, bodyBytes)
        self.bufferedBytes = bufferedBytes ?? max(64 << 20, min(self.bodyBytes, .max / 4) * 4)
        self.connections = max(1, connections)
    }
}

/// How long a client may take.
public struct ServerTimeouts: Sendable {
    /// From the first byte of a head to its last; and the TLS handshake. Beyond it 408.
    public var header: Duration
    /// From the end of a head to the last byte of the body, beyond it 408. Also the period in which a client must take a minimum of
    /// a response (16 KiB, or all of it).
    public var body: Duration
    /// Between two requests; beyond it the connection is closed without a response. A new connection is closed after the shorter
    /// of this and `header` if nothing comes.
    public var idle: Duration
    /// How long a rejected client may go on sending before its connection is closed.
    public var linger: Duration
    /// How long a request may wait before it is handled; one that has waited longer, or would, gets 503 with `Retry-After`.
    /// `nil` for no limit. Time that a handler spends with an upstream is not part of it.
    public var maxWait: Duration?

    public init(
        header: Duration = .seconds(10), body: Duration = .seconds(30), idle: Duration = .seconds(60),
        linger: Duration = .seconds(5), maxWait: Duration? = nil
    ) {
        self.maxWait = maxWait
        self.header = header
        self.body = body
        self.idle = idle
        self.linger = linger
    }
}
