public import HTTPWire

/// A request to an upstream.
public struct ClientRequest: Sendable {
    /// The method.
    public var method: Method
    /// Path and query, percent-encoded.
    public var target: String
    /// Headers that are the same for every request; they come first.
    public var fixed: FieldBlock
    /// Other headers. The client itself writes `Host`, `Content-Length` and `Connection`.
    public var headers: [(String, String)]
    /// The body; empty for none.
    public var body: [UInt8]
    /// Whether cancelling the task ends the exchange. A cancellation handler has a cost, and the handlers of a server are never
    /// cancelled.
    public var endsWithTask = true
    /// For a request that must not reach the upstream twice; nil if it may be repeated as its method allows.
    public var singleSend: SingleSend?
    /// Whose share of the origin's connections it uses; nil for requests of the gateway itself.
    public var caller: PoolCaller?

    /// A request without a caller, which may be repeated as its method allows.
    public init(
        method: Method, target: String, fixed: FieldBlock = .none, headers: [(String, String)] = [], body: [UInt8] = []
    ) {
        self.method = method
        self.target = target
        self.fixed = fixed
        self.headers = headers
        self.body = body
    }

    /// Whether sending it twice has the effect of sending it once (RFC 9110 section 9.2.2). Only the methods that routes offer.
    var isIdempotent: Bool {
        switch method {
        case _ where singleSend != nil: false
        case .get, .put, .delete: true
        default: false
        }
    }
}
