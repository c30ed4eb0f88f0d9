public import HTTPWire

/// A request that never reaches the handler, for which the server's owner chooses the answer. The connection is closed after
/// it: no byte behind a refused request is taken for another one (RFC 9112 section 9.6).
public struct Refusal: Error, Sendable {
    /// 400, 408, 413, 414, 417, 431, 500, 501, 503 or 505.
    public let status: Int
    /// A fixed sentence that quotes nothing of the request.
    public let reason: String
    /// The head, if it was read before the request failed.
    public let head: RequestHead?
    /// What has come of the head, if it could not be read.
    public let unread: UnreadHead?

    init(status: Int, reason: String, head: RequestHead? = nil, unread: UnreadHead? = nil) {
        self.status = status
        self.reason = reason
        self.head = head
        self.unread = unread
    }

    init(_ error: WireError, head: RequestHead? = nil, unread: UnreadHead? = nil) {
        self.init(status: error.status, reason: error.reason, head: head, unread: unread)
    }
}

/// Why a connection's service ends before its client would end it. Boxed: it travels through every read.
indirect enum ConnectionEnd: Error {
    /// There is nobody to answer.
    case gone
    /// An answer is due, then the connection is closed.
    case refused(Refusal)
}
