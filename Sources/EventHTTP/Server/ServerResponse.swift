public import HTTPWire

/// A response. The server writes `Content-Length` and `Connection`, and `Date` unless it is among the headers.
public struct ServerResponse: ~Copyable, Sendable {
    /// Bodies of up to so many bytes are queued: copied behind their head, and sent at the end of the loop's iteration.
    public static let queuedBytes = 16_384

    /// 200 … 599.
    public var status: Int
    /// Headers that are the same for every response; they come first.
    public var fixed: FieldBlock
    /// Names and values, in the order in which they are sent.
    public var headers: [(String, String)]
    /// The body, as far as it is not streamed.
    public var body: [UInt8]
    /// A body that is still arriving, sent instead of `body`.
    public var incoming: IncomingBody?
    /// Kept alive as long as `body`, whose bytes it counts somewhere, as ``BufferedBytes`` does.
    public var kept: (any AnyObject & Sendable)?
    /// Called once when the response has been sent, completely or not: with the number of bytes of its body that have left, and,
    /// for `incoming`, with the error if its sender failed. A small response has left when it is queued; of a larger one that a
    /// client did not take, the bytes count that it has acknowledged.
    public var onSent: (@Sendable (_ bytes: Int, _ failure: ClientError?) -> Void)?

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

    /// Whether the headers contain the date of the response's origin (RFC 9110 section 6.6.1).
    var hasDate: Bool { headers.contains { $0.0.utf8.count == 4 && $0.0.lowercased() == "date" } }

    /// Sets `Retry-After` (RFC 9110 section 10.2.3).
    mutating func setRetryAfter(_ seconds: Int) {
        headers.removeAll { $0.0.lowercased() == "retry-after" }
        headers.append(("Retry-After", "\(seconds)"))
    }

    /// All headers, the fixed ones first.
    public var allHeaders: [(String, String)] { fixed.fields + headers }
}
