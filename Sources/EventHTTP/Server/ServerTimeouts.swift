/// How long a client may take.
public struct ServerTimeouts: Sendable {
    /// From the first byte of a head to its last; and the TLS handshake. Beyond it 408.
    public var header: Duration
    /// From the end of a head to the last byte of the body; and to take an answer. Beyond it 408.
    public var body: Duration
    /// Between two requests; beyond it the connection is closed without a word. So is a new one on which nothing comes for as long
    /// as this, or as a head may take.
    public var idle: Duration
    /// How long a refused client may go on sending before its connection is cut.
    public var linger: Duration

    public init(
        header: Duration = .seconds(10), body: Duration = .seconds(30), idle: Duration = .seconds(60),
        linger: Duration = .seconds(5)
    ) {
        self.header = header
        self.body = body
        self.idle = idle
        self.linger = linger
    }
}
