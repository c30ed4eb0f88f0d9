/// Every problem that a caller may get, with what it means and what to do (`docs/reference/proxy.md` section 6). The OpenAPI
/// document and the reference page of errors are made of it; a test holds it against what the gateway raises.
struct ProblemCatalogue {
    /// One problem type with one status.
    struct Row {
        /// As the gateway raises it.
        let example: Problem
        /// When it happens.
        let meaning: String
        /// What the caller does about it.
        let remedy: String

        init(problem example: Problem, _ meaning: String, _ remedy: String) {
            self.example = example
            self.meaning = meaning
            self.remedy = remedy
        }

        init(_ error: CallError, _ meaning: String, _ remedy: String) {
            self.init(problem: Problem(error), meaning, remedy)
        }

        var status: Int { example.status }
        var type: String { example.type }
        var domain: Problem.Domain { example.domain }
        var code: Int { example.code }
    }

    static let rows: [Row] = form + request + server + exchange

    /// What a form refuses.
    private static let form: [Row] = [
        Row(
            problem: .invalidInput(
                required: ["card_number"], requiredValid: ["card_number", "cvc"], among: ["card_number", "cvc"]),
            "Fields are missing or not valid; `fields` has their states.",
            "Show the user what the states say."),
        Row(
            problem: .fileNotFound("scan"), "A required file is absent.", "Send the file."),
        Row(
            problem: .fileTypeNotSupported("scan"),
            "A file is not base64, is empty, or is of a type that the form does not take.",
            "Send a file of a listed type."),
        Row(
            problem: .fileTooLarge("scan", limit: 500_000, size: 612_000), "A file has reached the form's limit.",
            "Send a smaller file; `extraInfo.expectedSize` is the limit."),
        Row(
            .unauthorized, "The credential is missing or not known.",
            "Send a credential: a Bearer token, or HTTP Basic."),
    ]

    /// What the gateway refuses before the form's rules apply.
    private static let request: [Row] = [
        Row(
            .malformed("fields must be an object"),
            "The request or its JSON is malformed, or not of the shape that the call asks for.",
            "Correct the request; `detail` says what is wrong."),
        Row(
            .invalidRouteID, "VGS-Route-Id is not a hyphenated UUID.",
            "Send a valid route id, or none."),
        Row(
            .unknownFields(["card_no"]),
            "`fields` has names that the form does not have; `extraInfo.fields` lists them.",
            "Use the form's names."),
        Row(
            .unknownAliases(["tok_sandbox_FyUq2QGMG7ByxxCbrqQoMN"]),
            "A text has the shape of an alias, and no such alias exists, or it has expired.",
            "Remove the alias, or create it."),
        Row(
            .aliasRequired(pointer: "/card/number"),
            "No alias of this vault stands where the route's `reveal.require` says that one must.",
            "Put one at `extraInfo.pointer`."),
        Row(
            .cardNumberRefused(places: ["/note"]),
            "A card number stands where none is meant to be; `extraInfo.places` says where.",
            "Send it in its field, or allow it with `guard`."),
        Row(
            .forbidden("the credential lacks aliases:create"), "The credential may not do this.",
            "Use a credential with the scope that `detail` names."),
        Row(
            .notFound("there is no such form"), "There is no such form, route or path.", "Check the URL."),
        Row(
            .methodNotAllowed(allowed: "POST, OPTIONS"), "The path does not have this method.",
            "Use a method that `Allow` lists."),
        Row(
            .http(status: 408, reason: "the request body took too long to arrive"),
            "The request did not arrive in time.", "Send it again."),
        Row(
            .formChanged,
            "`Cloakroom-Form-Version` names another description than the form has now. Nothing was stored or sent.",
            "Get the form again, show what it asks for, and send what is typed then."),
        Row(
            .requestInProgress, "The first request under this Idempotency-Key has not finished.",
            "Repeat after `Retry-After`."),
        Row(
            .responseNotStored,
            "The first request under this Idempotency-Key was or may have been carried out, and its response is not stored: it is too large, shows a part of a VOLATILE value, or cannot be searched for one.",
            "Do not repeat it; look the result up where it took effect."),
        Row(
            .bodyTooLarge(limit: 1_048_576, setting: "server.limits.body"),
            "The body is larger than `server.limits.body`; or what the request's aliases stand for has no room in one request.",
            "Send less, or reveal fewer at a time."),
        Row(
            .http(status: 414, reason: "the request line is too long"),
            "The request line is longer than `server.limits.requestLine`.",
            "Shorten the URL."),
        Row(
            .unsupportedMediaType,
            "The body is not `application/json` in UTF-8, or is compressed; or a reveal route's guard can't look through it.",
            "Send plain JSON; `detail` says what a reveal route takes."),
        Row(
            .http(status: 417, reason: "the expectation is not supported"),
            "`Expect` has something other than 100-continue.", "Leave `Expect` out."),
        Row(
            .idempotencyKeyReused, "This Idempotency-Key came with another request before.",
            "Use a new key for a new request."),
        Row(
            .tooManyRequests(retryAfter: 12),
            "The limit on requests a minute is reached; or too many secrets from the address were wrong.",
            "Wait for `Retry-After`."),
        Row(
            .tooManyGuesses(retryAfter: 600),
            "The caller has sent too many different values whose aliases keep the same digits.",
            "Wait for `Retry-After`. A value that was sent before is always taken."),
        Row(
            .http(status: 431, reason: "the header section is too large"),
            "The headers are larger than `server.limits.headers`.", "Send fewer headers."),
    ]

