/// Errors of an exchange with an upstream or a remote vault (`docs/reference/proxy.md` section 6).
extension Problem {
    /// 1400: what came back is not HTTP.
    static let unexpectedResponseType = Problem(
        status: 502, type: "unexpectedResponseType", title: "The upstream's response is not HTTP",
        detail: "the upstream's response is not HTTP: the request may have reached it", domain: .collect, code: 1400)

    /// 1400: a remote vault returned 2xx with a body that is not JSON.
    static let vaultResponseNotJSON = Problem(
        status: 502, type: "unexpectedResponseType", title: "The vault's response is not JSON",
        detail: "the remote vault returned success with a body that is not JSON: it may have stored the values",
        domain: .collect, code: 1400)

    /// 502: a remote vault created no aliases.
    static func vaultRefused(status: Int) -> Problem {
        var problem = Problem(
            status: 502, type: "vaultRefused", title: "The vault has refused the request",
            detail: "the remote vault returned \(status); nothing was sent", domain: .cloakroom)
        problem.extraInfo = [("status", .number(status))]
        return problem
    }

    /// 1401: the response is not of the expected format, so it may hold values that can't be found and redacted.
    static let unexpectedResponseDataFormat = Problem(
        status: 502, type: "unexpectedResponseDataFormat", title: "The response is not of the expected format",
        detail: "the response is not JSON of the expected format, or too large to be read", domain: .collect,
        code: 1401,
        key: "VGSSDKErrorUnexpectedResponseDataFormat")

    /// 1480: a bad route id.
    static let invalidConfigurationURL = Problem(
        status: 400, type: "invalidConfigurationURL", title: "The route id is not valid",
        detail: "VGS-Route-Id must be a UUID with its hyphens, and fit the tenant's host name",
        domain: .collect, code: 1480)

    static let timedOut = exchange(
        -1001, "timedOut", 504, "The upstream took too long",
        "the upstream took too long: the request may have reached it")
    static let connectTimedOut = exchange(
        -1001, "timedOut", 504, "The upstream took too long",
        "no connection to the upstream was made in time: nothing was sent")
    static let cannotFindHost = exchange(-1003, "cannotFindHost", 502, "The upstream's name does not resolve")
    static let cannotConnectToHost = exchange(-1004, "cannotConnectToHost", 502, "The upstream cannot be reached")
    static let networkConnectionLost = exchange(
        -1005, "networkConnectionLost", 502, "The upstream closed the connection before its response was complete",
        "the upstream closed the connection before its response was complete: the request may have reached it")
    static let secureConnectionFailed = exchange(
        -1200, "secureConnectionFailed", 502, "TLS with the upstream failed",
        "no secure connection to the upstream could be made")
    static let secureConnectionBroken = exchange(
        -1200, "secureConnectionFailed", 502, "TLS with the upstream failed",
        "TLS with the upstream broke before its response was complete: the request may have reached it")
    static let badServerResponse = exchange(
        -1011, "badServerResponse", 502, "The upstream's response is malformed or too large",
        "the upstream's response is malformed or too large: the request may have reached it")

    /// 502: the upstream has carried out the request, but its response can't be passed on. Never with `Retry-After`: to repeat the
    /// request is to repeat what the upstream has done, such as a charge.
    static func responseWithheld(upstreamStatus status: Int, _ reason: WithheldReason) -> Problem {
        var problem = Problem(
            status: 502, type: "answerWithheld", title: "The upstream's response is withheld",
            detail: """
                the request was made, and the upstream responded with \(status); its response is withheld: \(reason.rawValue). \
                To repeat the request is to have it done once more
                """,
            domain: .cloakroom)
        problem.extraInfo = [("upstreamStatus", .number(status)), ("requestWasMade", .flag(true))]
        return problem
    }

    private static func exchange(
        _ code: Int, _ type: String, _ status: Int, _ title: String, _ detail: String? = nil
    ) -> Problem {
        Problem(status: status, type: type, title: title, detail: detail ?? title, domain: .url, code: code)
    }
}
