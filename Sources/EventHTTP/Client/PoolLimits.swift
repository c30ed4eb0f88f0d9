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
