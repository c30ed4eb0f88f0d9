import JSON

/// An error of the token endpoint (RFC 6749 section 5.2).
public struct TokenEndpointError: Error, Equatable, Sendable {
    /// The codes of RFC 6749 section 5.2, and two of section 4.1.2.1.
    public enum Code: String, CaseIterable, Sendable {
        case invalidRequest = "invalid_request"
        case invalidClient = "invalid_client"
        case unauthorizedClient = "unauthorized_client"
        case unsupportedGrantType = "unsupported_grant_type"
        case invalidScope = "invalid_scope"
        /// Of RFC 6749 section 4.1.2.1; section 5.2 has none for what only time mends, and none for faults of the server.
        case temporarilyUnavailable = "temporarily_unavailable"
        case serverError = "server_error"
    }

    /// The member `error`.
    public let code: Code
    /// `error_description`: for the developer of the client, without any value of the request.
    public let text: String

    /// An error with the text of `error_description`.
    public init(_ code: Code, _ text: String) {
        self.code = code
        self.text = text
    }

    /// The status of the response: that of RFC 6749 section 5.2, and for the codes that it does not have the one that a caller takes for
    /// them. Where a limit refuses, 429 takes the place of 503.
    public var status: Int {
        switch code {
        case .invalidClient: 401
        case .temporarilyUnavailable: 503
        case .serverError: 500
        case .invalidRequest, .unauthorizedClient, .unsupportedGrantType, .invalidScope: 400
        }
    }

    /// `WWW-Authenticate`, which every 401 has (RFC 9110 section 15.5.2).
    public var challenge: String? { code == .invalidClient ? "Basic realm=\"cloakroom\"" : nil }

    /// The body, `application/json`.
    public var body: [UInt8] {
        var json = JSONWriter()
        json.beginObject()
        json.key("error")
        json.string(code.rawValue)
        json.key("error_description")
        json.string(text)
        json.endObject()
        return json.bytes
    }
}

/// The response with an access token (RFC 6749 section 5.1), to be sent with `Cache-Control: no-store`.
public enum TokenResponse {
    /// The body, `application/json`.
    ///
    /// - Parameters:
    ///   - token: the signed session.
    ///   - claims: its claims, from which the lifetime and the scopes are taken.
    public static func body(token: String, claims: SessionClaims) -> [UInt8] {
        var json = JSONWriter()
        json.beginObject()
        json.key("access_token")
        json.string(token)
        json.key("token_type")
        json.string("Bearer")
        json.key("expires_in")
        json.number(Int(claims.expiresAt - claims.issuedAt))
        json.key("scope")
        json.string(claims.scopes.text)
        json.endObject()
        return json.bytes
    }
}
