import Configuration
import FormSchema
import HTTPWire
import JSON

/// Lets pages of other origins call a form (Fetch standard, CORS protocol). Only origins that the form names are let in;
/// credentials of the browser never are.
enum CrossOrigin {
    /// What a page may read of every answer besides the body.
    private static let exposed = "X-Request-Id, Cloakroom-Upstream-Status, Retry-After, ETag, Idempotent-Replayed"
    private static let requestHeaders = [
        "Authorization", "Content-Type", "Idempotency-Key", "VGS-Route-Id", "X-Request-Id",
    ]

    /// The origin to allow: the request's own, if `allowed` has it, or `*`. Of a request whose headers could not be read, nobody
    /// knows the origin, and only `*` lets it in.
    static func allowance(for head: RequestHead?, allowed: [String]) -> String? {
        guard !allowed.isEmpty else { return nil }
        if let head {
            guard let origin = head["Origin"] else { return nil }
            if allowed.contains(where: { $0.hasSameBytes(as: origin) }) { return origin }
        }
        return allowed.contains("*") ? "*" : nil
    }

    /// Adds what lets the page read the answer, whatever it says: without, a page sees of a refusal no more than that something
    /// failed. Caches must know that it depends on the origin. Where a form names origins,
    /// its upstream has no say in who may read what this gateway answers.
    ///
    /// - Parameters:
    ///   - head: of the request; nil if it could not be read.
    ///   - isLimited: whether answers say how many requests are left.
    static func add(to answer: inout Answer, for head: RequestHead?, of form: HostedForm, isLimited: Bool) {
        let allowed = form.schema.allowedOrigins
        guard !allowed.isEmpty else { return }
        if answer.upstreamStatus != nil {
            answer.headers.removeAll { $0.0.lowercased().hasPrefix("access-control-") }
        }
        answer.headers.append(("Vary", "Origin"))
        guard let origin = allowance(for: head, allowed: allowed) else { return }
        answer.headers.append(("Access-Control-Allow-Origin", origin))
        answer.headers.append(("Access-Control-Expose-Headers", exposed(of: form, isLimited: isLimited)))
    }

    /// What a page may read: also what the route lets through of its upstream's headers, which would be of no use otherwise.
    private static func exposed(of form: HostedForm, isLimited: Bool) -> String {
        var names = exposed
        if isLimited { names += ", " + RateLimiter.header }
        for name in form.route?.responseHeaders ?? [] { names += ", " + name }
        return names
    }

    /// The answer to `OPTIONS`: what may be called, and for a page whose origin is allowed, that it may. What every answer says
    /// is added later.
    static func preflight(_ head: RequestHead, methods: String, allowed: [String], forwarded: [String]) -> Answer {
        var answer = Answer(status: 204, headers: [("Allow", methods)])
        if head.contains("Access-Control-Request-Method"), allowance(for: head, allowed: allowed) != nil {
            answer.headers.append(("Access-Control-Allow-Methods", methods))
            let names = (requestHeaders + forwarded).joined(separator: ", ")
            answer.headers.append(("Access-Control-Allow-Headers", names))
            answer.headers.append(("Access-Control-Max-Age", "600"))
        }
        return answer
    }
}
