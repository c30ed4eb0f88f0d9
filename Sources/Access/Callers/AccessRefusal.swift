/// Why a caller may not do what it asks for.
public enum AccessRefusal: Error, Sendable, Equatable {
    /// Nothing was presented, or nothing that is known.
    case unauthenticated
    /// A session, access token or credential whose time has passed.
    case expired
    /// A session whose `maxRequests` have been made.
    case usedUp
    /// A session for another `Origin`, or a request without one.
    case wrongOrigin
    /// A session for another form.
    case wrongForm
    /// A session that does not include the operation, the path or the plane.
    case wrongOperation
    /// A Bearer token that looks like a session and is none: changed, ended, of another vault, or of a credential
    /// that is gone.
    case notASession
    /// A token of an identity provider that is signed, but has a claim that nothing can be made of.
    case badClaim(TokenClaim)
    /// The client's address is not in the credential's `addresses`.
    case addressNotAllowed
    /// The credential or token lacks the scope.
    case missingScope(Scope)
    /// The form is not among the credential's `forms`.
    case formNotAllowed
    /// The token is limited to the forms that it names (`auth.jwt[].forms`), and names none.
    case noFormsNamed
    /// No operation of the form that a session could be for, and none was named.
    case noOperation
    /// The route is not among the credential's `routes`.
    case routeNotAllowed

    /// 401 where another token would help, 403 where the caller is known and may not.
    public var status: Int {
        switch self {
        case .unauthenticated, .expired, .usedUp, .wrongOrigin, .wrongForm, .wrongOperation, .notASession, .badClaim:
            401
        case .addressNotAllowed, .missingScope, .formNotAllowed, .noFormsNamed, .noOperation, .routeNotAllowed: 403
        }
    }

    /// `error.userInfo.extraInfo.reason` of a 401 (`docs/reference/access.md` section 2); nil where the table has none.
    public var reason: String? {
        switch self {
        case .expired: "expired"
        case .usedUp: "usedUp"
        case .wrongOrigin: "wrongOrigin"
        case .wrongForm: "wrongForm"
        case .wrongOperation: "wrongOperation"
        case .notASession: "notASession"
        case .badClaim: "badClaim"
        case .unauthenticated, .addressNotAllowed, .missingScope, .formNotAllowed, .noFormsNamed, .noOperation,
            .routeNotAllowed:
            nil
        }
    }
}
