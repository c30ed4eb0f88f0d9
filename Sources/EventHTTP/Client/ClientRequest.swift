public import HTTPWire

/// A request to an upstream.
public struct ClientRequest: Sendable {
    public var method: Method
    /// Path and query, percent-encoded.
    public var target: String
    /// `Host`, `Content-Length` and `Connection` are the client's business.
    public var headers: [(String, String)]
    public var body: [UInt8]

    public init(method: Method, target: String, headers: [(String, String)] = [], body: [UInt8] = []) {
        self.method = method
        self.target = target
        self.headers = headers
        self.body = body
    }

    /// Whether sending it twice does no more than sending it once (RFC 9110 section 9.2.2). Only the methods that routes offer.
    var isIdempotent: Bool {
        switch method {
        case .get, .put, .delete: true
        default: false
        }
    }
}
