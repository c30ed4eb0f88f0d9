/// The properties of a request that its response depends on.
public struct ResponseContext: Sendable {
    /// The version of the request.
    public var version: HTTPVersion
    /// Whether the request was HEAD, whose response ends with its head (RFC 9110 section 9.3.2).
    public var isHead: Bool
    /// Whether the connection stays open after the response.
    public var keepAlive: Bool

    /// What a request says about its response.
    public init(version: HTTPVersion, isHead: Bool, keepAlive: Bool) {
        self.version = version
        self.isHead = isHead
        self.keepAlive = keepAlive
    }

    /// For the response to `head`. Set ``keepAlive`` to false if the server is about to close.
    public init(_ head: RequestHead) {
        self.init(version: head.version, isHead: head.method == .head, keepAlive: head.keepAlive)
    }

    /// For the response to a request that could not be parsed: the connection is closed after it.
    ///
    /// - Parameter isHead: whether its method was HEAD all the same.
    public static func unreadable(isHead: Bool) -> ResponseContext {
        ResponseContext(version: .http11, isHead: isHead, keepAlive: false)
    }
}
