import Access
import Configuration
import EventHTTP
import FormSchema
import HTTPWire
import JSON

/// Lets pages of other origins call a form (Fetch standard, CORS protocol): those that the form's `allowedOrigins` names.
/// Credentials of the browser (`Access-Control-Allow-Credentials`) are never allowed.
enum CrossOrigin {
    /// Headers of every response that a page may read.
    private static let exposed =
        ["X-Request-Id", "Cloakroom-Upstream-Status", "Retry-After", "ETag", Call.versionHeader]
        + HeaderRule.replayed
    private static let requestHeaders = [
        "Authorization", "Content-Type", "Idempotency-Key", "VGS-Route-Id", "X-Request-Id", Call.versionHeader,
    ]

    /// The value of `Access-Control-Allow-Origin`: the request's origin, if it is among those `allowed`, or `*`. If the request's headers
    /// could not be read as far as that, its origin is unknown, and only `*` is possible.
    ///
    /// - Parameter partial: of a head that could not be read whole.
    static func allowedOrigin(
        for head: RequestHead?, partial: PartialHead? = nil, among allowed: [String]
    ) -> String? {
        guard !allowed.isEmpty else { return nil }
        let origin = head.map { $0[.origin] } ?? partial?.origin
        if head != nil, origin == nil { return nil }
        if let origin, allowed.contains(where: { $0.hasSameBytes(as: origin) }) { return origin }
        return allowed.contains("*") ? "*" : nil
    }

    /// Whether a browser asks if a page may send a request (Fetch standard, CORS-preflight request).
    static func isPreflight(_ head: RequestHead) -> Bool {
        head.method == .options && head.contains("Access-Control-Request-Method") && head[.origin] != nil
    }

    /// Adds the CORS headers, to error responses too: without them the page could not read the status. `Vary` tells caches that
    /// the response depends on the origin. Where origins are named, the upstream's own CORS headers are dropped.
    ///
    /// - Parameters:
    ///   - head: of the request; nil if it could not be read.
    ///   - partial: what of it could be read then.
    ///   - allowed: the origins of the form, or of all forms for what is about none.
    ///   - route: the form's, which names headers that it passes back from its upstream.
    ///   - hasLimits: whether there are limits on requests, and headers that say what is left.
    static func add(
        to response: inout CallResponse, for head: RequestHead?, partial: PartialHead? = nil, allowed: [String],
        route: Route?, hasLimits: Bool
    ) {
        guard !allowed.isEmpty else { return }
        if response.upstreamStatus != nil {
            response.headers.removeAll { $0.0.lowercased().hasPrefix("access-control-") }
        }
        if !response.variesByOrigin { response.headers.append(("Vary", "Origin")) }
        guard let origin = allowedOrigin(for: head, partial: partial, among: allowed) else { return }
        response.headers.append(("Access-Control-Allow-Origin", origin))
        let names = exposed + (hasLimits ? Allowance.headers : []) + (route?.responseHeaders ?? [])
        response.headers.append(("Access-Control-Expose-Headers", list(names)))
    }

    /// The response to `OPTIONS`. ``add(to:for:partial:allowed:route:hasLimits:)`` completes it.
    ///
    /// - Parameter headers: names that pages may send besides those that the gateway itself reads.
    static func preflight(
        _ head: RequestHead, methods: MethodSet, allowed: [String], headers: [String]
    ) -> CallResponse {
        var response = CallResponse.options(methods)
        if isPreflight(head), allowedOrigin(for: head, among: allowed) != nil {
            response.headers.append(("Access-Control-Allow-Methods", methods.names))
            response.headers.append(("Access-Control-Allow-Headers", list(requestHeaders + headers)))
            response.headers.append(("Access-Control-Max-Age", "600"))
        }
        return response
    }

    /// Each name once, whatever its case.
    private static func list(_ names: [String]) -> String {
        var seen: Set<String> = []
        return names.filter { seen.insert($0.lowercased()).inserted }.joined(separator: ", ")
    }
}

extension CallResponse {
    /// Whether a `Vary` of the upstream says it already.
    fileprivate var variesByOrigin: Bool {
        headers.contains { name, value in
            name.lowercased() == "vary"
                && value.lowercased().split(separator: ",").contains { part in
                    let part = part.drop { $0 == " " }
                    return part == "*" || part.prefix { $0 != " " } == "origin"
                }
        }
    }
}
