/// A claim of a token of an identity provider that has one type here. Raw values are its names (RFC 7519 section 4.1).
public enum TokenClaim: String, Sendable {
    case subject = "sub"
    case id = "jti"
    case audience = "aud"
    case expiry = "exp"
    case notBefore = "nbf"
    case issuedAt = "iat"

    /// What it must be, as a refusal tells it.
    public var rule: String {
        switch self {
        case .subject, .id: "a text of at most \(SessionClaims.Limit.text) bytes"
        case .audience: "a text or an array of texts"
        case .expiry, .notBefore, .issuedAt:
            "a number of seconds since 1970, before the year 10000, without an exponent"
        }
    }
}
