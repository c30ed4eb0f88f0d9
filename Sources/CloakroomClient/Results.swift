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
    /// As the upstream sent it, unless the route replaces values in it. On Linux that of a redirect (301, 302, …) is empty:
    /// FoundationNetworking drops it.
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
