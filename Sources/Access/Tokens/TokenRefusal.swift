/// Why a token of an identity provider is not taken. Callers get 401 whatever it is; the log and the metric name it.
/// No case has a part of the token.
public enum TokenRefusal: String, Error, Sendable, CaseIterable {
    /// Not three parts of base64url with JSON objects in the first two, or too large.
    case malformed
    /// `none`, HMAC, or an algorithm that is not verified here.
    case algorithmNotAllowed
    /// `crit`, or a header that makes the token something else than a signed JWT.
    case headerNotAllowed
    /// No issuer with this `iss` is configured.
    case unknownIssuer
    /// None of the issuer's keys has this `kid`, or fits the algorithm.
    case unknownKey
    /// The signature is not by the key.
    case badSignature
    /// The signature is by none of the keys that were tried, and more of them fit.
    case tooManyKeys
    case wrongAudience
    /// `exp` is missing or has passed.
    case expired
    /// `nbf` or `iat` lies in the future.
    case notYetValid
    /// A claim has the wrong type or is too long.
    case badClaim
}
