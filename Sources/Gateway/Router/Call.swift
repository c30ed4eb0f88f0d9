import EventHTTP
import HTTPWire
import JSON

/// One request on its way through the gateway. A class, so that every step on the way counts one reference and not all of
/// those that a request holds.
final class Call: Sendable {
    let request: ServerRequest
    let head: RequestHead
    /// The target's path, still encoded.
    let path: String
    /// Its name in logs and answers.
    let id: String

    init(_ request: ServerRequest) {
        self.request = request
        head = request.head
        path = head.path
        id = Self.name(head)
    }

    static func name(_ head: RequestHead) -> String {
        if let given = head["X-Request-Id"], RequestID.acceptable(given) { return given }
        return RequestID.make()
    }

    /// The body as JSON (RFC 8259), which its media type must announce; one that is compressed besides is not read.
    func json() throws(RequestFault) -> JSONText {
        guard MediaType.isJSON(head.headers), !head.headers.hasContentCoding else { throw .unsupportedMediaType }
        do {
            return try JSONText(parsing: request.body)
        } catch {
            throw .malformed("the body is not JSON: \(error)")
        }
    }

    /// URL of the request, without credentials and query.
    var href: String { Self.href(path, host: head.host, isSecure: request.isSecure) }

    /// - Parameter host: nil if the request names none.
    static func href(_ path: String, host: String?, isSecure: Bool) -> String {
        let authority = host ?? "localhost"
        let host = authority.lastIndex(of: "@").map { authority[authority.index(after: $0)...] } ?? authority[...]
        return "\(isSecure ? "https" : "http")://\(host)\(path)"
    }
}
