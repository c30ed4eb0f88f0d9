/// Every problem that a caller may get, with what it means and what to do (`docs/reference/proxy.md` section 6). The OpenAPI
/// document and the reference page of errors are made of it; a test holds it against what the gateway raises.
struct ProblemCatalogue {
    /// One problem type with one status.
    struct Row {
        let status: Int
        let type: String
        let domain: Problem.Domain
        let code: Int
        /// When it happens.
        let meaning: String
        /// What the caller does about it.
        let remedy: String

        init(
            _ status: Int, _ type: String, domain: Problem.Domain = .cloakroom, code: Int? = nil, _ meaning: String,
            _ remedy: String
        ) {
            self.status = status
            self.type = type
            self.domain = domain
            self.code = code ?? status
            self.meaning = meaning
            self.remedy = remedy
        }
    }

    static let rows: [Row] = form + request + server + exchange

    /// What a form refuses.
    private static let form: [Row] = [
        Row(
            422, "inputDataIsNotValid", domain: .collect, code: 1001,
            "Fields are missing or not valid; `fields` has their states.",
            "Show the user what the states say."),
        Row(422, "inputFileNotFound", domain: .collect, code: 1101, "A required file is absent.", "Send the file."),
        Row(
            422, "inputFileTypeIsNotSupported", domain: .collect, code: 1102,
            "A file is not base64, is empty, or is of a type that the form does not take.",
            "Send a file of a listed type."),
        Row(
            413, "inputFileSizeExceedsTheLimit", domain: .collect, code: 1103, "A file has reached the form's limit.",
            "Send a smaller file; `extraInfo.expectedSize` is the limit."),
        Row(
            401, "invalidAccessToken", domain: .collect, code: 1300, "The credential is missing or not known.",
            "Send a credential: a Bearer token, or HTTP Basic."),
        Row(
            400, "invalidConfigurationURL", domain: .collect, code: 1480, "VGS-Route-Id is not a hyphenated UUID.",
            "Send a valid route id, or none."),
    ]

    /// What the gateway refuses before the form's rules apply.
    private static let request: [Row] = [
        Row(
            400, "malformedRequest",
            "The request or its JSON is malformed, or not of the shape that the call asks for.",
            "Correct the request; `detail` says what is wrong."),
        Row(
            400, "unknownField", "`fields` has names that the form does not have; `extraInfo.fields` lists them.",
            "Use the form's names."),
        Row(
            400, "unknownAlias", "A text has the shape of an alias, and no such alias exists, or it has expired.",
            "Remove the alias, or create it."),
        Row(
            400, "aliasRequired",
            "No alias of this vault stands where the route's `reveal.require` says that one must.",
            "Put one at `extraInfo.pointer`."),
        Row(
            400, "cardNumberRefused", "A card number stands where none is meant to be; `extraInfo.places` says where.",
            "Send it in its field, or allow it with `guard`."),
        Row(
            403, "forbidden", "The credential may not do this.", "Use a credential with the scope that `detail` names."),
        Row(404, "notFound", "There is no such form, route or path.", "Check the URL."),
        Row(405, "methodNotAllowed", "The path does not have this method.", "Use a method that `Allow` lists."),
        Row(408, "requestTimeout", "The request did not arrive in time.", "Send it again."),
        Row(
            409, "requestInProgress", "The first request under this Idempotency-Key has not finished.",
            "Repeat after `Retry-After`."),
        Row(
            409, "answerTooLargeToKeep",
            "The first request under this Idempotency-Key was carried out, and its response is not stored.",
            "Do not repeat it; look the result up where it took effect."),
        Row(413, "bodyTooLarge", "The body is larger than `server.limits.body`.", "Send less."),
        Row(
            414, "requestLineTooLong", "The request line is longer than `server.limits.requestLine`.",
            "Shorten the URL."),
        Row(
            415, "unsupportedMediaType", "The body is not `application/json` in UTF-8, or is compressed.",
            "Send plain JSON."),
        Row(417, "expectationFailed", "`Expect` has something other than 100-continue.", "Leave `Expect` out."),
        Row(
            422, "idempotencyKeyReused", "This Idempotency-Key came with another request before.",
            "Use a new key for a new request."),
        Row(429, "tooManyRequests", "The limit on requests a minute is reached.", "Wait for `Retry-After`."),
        Row(
            429, "tooManyGuesses",
            "The caller has sent too many different values whose aliases keep the same digits.",
            "Wait for `Retry-After`. A value that was sent before is always taken."),
        Row(431, "headersTooLarge", "The headers are larger than `server.limits.headers`.", "Send fewer headers."),
    ]

    /// What goes wrong in the gateway.
    private static let server: [Row] = [
        Row(500, "internalError", "A fault of the gateway.", "Report it with the `requestId`."),
        Row(501, "notImplemented", "The transfer coding is not supported.", "Send the body without it."),
        Row(
            503, "unavailable", "The vault, the audit log or a pool is busy or cannot work.",
            "Repeat after `Retry-After`."),
        Row(
            503, "damaged",
            "A record of the vault is not what the vault wrote: somebody or something changed the database.",
            "Tell whoever runs the gateway. Repeating does not help."),
        Row(
            503, "outcomeUnknown", "A commit failed in a way that leaves open what is stored.",
            "Look whether it was stored before sending it again."),
        Row(505, "versionNotSupported", "The HTTP version is not supported.", "Use HTTP/1.1."),
        Row(
            507, "aliasSpaceExhausted", "No alias of the format is free for these kept digits.",
            "Use a wider format, or `vault.aliasFallback: uuid`."),
    ]

    /// What goes wrong with an upstream or a remote vault.
    private static let exchange: [Row] = [
        Row(
            502, "unexpectedResponseType", domain: .collect, code: 1400, "What came back is not HTTP, or not JSON.",
            "Check the upstream."),
        Row(
            502, "unexpectedResponseDataFormat", domain: .collect, code: 1401,
            "The response is not of the expected format.",
            "Check the upstream. The request was made: do not repeat it blindly."),
        Row(
            502, "vaultRefused",
            "The remote vault created no aliases, and nothing was sent; `extraInfo.status` is its status.",
            "Check the remote vault's credential and limits."),
        Row(
            502, "answerWithheld",
            "The upstream has carried out the request, and its response can't be passed on; `detail` says why.",
            "Do not repeat it blindly; look the result up at the upstream."),
        Row(
            504, "timedOut", domain: .url, code: -1001, "The upstream took longer than the route's time-out.",
            "The request may have reached it: repeat only with an Idempotency-Key that the upstream knows."),
        Row(
            502, "cannotFindHost", domain: .url, code: -1003, "The upstream's name does not resolve.",
            "Check the route's url."),
        Row(
            502, "cannotConnectToHost", domain: .url, code: -1004, "The upstream cannot be reached.",
            "Check that it runs."),
        Row(
            502, "networkConnectionLost", domain: .url, code: -1005,
            "The upstream closed the connection before its response was complete.",
            "The request may have reached it: repeat only with an Idempotency-Key that the upstream knows."),
        Row(
            502, "badServerResponse", domain: .url, code: -1011, "The upstream's response is malformed or too large.",
            "Check the upstream."),
        Row(
            502, "secureConnectionFailed", domain: .url, code: -1200, "TLS with the upstream failed.",
            "Check its certificate and name, and the route's tls."),
    ]

    /// The rows of a status, in their order.
    static func rows(_ status: Int) -> [Row] { rows.filter { $0.status == status } }
}
