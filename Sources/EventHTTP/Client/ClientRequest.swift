public import HTTPWire

/// A request to an upstream.
public struct ClientRequest: Sendable {
    public var method: Method
    /// Path and query, percent-encoded.
    public var target: String
    /// Headers that are the same every time; they come first.
    public var fixed: FieldBlock
    /// `Host`, `Content-Length` and `Connection` are the client's business.
    public var headers: [(String, String)]
    public var body: [UInt8]
    /// Whether the exchange ends when its task is cancelled. Watching for it is not free, and handlers of a server are never
    /// cancelled.
    public var endsWithTask = true
    /// For a request that must not reach the upstream twice; nil if it may be repeated as its method allows.
    public var singleSend: SingleSend?

    public init(
        method: Method, target: String, fixed: FieldBlock = .none, headers: [(String, String)] = [], body: [UInt8] = []
    ) {
        self.method = method
        self.target = target
        self.fixed = fixed
        self.headers = headers
        self.body = body
    }

    /// Whether sending it twice does no more than sending it once (RFC 9110 section 9.2.2). Only the methods that routes offer.
    var isIdempotent: Bool {
        switch method {
        case _ where singleSend != nil: false
        case .get, .put, .delete: true
        default: false
        }
    }
}
