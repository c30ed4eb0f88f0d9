import JSON

/// A ``CallError`` as the vault plane renders it: an `errors` body as the VGS Vault API writes it
/// (`docs/reference/vault-api.md` section 3).
struct VaultErrors: Sendable {
    let status: Int
    /// The problem type of the client plane for the same error.
    let type: String
    /// One entry for each; at least one.
    let details: [String]
    let headers: [(String, String)]

    /// Status, detail and headers are those of the client plane's problem, except that unknown aliases get one entry each.
    init(_ error: CallError) {
        let problem = Problem(error)
        status = problem.status
        type = problem.type
        switch error {
        case .unauthorized: headers = [("WWW-Authenticate", Self.challenge)]
        // RFC 6750 section 3.1.
        case .refusedToken: headers = [("WWW-Authenticate", Self.challenge + ", error=\"invalid_token\"")]
        default: headers = problem.headers
        }
        if case .aliasesNotFound(let aliases) = error, !aliases.isEmpty {
            details = aliases.map { "Unknown alias: \($0)" }
        } else if case .aliasesNotFound = error {
            details = ["Unknown alias"]
        } else {
            details = [problem.detail]
        }
    }

    /// Both schemes that are accepted (RFC 9110 section 11.6.1). The callers are servers.
    private static let challenge = "Basic realm=\"cloakroom\", charset=\"UTF-8\", Bearer realm=\"cloakroom\""

    /// The title of a status.
    static func title(of status: Int, type: String = "") -> String {
        switch status {
        case 503 where type == "damaged": "Damaged"
        case 401: "Unauthorized"
        case 403: "Forbidden"
        case 404: "Not found"
        case 405: "Method not allowed"
        case 408: "Request timeout"
        case 413: "Payload too large"
        case 414: "URI too long"
        case 415: "Unsupported media type"
        case 417: "Expectation failed"
        case 429: "Too many requests"
        case 431: "Request header fields too large"
        case 500: "Internal error"
        case 501: "Not implemented"
        case 503: "Unavailable"
        case 505: "HTTP version not supported"
        case 507: "Insufficient storage"
        default: "Bad request"
        }
    }

    /// - Parameters:
    ///   - href: URL of the request, without credentials and query.
    ///   - requestID: as in `X-Request-Id`.
    func write(into json: inout JSONWriter, href: String, requestID: String) {
        json.beginObject()
        json.key("requestId")
        json.string(requestID)
        json.key("type")
        json.string("urn:cloakroom:problem:" + type)
        json.key("detail")
        json.string(details.joined(separator: "; "))
        json.key("errors")
        json.beginArray()
        for detail in details {
            json.beginObject()
            json.key("status")
            json.number(status)
            json.key("title")
            json.string(Self.title(of: status, type: type))
            json.key("detail")
            json.string(detail)
            json.key("href")
            json.string(href)
            json.endObject()
        }
        json.endArray()
        json.endObject()
    }
}
