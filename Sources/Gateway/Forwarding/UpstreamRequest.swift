import Configuration
import EventHTTP

/// One exchange with a route's upstream: where it goes, and what is sent besides the call's own method and headers.
///
/// The route is not in it, but passed beside it: it is a value with some fifteen references, and each copy would retain them all.
struct UpstreamRequest {
    /// The origin and base path; a VGS route has another one for each route id.
    let base: BaseURL
    /// Whether the caller has named the host. The route's circuit breaker does not apply to it, and its connections and name
    /// look-ups are limited apart from the route's own.
    var isHostNamed = false
    /// Path and query, still percent-encoded.
    let target: String
    var contentType: String? = "application/json"
    /// Content codings of a body that is passed on unread (RFC 9110 section 8.4).
    var contentCodings: [String] = []
    /// Values that replace the caller's, by header name in lower case. A header is sent only if the route forwards it.
    var headerValues: [String: [String]] = [:]
    let body: [UInt8]
    /// How much of the response's body is there before it is returned; the rest is streamed.
    var buffering = ResponseBuffering.streamed(beyond: 32_768, after: .seconds(1))
    /// Whether the response is searched for values. Then the upstream is asked for a body without a content coding
    /// (`Accept-Encoding: identity`, RFC 9110 section 12.5.3), and a response that is too large is withheld.
    var searchesResponse = false
    /// Whether the upstream must not get the request twice, because it has an idempotency key.
    var isSentOnce = false

    init(base: BaseURL, target: String, body: [UInt8]) {
        self.base = base
        self.target = target
        self.body = body
    }
}

/// A response of an upstream, of any status.
struct UpstreamResponse {
    let response: ClientResponse
    /// From sending the request until the response was there; nil if it was not measured.
    let microseconds: Int64?
}
