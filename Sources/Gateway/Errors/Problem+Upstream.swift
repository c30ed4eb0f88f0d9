/// Errors of an exchange with an upstream or a remote vault (`docs/reference/proxy.md` section 6).
extension Problem {
    /// With whom an exchange failed: what a caller may do next depends on it.
    enum Peer: String {
        case upstream
        case remoteVault = "remote vault"

        /// What may have happened all the same. A remote vault is asked before anything goes to an upstream.
        fileprivate var mayHaveActed: String {
            switch self {
            case .upstream: "the request may have reached it"
            case .remoteVault: "it may have stored the values; nothing was sent to an upstream"
            }
        }

        /// A sentence about it.
        fileprivate func text(_ rest: String) -> String { "the \(rawValue)\(rest)" }

        fileprivate func title(_ rest: String) -> String { "The \(rawValue)\(rest)" }
    }

    /// 1400: what came back is not HTTP.
    static func unexpectedResponseType(_ peer: Peer) -> Problem {
        Problem(
            status: 502, type: "unexpectedResponseType", title: peer.title("'s response is not HTTP"),
            detail: peer.text("'s response is not HTTP: \(peer.mayHaveActed)"), domain: .collect, code: 1400)
    }

    /// 1400: a remote vault returned 2xx with a body that is not JSON.
    static let vaultResponseNotJSON = Problem(
        status: 502, type: "unexpectedResponseType", title: "The remote vault's response is not JSON",
        detail: "the remote vault returned success with a body that is not JSON: \(Peer.remoteVault.mayHaveActed)",
        domain: .collect, code: 1400)

    /// 1401: a remote vault's response has not the aliases that it was asked for.
    static let unexpectedResponseDataFormat = Problem(
        status: 502, type: "unexpectedResponseDataFormat", title: "The response is not of the expected format",
        detail: "the remote vault's response is not JSON of the expected format: \(Peer.remoteVault.mayHaveActed)",
        domain: .collect, code: 1401, key: "VGSSDKErrorUnexpectedResponseDataFormat")

    /// 502: a remote vault created no aliases.
    ///
    /// - Parameter mayHaveStored: whether it has stored the values all the same, or may have.
    static func vaultRefused(status: Int, mayHaveStored: Bool) -> Problem {
        var problem = Problem(
            status: 502, type: "vaultRefused", title: "The vault has refused the request",
            detail: "the remote vault returned \(status)"
                + (mayHaveStored ? ": \(Peer.remoteVault.mayHaveActed)" : "; nothing was sent"),
            domain: .cloakroom)
        problem.extraInfo = [("status", .number(status))]
        return problem
    }

    /// 1480: a bad route id.
    static let invalidConfigurationURL = Problem(
        status: 400, type: "invalidConfigurationURL", title: "The route id is not valid",
        detail: "VGS-Route-Id must be a UUID with its hyphens, and fit the tenant's host name",
        domain: .collect, code: 1480)

    static func timedOut(_ peer: Peer) -> Problem {
        exchange(
            -1001, "timedOut", 504, peer.title(" took too long"), peer.text(" took too long: \(peer.mayHaveActed)"))
    }
    static func connectTimedOut(_ peer: Peer) -> Problem {
        exchange(
            -1001, "timedOut", 504, peer.title(" took too long"),
            "no connection to the \(peer.rawValue) was made in time: nothing was sent")
    }
    static func cannotFindHost(_ peer: Peer) -> Problem {
        exchange(-1003, "cannotFindHost", 502, peer.title("'s name does not resolve"))
    }
    static func cannotConnectToHost(_ peer: Peer) -> Problem {
        exchange(-1004, "cannotConnectToHost", 502, peer.title(" cannot be reached"))
    }
    static func networkConnectionLost(_ peer: Peer) -> Problem {
        let rest = " closed the connection before its response was complete"
        return exchange(
            -1005, "networkConnectionLost", 502, peer.title(rest), peer.text("\(rest): \(peer.mayHaveActed)"))
    }
    static func secureConnectionFailed(_ peer: Peer) -> Problem {
        exchange(
            -1200, "secureConnectionFailed", 502, "TLS with the \(peer.rawValue) failed",
            "no secure connection to the \(peer.rawValue) could be made")
    }
    static func secureConnectionBroken(_ peer: Peer) -> Problem {
        exchange(
            -1200, "secureConnectionFailed", 502, "TLS with the \(peer.rawValue) failed",
            "TLS with the \(peer.rawValue) broke before its response was complete: \(peer.mayHaveActed)")
    }
    static func badServerResponse(_ peer: Peer) -> Problem {
        let rest = "'s response is malformed or too large"
        return exchange(
            -1011, "badServerResponse", 502, peer.title(rest), peer.text("\(rest): \(peer.mayHaveActed)"))
    }

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
