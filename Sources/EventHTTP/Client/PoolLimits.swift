/// How many connections one loop has to one origin.
public struct PoolLimits: Hashable, Sendable {
    /// The most that are in use at a time.
    public var active: Int
    /// The most that are kept for later.
    public var idle: Int
    /// The most requests that wait for a connection when all are in use; beyond them ``ClientError/overloaded``.
    public var queue: Int
    /// How long a connection is kept without use. Shorter than what servers usually allow, so that they seldom close first.
    public var idleTimeout: Duration

    public init(active: Int = 1024, idle: Int = 256, queue: Int = 1024, idleTimeout: Duration = .seconds(30)) {
        self.active = max(1, active)
        self.idle = max(0, idle)
        self.queue = max(0, queue)
        self.idleTimeout = idleTimeout
    }
}
