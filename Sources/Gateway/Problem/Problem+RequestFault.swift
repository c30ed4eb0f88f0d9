/// Domain `cloakroom`, whose codes are the statuses.
extension Problem {
    init(_ fault: RequestFault) {
        if case .unauthorized = fault {
            self = .invalidAccessToken()
            return
        }
        let (type, title) = Self.name(of: fault)
        self.init(status: fault.status, type: type, title: title, detail: fault.detail, domain: .cloakroom)
        headers = fault.headers
    }

    private static func name(of fault: RequestFault) -> (type: String, title: String) {
        switch fault {
        case .malformed: ("malformedRequest", "The request is malformed")
        case .unauthorized: ("invalidAccessToken", "The access token is missing or not valid")
        case .forbidden: ("forbidden", "The credential may not do this")
        case .notFound: ("notFound", "There is nothing here")
        case .methodNotAllowed: ("methodNotAllowed", "The method is not allowed here")
        case .bodyTooLarge, .revealTooLarge: ("bodyTooLarge", "The body is too large")
        case .unsupportedMediaType: ("unsupportedMediaType", "The body's media type is not supported")
        case .tooManyRequests: ("tooManyRequests", "Too many requests")
        case .internalError: ("internalError", "Something is wrong with this server")
        case .unavailable, .volatileStorageFull, .upstreamResting, .upstreamBusy, .credentialsBusy:
            ("unavailable", "Not available at the moment")
        case .outcomeUnknown: ("outcomeUnknown", "Whether it was done is not known")
        case .damaged: ("damaged", "Damaged")
        case .aliasSpaceExhausted: ("aliasSpaceExhausted", "The alias space is exhausted")
        case .unreadableMediaType: ("unsupportedMediaType", "The body's media type is not supported")
        case .auditUnavailable: ("unavailable", "Not available at the moment")
        case .wire(let status, _): wireName(of: status)
        }
    }

    private static func wireName(of status: Int) -> (type: String, title: String) {
        switch status {
        case 408: ("requestTimeout", "The request took too long to arrive")
        case 413: ("bodyTooLarge", "The body is too large")
        case 414: ("requestLineTooLong", "The request line is too long")
        case 417: ("expectationFailed", "The expectation is not supported")
        case 431: ("headersTooLarge", "The request's headers are too large")
        case 500: ("internalError", "Something is wrong with this server")
        case 501: ("notImplemented", "The transfer coding is not supported")
        case 503: ("unavailable", "Not available at the moment")
        case 505: ("versionNotSupported", "The HTTP version is not supported")
        default: ("malformedRequest", "The request is malformed")
        }
    }

    /// 400: names in `fields` that the form lacks.
    static func unknownFields(_ names: [String]) -> Problem {
        var problem = Problem(
            status: 400, type: "unknownField", title: "A field is unknown",
            detail: "the form has no field named \(names.joined(separator: ", "))", domain: .cloakroom)
        problem.extraInfo = [("fields", .names(names))]
        return problem
    }

    /// 400: what looks like an alias, and is none of this vault, or has expired.
    static func unknownAliases(_ aliases: [String]) -> Problem {
        let shown = aliases.prefix(20)
        var problem = Problem(
            status: 400, type: "unknownAlias", title: "An alias is unknown",
            detail: "unknown: \(shown.joined(separator: ", "))", domain: .cloakroom)
        problem.extraInfo = [("aliases", .names(Array(shown)))]
        return problem
    }

    /// 400: a form that came with a submission is refused.
    static func invalidForm(_ mistakes: [(path: String, message: String)]) -> Problem {
        var problem = Problem(
            status: 400, type: "invalidForm", title: "The form is not valid",
            detail: mistakes.count == 1 ? "the form has a mistake" : "the form has \(mistakes.count) mistakes",
            domain: .cloakroom)
        problem.extraInfo = [("mistakes", .mistakes(mistakes))]
        return problem
    }
}
