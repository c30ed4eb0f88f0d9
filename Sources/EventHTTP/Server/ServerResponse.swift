public import HTTPWire

/// An answer. `Content-Length` and `Connection` are the server's business, and `Date` is unless it is among the headers.
public struct ServerResponse: ~Copyable, Sendable {
    /// 200 … 599.
    public var status: Int
    /// Headers that are the same every time; they come first.
    public var fixed: FieldBlock
    /// Names and values, in the order in which they are sent.
    public var headers: [(String, String)]
    public var body: [UInt8]
    /// A body that is still arriving, in place of `body`.
    public var incoming: IncomingBody?
    /// Kept for as long as `body` is: it may have been counted elsewhere.
    public var held: HeldBytes?
    /// Called once when `incoming` has been passed on, to its end or not: with the bytes of it that the client's connection has
    /// taken, piece by piece, and with why no more came, if its sender failed. Not called without `incoming`.
    public var whenPassed: (@Sendable (_ bytes: Int, _ failure: ClientError?) -> Void)?

    public init(
        status: Int, fixed: FieldBlock = .none, headers: [(String, String)] = [], body: [UInt8] = [],
        incoming: IncomingBody? = nil
    ) {
        self.status = status
        self.fixed = fixed
        self.headers = headers
        self.body = body
        self.incoming = incoming
    }

    /// Whether it was made elsewhere and says when (RFC 9110 section 6.6.1).
    var hasDate: Bool { headers.contains { $0.0.utf8.count == 4 && $0.0.lowercased() == "date" } }

    /// All headers, the fixed ones first.
    public var allHeaders: [(String, String)] { fixed.fields + headers }
}
