extension Problem {
    /// The table of `docs/reference/proxy.md` section 6: one row for each error.
    init(_ error: CallError) { self.init(error, of: .upstream) }

    /// - Parameter peer: with whom an exchange failed, where one did.
    private init(_ error: CallError, of peer: Peer) {
        switch error {
        case .invalidSubmission(let submission): self = .invalidSubmission(submission)
        case .unauthorized: self = .invalidAccessToken
        case .refusedToken(let refusal): self = .refusedToken(refusal)
        case .invalidRouteID: self = .invalidConfigurationURL
        case .timedOut: self = .timedOut(peer)
        case .connectTimedOut: self = .connectTimedOut(peer)
        case .cannotFindHost: self = .cannotFindHost(peer)
        case .cannotConnectToHost: self = .cannotConnectToHost(peer)
        case .networkConnectionLost: self = .networkConnectionLost(peer)
        case .secureConnectionFailed: self = .secureConnectionFailed(peer)
        case .secureConnectionBroken: self = .secureConnectionBroken(peer)
        case .badServerResponse: self = .badServerResponse(peer)
        case .unexpectedResponseType: self = .unexpectedResponseType(peer)
        case .unexpectedResponseDataFormat: self = .unexpectedResponseDataFormat
        case .vaultResponseNotJSON: self = .vaultResponseNotJSON
        case .upstreamBusy: self = .unavailable("all connections to the \(peer.rawValue) are in use")
        case .upstream(let error, _, _, _): self.init(error)
        case .vaultRefused(let status): self = .vaultRefused(status: status, mayHaveStored: false)
        case .remoteVault(.vaultRefused(let status), let mayHaveStored):
            self = .vaultRefused(status: status, mayHaveStored: mayHaveStored)
        case .remoteVault(let error, _): self.init(error, of: .remoteVault)
        case .responseWithheld(let status, let reason): self = .responseWithheld(upstreamStatus: status, reason)
        default: self = .gatewayError(error)
        }
    }
}

/// Domain `cloakroom`, where the code is the status.
extension Problem {
    fileprivate static func gatewayError(_ error: CallError) -> Problem {
        switch error {
        case .malformed(let detail): row(400, "malformedRequest", "The request is malformed", detail)
        case .forbidden(let detail): row(403, "forbidden", "The credential may not do this", detail)
        case .notFound(let detail): row(404, "notFound", "There is nothing here", detail)
        case .methodNotAllowed(let allowed):
            row(
                405, "methodNotAllowed", "The method is not allowed here", "allowed here: \(allowed)",
                [("Allow", allowed)])
        case .bodyTooLarge, .revealTooLarge, .unsupportedMediaType, .unreadableMediaType, .unguardedBody:
            bodyRefused(error)
        case .tooManyRequests(let seconds):
            row(
                429, "tooManyRequests", "Too many requests", "the limit on requests a minute is reached",
                [("Retry-After", String(seconds))])
        case .tooManyWrongSecrets(let seconds):
            row(
                429, "tooManyRequests", "Too many requests",
                "too many secrets from this address were wrong, and none is looked at for a while",
                [("Retry-After", String(seconds))])
        case .http(let status, let reason):
            row(status, httpName(of: status), reason, status == 503 ? retrySoon : [])
        case .unknownFields(let names): unknownFields(names)
        case .formChanged:
            row(
                409, "formChanged", "The form has changed",
                "the submission was made by an earlier description of the form; nothing was stored or sent")
        case .invalidForm(let mistakes): invalidForm(mistakes)
        case .unknownAliases(let aliases): unknownAliases(aliases)
        case .aliasRequired(let pointer): aliasRequired(pointer)
        case .cardNumberRefused(let places): cardNumberRefused(places)
        case .tooManyGuesses(let seconds):
            row(
                429, "tooManyGuesses", "Too many values were tried",
                "too many different values with the same kept digits (vault.guessing)",
                [("Retry-After", String(seconds))])
        case .idempotencyKeyReused, .requestInProgress, .responseNotStored: idempotency(error)
        default: serverError(error)
        }
    }

    /// A body of the wrong size or type.
    private static func bodyRefused(_ error: CallError) -> Problem {
        switch error {
        case .bodyTooLarge(let limit, let setting):
            row(
                413, "bodyTooLarge", bodyTooLarge,
                "the body is larger than \(limit) bytes (\(setting ?? "a fixed limit"))")
        case .revealTooLarge(let limit):
            row(
                413, "bodyTooLarge", bodyTooLarge,
                "the values of the request's aliases take more than \(limit) bytes (a fixed limit)"
            )
        case .unreadableMediaType:
            row(
                415, "unsupportedMediaType", unsupportedMediaType,
                "the body must be application/json or application/x-www-form-urlencoded, without a content coding")
        case .unguardedBody:
            row(
                415, "unsupportedMediaType", unsupportedMediaType,
                "the route's guard can't look through the body: it must have no content coding, and a charset that ASCII is a part of"
            )
        default:
            row(
                415, "unsupportedMediaType", unsupportedMediaType,
                "the body must be application/json in UTF-8, and not compressed")
        }
    }

    private static let bodyTooLarge = "The body is too large"
    private static let unsupportedMediaType = "The body's media type is not supported"
    private static let retrySoon = [("Retry-After", "1")]

    private static func row(
        _ status: Int, _ type: String, _ title: String, _ detail: String, _ headers: [(String, String)] = []
    ) -> Problem {
        var problem = Problem(status: status, type: type, title: title, detail: detail, domain: .cloakroom)
        problem.headers = headers
        return problem
    }

