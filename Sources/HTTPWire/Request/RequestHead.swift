/// The head of a request that has passed every check: request line, headers, and what follows from them.
///
/// A class, so that passing it on retains one reference and not all that it contains.
public final class RequestHead: Sendable {
    /// The method.
    public let method: Method
    /// What is asked for.
    public let target: RequestTarget
    /// The version that the client speaks.
    public let version: HTTPVersion
    /// The header lines, in their order.
    public let headers: Headers
    /// How the body ends; never ``BodyFraming/untilClose``.
    public let framing: BodyFraming
    /// Whether the client keeps the connection open after this exchange (RFC 9112 section 9.3).
    public let keepAlive: Bool
    /// Whether the client waits for `100 Continue` before it sends the body (RFC 9110 section 10.1.1).
    public let expectsContinue: Bool
    /// The size of the head in the buffer, with the empty lines before it.
    public let byteCount: Int

    init(
        method: Method, target: RequestTarget, version: HTTPVersion, headers: Headers, framing: BodyFraming,
        keepAlive: Bool, expectsContinue: Bool, byteCount: Int
    ) {
        self.method = method
        self.target = target
        self.version = version
        self.headers = headers
        self.framing = framing
        self.keepAlive = keepAlive
        self.expectsContinue = expectsContinue
        self.byteCount = byteCount
    }

    /// The target's path, still percent-encoded.
    public var path: String { target.path }

    /// The value of the first line of a known name. Unlike through `headers`, nothing is retained.
    public subscript(_ name: KnownField) -> String? { headers[name] }

    /// The value of the first line named `name`. Unlike through `headers`, nothing is retained.
    public subscript(_ name: String) -> String? { headers[name] }

    /// The values of all lines named `name`, in order.
    public func all(_ name: String) -> [String] { headers.all(name) }

    /// Whether there is a line named `name`.
    public func contains(_ name: String) -> Bool { headers.contains(name) }

    /// Whether there are several lines of a known name.
    public func isRepeated(_ name: KnownField) -> Bool { headers.isRepeated(name) }

    /// The requested host and port: those of an absolute target, otherwise the Host header
    /// (RFC 9112 section 3.2.2). `nil` only in HTTP/1.0.
    public var host: String? { target.authority ?? headers[.host] }
}
