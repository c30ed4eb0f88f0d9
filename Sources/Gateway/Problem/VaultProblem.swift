import JSON

/// An error of the vault plane: an `errors` body as the VGS Vault API writes it (docs/reference/vault-api.md section 3).
struct VaultProblem: Error, Sendable {
    let status: Int
    /// One entry each; at least one.
    let details: [String]
    var headers: [(String, String)] = []
    private var isDamage = false

    init(_ fault: RequestFault) {
        if case .damaged = fault { isDamage = true }
        status = fault.status
        details = [fault.detail]
        headers = fault.headers
    }

    /// 400 with the reason.
    static func badRequest(_ detail: String) -> VaultProblem { VaultProblem(.malformed(detail)) }

    /// 404, one entry an alias.
    static func unknownAliases(_ aliases: [String]) -> VaultProblem {
        VaultProblem(status: 404, details: aliases.map { "Unknown alias: \($0)" })
    }

    private init(status: Int, details: [String]) {
        self.status = status
        self.details = details.isEmpty ? ["Unknown alias"] : details
    }

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
        case 503: isDamage ? "Damaged" : "Unavailable"
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
