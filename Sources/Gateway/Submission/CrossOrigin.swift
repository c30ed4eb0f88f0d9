import Configuration
import FormSchema
import HTTPWire
import JSON

/// Lets pages of other origins call a form (Fetch standard, CORS protocol): those that the form's `allowedOrigins` names.
/// Credentials of the browser (`Access-Control-Allow-Credentials`) are never allowed.
enum CrossOrigin {
    /// Headers of every response that a page may read.
    private static let exposed =
        "X-Request-Id, Cloakroom-Upstream-Status, Retry-After, ETag, Idempotency-Replayed, Idempotent-Replayed"
    private static let requestHeaders = [
        "Authorization", "Content-Type", "Idempotency-Key", "VGS-Route-Id", "X-Request-Id",
    ]

    /// The value of `Access-Control-Allow-Origin`: the request's origin, if `allowed` has it, or `*`. If the request's headers could
    /// not be read, its origin is unknown, and only `*` is possible.
    static func allowance(for head: RequestHead?, allowed: [String]) -> String? {
        guard !allowed.isEmpty else { return nil }
        if let head {
            guard let origin = head["Origin"] else { return nil }
            if allowed.contains(where: { $0.hasSameBytes(as: origin) }) { return origin }
        }
        return allowed.contains("*") ? "*" : nil
    }

    /// Adds the CORS headers, to error responses too: without them the page could not read the status. `Vary` tells caches that
    /// the response depends on the origin. Where a form names origins, the upstream's own CORS headers are dropped.
    ///
    /// - Parameters:
    ///   - head: of the request; nil if it could not be read.
    ///   - limitHeader: name of the header with the rate limit, if there is one.
    static func add(to response: inout CallResponse, for head: RequestHead?, of form: HostedForm, limitHeader: String?)
    {
        let allowed = form.schema.allowedOrigins
        guard !allowed.isEmpty else { return }
        if response.upstreamStatus != nil {
            response.headers.removeAll { $0.0.lowercased().hasPrefix("access-control-") }
        }
        response.headers.append(("Vary", "Origin"))
        guard let origin = allowance(for: head, allowed: allowed) else { return }
        response.headers.append(("Access-Control-Allow-Origin", origin))
        response.headers.append(("Access-Control-Expose-Headers", exposed(of: form, limitHeader: limitHeader)))
    }

    /// The readable headers, including those that the form's route passes back from its upstream.
    private static func exposed(of form: HostedForm, limitHeader: String?) -> String {
        var names = exposed
        if let limitHeader { names += ", " + limitHeader }
        for name in form.route?.responseHeaders ?? [] { names += ", " + name }
        return names
    }

    /// The response to `OPTIONS`. ``add(to:for:of:limitHeader:)`` completes it.
    static func preflight(_ head: RequestHead, methods: String, allowed: [String], forwarded: [String]) -> CallResponse
    {
        var response = CallResponse(status: 204, headers: [("Allow", methods)])
        if head.contains("Access-Control-Request-Method"), allowance(for: head, allowed: allowed) != nil {
            response.headers.append(("Access-Control-Allow-Methods", methods))
            let names = (requestHeaders + forwarded).joined(separator: ", ")
            response.headers.append(("Access-Control-Allow-Headers", names))
            response.headers.append(("Access-Control-Max-Age", "600"))
        }
        return response
    }
}
