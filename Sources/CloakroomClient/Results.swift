public import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// What `aliases` and `tokens` return.
public struct CreatedAliases: Sendable, Decodable {
    /// One alias.
    public struct Alias: Sendable, Decodable, Equatable {
        /// The field's name in the form.
        public let fieldName: String
        /// What stands for the value.
        public let alias: String
        /// As `FPE_SIX_T_FOUR` (`docs/reference/vault-api.md` section 6).
        public let format: String
        /// `PERSISTENT` or `VOLATILE`.
        public let storage: String
    }

    /// By field name: aliases, and the texts of fields without tokenization. Card numbers and CVCs without it are left out.
    public let data: [String: String]
    /// In form order.
    public let aliases: [Alias]
}

/// What an upstream responded to a `send`.
public struct UpstreamResponse: Sendable {
    /// The upstream's HTTP status.
    public let status: Int
    /// Names in lower case. Only those that the route passes back.
    public let headers: [String: String]
    /// As the upstream sent it, unless the route replaces values in it.
    public let body: Data
    /// `X-Request-Id`: what to name when asking about this call.
    public let requestID: String?

    init(_ data: Data, _ response: HTTPURLResponse) {
        status = response.statusCode
        body = data
        requestID = response.value(forHTTPHeaderField: "X-Request-Id")
        var headers: [String: String] = [:]
        for (name, value) in response.allHeaderFields {
            if let name = name as? String, let value = value as? String { headers[name.lowercased()] = value }
        }
        self.headers = headers
    }

    /// The body as JSON.
    public func json() throws(CloakroomError) -> JSONValue {
        do { return try JSONDecoder().decode(JSONValue.self, from: body) } catch {
            throw CloakroomError(kind: .unreadable)
        }
    }
}

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
