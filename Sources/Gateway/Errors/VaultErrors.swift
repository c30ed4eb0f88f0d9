import JSON

/// A ``CallError`` as the vault plane renders it: an `errors` body as the VGS Vault API writes it
/// (`docs/reference/vault-api.md` section 3).
struct VaultErrors: Sendable {
    let status: Int
    /// One entry for each; at least one.
    let details: [String]
    let headers: [(String, String)]

    /// Status, detail and headers are those of the client plane's row, except that unknown aliases get one entry each.
    init(_ error: CallError) {
        let row = Problem(error)
        status = row.status
        if case .unauthorized = error { headers = [Self.challenge] } else { headers = row.headers }
        if case .aliasesNotFound(let aliases) = error, !aliases.isEmpty {
            details = aliases.map { "Unknown alias: \($0)" }
        } else if case .aliasesNotFound = error {
            details = ["Unknown alias"]
        } else {
            details = [row.detail]
        }
    }

    /// Both schemes that are accepted (RFC 9110 section 11.6.1). The callers are servers.
    private static let challenge = (
        "WWW-Authenticate", "Basic realm=\"cloakroom\", charset=\"UTF-8\", Bearer realm=\"cloakroom\""
    )

    private var title: StaticString {
        switch status {
        case 401: "Unauthorized"
        case 403: "Forbidden"
        case 404: "Not found"
        case 405: "Method not allowed"
        case 408: "Request timeout"
        case 413: "Payload too large"
        case 415: "Unsupported media type"
        case 429: "Too many requests"
        case 500: "Internal error"
        case 501: "Not implemented"
        case 503: "Unavailable"
        case 507: "Insufficient storage"
        default: "Bad request"
        }
    }

    /// - Parameter href: URL of the request, without credentials and query.
    func write(into json: inout JSONWriter, href: String) {
        json.beginObject()
        json.key("errors")
        json.beginArray()
        for detail in details {
            json.beginObject()
            json.key("status")
            json.number(status)
            json.key("title")
            json.string(title)
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
