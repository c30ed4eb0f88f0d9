/// Why a request is refused before its plane's own rules apply. Each plane says it in its own form: a problem body for
/// clients, an `errors` body for the vault's callers.
enum RequestFault: Error {
    /// Not JSON, or not of the shape that the call asks for; the text names fields, never values.
    case malformed(String)
    case unauthorized
    case forbidden(String)
    case notFound(String)
    case methodNotAllowed(allowed: String)
    case bodyTooLarge
    case unsupportedMediaType
    case tooManyRequests(retryAfter: Int)
    case internalError
    case unavailable
    /// A commit failed in a way that leaves it open what is stored.
    case outcomeUnknown
    /// A record is not what this vault wrote; the alias that was asked for, if there was one.
    case damaged(alias: String?)
    /// As many volatile aliases are alive as may be.
    case volatileStorageFull
    /// The upstream keeps failing and is left alone for so many seconds.
    case upstreamResting(retryAfter: Int)
    /// All connections to the upstream are in use.
    case upstreamBusy
    /// Too many wait for their credentials to be checked.
    case credentialsBusy
    case aliasSpaceExhausted(format: String)
    /// A body of a reveal route in which no aliases could be looked for.
    case unreadableMediaType
    /// What a reveal route would send, with values in the place of aliases.
    case revealTooLarge
    /// What was asked for cannot be recorded, and so is not done.
    case auditUnavailable
    /// The status that the wire layer chose for something that is no proper request, with its reason.
    case wire(status: Int, reason: String)

    /// Both ways to prove who is calling (RFC 9110 section 11.6.1).
    static let challenge = (
        "WWW-Authenticate", "Basic realm=\"cloakroom\", charset=\"UTF-8\", Bearer realm=\"cloakroom\""
    )

    var status: Int {
        switch self {
        case .malformed: 400
        case .unauthorized: 401
        case .forbidden: 403
        case .notFound: 404
        case .methodNotAllowed: 405
        case .bodyTooLarge, .revealTooLarge: 413
        case .unsupportedMediaType: 415
        case .tooManyRequests: 429
        case .internalError: 500
        case .unavailable, .volatileStorageFull, .upstreamResting, .upstreamBusy, .credentialsBusy: 503
        case .outcomeUnknown, .damaged: 503
        case .aliasSpaceExhausted: 507
        case .unreadableMediaType: 415
        case .auditUnavailable: 503
        case .wire(let status, _): status
        }
    }

    /// One sentence for a developer.
    var detail: String {
        switch self {
        case .malformed(let detail), .forbidden(let detail), .notFound(let detail), .wire(_, let detail): detail
        case .unauthorized: "this call needs a credential: HTTP Basic or a Bearer token"
        case .methodNotAllowed(let allowed): "allowed here: \(allowed)"
        case .bodyTooLarge: "the body is larger than this server takes"
        case .unsupportedMediaType: "the body must be application/json in UTF-8, and not compressed"
        case .tooManyRequests: "more requests than this server takes in a minute"
        case .internalError: "something is wrong with this server; its log tells more"
        case .unavailable: "the vault is busy or cannot write; the same request may succeed later"
        case .outcomeUnknown: "whether the change was stored is not known: look before you send it again"
        case .damaged(let alias?): "the record behind \(alias) is damaged"
        case .damaged(nil): "a record of the vault is damaged"
        case .volatileStorageFull: "the volatile storage is full; there is room again when values in it expire"
        case .upstreamResting: "the upstream keeps failing and is left alone for a while"
        case .upstreamBusy: "all connections to the upstream are in use"
        case .credentialsBusy: "too many credentials are being checked"
        case .aliasSpaceExhausted(let format): "alias space exhausted: \(format)"
        case .unreadableMediaType:
            "the body must be application/json or application/x-www-form-urlencoded, without a content coding"
        case .revealTooLarge: "with values in the place of its aliases the request would grow by more than 16 MiB"
        case .auditUnavailable: "the audit log cannot be written, and what cannot be recorded is not done"
        }
    }

    var headers: [(String, String)] {
        switch self {
        case .unauthorized: [Self.challenge]
        case .auditUnavailable: [("Retry-After", "1")]
        case .methodNotAllowed(let allowed): [("Allow", allowed)]
        case .tooManyRequests(let seconds), .upstreamResting(let seconds): [("Retry-After", String(seconds))]
        case .unavailable, .volatileStorageFull, .upstreamBusy, .credentialsBusy, .wire(503, _): [("Retry-After", "1")]
        default: []
        }
    }
}