    /// What goes wrong in the gateway.
    private static let server: [Row] = [
        Row(
            .internalError, "A fault of the gateway.", "Report it with the `requestId`."),
        Row(
            .http(status: 501, reason: "the transfer coding is not supported"),
            "The transfer coding is not supported; or a vault plane is asked for aliases that a remote vault keeps.",
            "Send the body without it; call the remote vault itself."),
        Row(
            .unavailable, "The vault, the audit log or a pool is busy or cannot work.",
            "Repeat after `Retry-After`."),
        Row(
            .damaged(alias: nil),
            "A record of the vault is not what the vault wrote: somebody or something changed the database.",
            "Tell whoever runs the gateway. Repeating does not help."),
        Row(
            .outcomeUnknown, "A commit failed in a way that leaves open what is stored.",
            "Look whether it was stored before sending it again."),
        Row(
            .http(status: 505, reason: "the HTTP version is not supported"), "The HTTP version is not supported.",
            "Use HTTP/1.1."),
        Row(
            .aliasSpaceExhausted(format: "FPE_SIX_T_FOUR"), "No alias of the format is free for these kept digits.",
            "Use a wider format, or `vault.aliasFallback: uuid`."),
    ]

    /// What is to be done where it is not known whether a request was carried out.
    private static let mayHaveReachedIt =
        "The request may have reached it: repeat only with an Idempotency-Key that the upstream knows."

    /// What goes wrong with an upstream or a remote vault.
    private static let exchange: [Row] = [
        Row(
            .unexpectedResponseType, "What came back is not HTTP, or not JSON.",
            "Check the upstream. \(mayHaveReachedIt)"),
        Row(
            .unexpectedResponseDataFormat,
            "The response is not of the expected format.",
            "Check the upstream. The request was made: do not repeat it blindly."),
        Row(
            .vaultRefused(status: 403),
            "The remote vault returned no aliases, and nothing was sent to an upstream; `extraInfo.status` is its status.",
            "Check the remote vault's credential and limits. Where the detail says that it may have stored the values, repeat it under the "
                + "same Idempotency-Key alone; else, once that is mended, under a new one: only 401, 403, 408, 425, 429 and 503 leave a key free."
        ),
        Row(
            .responseWithheld(upstreamStatus: 200, reason: .notText),
            "The upstream has carried out the request, and its response can't be passed on; `detail` says why.",
            "Do not repeat it blindly; look the result up at the upstream."),
        Row(
            .timedOut, "The upstream took longer than the route's time-out.",
            "Where the detail says that nothing was sent, repeat it. Else: \(mayHaveReachedIt)"),
        Row(
            .cannotFindHost, "The upstream's name does not resolve.",
            "Check the route's url."),
        Row(
            .cannotConnectToHost, "The upstream cannot be reached.",
            "Check that it runs."),
        Row(
            .networkConnectionLost,
            "The upstream closed the connection before its response was complete.", mayHaveReachedIt),
        Row(
            .badServerResponse, "The upstream's response is malformed or too large.",
            "Check the upstream. \(mayHaveReachedIt)"),
        Row(
            .secureConnectionFailed, "TLS with the upstream failed.",
            "Check its certificate and name, and the route's tls. Where the detail says that the request may have reached it: repeat only "
                + "with an Idempotency-Key that the upstream knows."),
    ]

    /// The rows of a status, in their order.
    static func rows(_ status: Int) -> [Row] { rows.filter { $0.status == status } }
}
