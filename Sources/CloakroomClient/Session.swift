/// What a session is asked for with (`docs/reference/access.md` section 2). Everything but the form may be left out.
public struct SessionRequest: Sendable, Encodable {
    /// The only form that the session is for.
    public var form: String
    /// Some of `validate`, `aliases`, `tokens`, `send`; nil: all of the form.
    public var operations: [String]?
    /// As `15m`; at most 24 hours.
    public var ttl: String?
    /// How many requests it is good for; nil: any number.
    public var maxRequests: Int?
    /// The page's origin, which the browser must then send.
    public var origin: String?
    /// Paths that a `send` may go to.
    public var paths: [String]?

    /// Everything but the form has a default: see the properties.
    public init(
        form: String, operations: [String]? = nil, ttl: String? = nil, maxRequests: Int? = nil, origin: String? = nil,
        paths: [String]? = nil
    ) {
        self.form = form
        self.operations = operations
        self.ttl = ttl
        self.maxRequests = maxRequests
        self.origin = origin
        self.paths = paths
    }
}

/// A session: what a browser or an app holds instead of a credential.
public struct Session: Sendable, Decodable {
    /// The token, for ``Cloakroom/Credential/bearer(_:)``.
    public let session: String
    /// RFC 3339, UTC.
    public let expiresAt: String
    /// The only form that it is for.
    public let form: String
    /// What it may be used for; see ``SessionRequest/operations``.
    public let operations: [String]
}