    private static func row(
        _ status: Int, _ name: (type: String, title: String), _ detail: String, _ headers: [(String, String)]
    ) -> Problem {
        row(status, name.type, name.title, detail, headers)
    }

    /// Something of this server, which the caller can only wait for.
    private static func serverError(_ error: CallError) -> Problem {
        switch error {
        case .unavailable: unavailable("the vault is busy or cannot write; the same request may succeed later")
        case .outcomeUnknown:
            row(
                503, "outcomeUnknown", "Whether it was done is not known",
                "whether the change was stored is not known: look before you send it again")
        case .damaged(let alias?): row(503, "damaged", "Damaged", "the record behind \(alias) is damaged")
        case .damaged(nil): row(503, "damaged", "Damaged", "a record of the vault is damaged")
        case .volatileStorageFull:
            unavailable("the volatile storage is full until values in it expire (vault.volatile.maxEntries)")
        case .volatileShareUsed(let seconds):
            unavailable(
                "the volatile storage is full for this caller until values in it expire (vault.volatile.maxEntries)",
                [("Retry-After", String(seconds))])
        case .aliasShareUsed(let format, let seconds):
            unavailable(
                "this caller has its share of the aliases that the format \(format) has for such values",
                [("Retry-After", String(seconds))])
        case .identityProviderUnavailable(let seconds):
            unavailable("the keys of the identity provider cannot be fetched", [("Retry-After", String(seconds))])
        case .circuitOpen(let seconds):
            unavailable(
                "requests to this upstream have failed repeatedly and are not sent for a while",
                [("Retry-After", String(seconds))])
        case .idempotencyStorageFull(let seconds):
            unavailable(
                "the storage for responses to requests with an Idempotency-Key is full (vault.idempotency)",
                [("Retry-After", String(seconds))])
        case .responsesBusy: unavailable("too many responses to this caller wait for their end, or to be taken")
        case .credentialsBusy(let seconds):
            unavailable("too many credentials are being checked", [("Retry-After", String(seconds))])
        case .bodiesBusy: unavailable("too many large bodies are waiting to be read")
        case .auditUnavailable: unavailable("the audit log cannot be written, so nothing that needs a record is done")
        case .aliasSpaceExhausted(let format):
            row(507, "aliasSpaceExhausted", "The alias space is exhausted", "alias space exhausted: \(format)")
        // The vault plane alone raises it: ``VaultErrors`` takes the status from here, and has an entry for each alias.
        case .aliasesNotFound: row(404, "notFound", "There is nothing here", "unknown alias")
        // A remote vault's response is passed through, not rendered.
        default:
            row(500, "internalError", "Something is wrong with this server", "internal error; see the server's log")
        }
    }

    private static func unavailable(_ detail: String, _ headers: [(String, String)] = retrySoon) -> Problem {
        row(503, "unavailable", "Not available at the moment", detail, headers)
    }

    private static func httpName(of status: Int) -> (type: String, title: String) {
        switch status {
        case 408: ("requestTimeout", "The request took too long to arrive")
        case 413: ("bodyTooLarge", bodyTooLarge)
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

    /// How many of the names that a client has sent a sentence shows.
    private static let namesInText = 20

    private static func unknownFields(_ names: [String]) -> Problem {
        let shown = names.prefix(namesInText)
        let more = names.count > shown.count ? " and \(names.count - shown.count) more" : ""
        var problem = row(
            400, "unknownField", "A field is unknown",
            "the form has no field named \(shown.joined(separator: ", "))\(more)")
        problem.extraInfo = [("fields", .names(names))]
        return problem
    }

    private static func unknownAliases(_ aliases: [String]) -> Problem {
        let shown = aliases.prefix(namesInText)
        var problem = row(
            400, "unknownAlias", "An alias is unknown", "unknown: \(shown.joined(separator: ", "))")
        problem.extraInfo = [("aliases", .names(Array(shown)))]
        return problem
    }

    private static func aliasRequired(_ pointer: String) -> Problem {
        var problem = row(
            400, "aliasRequired", "An alias is missing", "an alias of this vault must stand at \(pointer)")
        problem.extraInfo = [("pointer", .text(pointer))]
        return problem
    }

    private static func cardNumberRefused(_ places: [String]) -> Problem {
        var problem = row(
            400, "cardNumberRefused", "A card number stands where none is meant to be",
            "found at \(places.joined(separator: ", "))")
        problem.extraInfo = [("places", .names(places))]
        return problem
    }

    private static func invalidForm(_ mistakes: [(path: String, message: String)]) -> Problem {
        var problem = row(
            400, "invalidForm", "The form is not valid",
            mistakes.count == 1 ? "the form has a mistake" : "the form has \(mistakes.count) mistakes")
        problem.extraInfo = [("mistakes", .mistakes(mistakes))]
        return problem
    }

    private static func idempotency(_ error: CallError) -> Problem {
        switch error {
        case .idempotencyKeyReused:
            row(
                422, "idempotencyKeyReused", "The idempotency key was used for another request",
                "the same Idempotency-Key came with another request")
        case .requestInProgress:
            row(
                409, "requestInProgress", "The same request is being carried out",
                "the first request with this Idempotency-Key has not finished", retrySoon)
        default:
            row(
                409, "answerTooLargeToKeep", "The same request was carried out",
                "the first request with this Idempotency-Key was or may have been carried out; its response is not stored"
            )
        }
    }
}
