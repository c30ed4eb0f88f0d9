import EventHTTP
import HTTPWire

/// What a call returns: the response, and what the access log says of it.
struct CallResponse {
    var status: Int
    /// Headers that are serialized once and shared by all responses of a kind.
    var fixed: FieldBlock
    /// The others.
    var headers: [(String, String)]
    var body: [UInt8]
    /// The rest of an upstream's response, which is streamed in place of `body`.
    var incoming: IncomingBody?
    /// Code of the error, if the response is an error of the gateway.
    var errorCode: Int?
    /// The upstream's status, if its response is passed through.
    var upstreamStatus: Int?
    /// Whether the route's upstream has got the request, or a remote vault has stored its values, or either may have. Under an idempotency
    /// key the request is then not sent again.
    var upstreamMayHaveActed = false
    /// Whether the response may be stored under an idempotency key: it has no VOLATILE value, and no alias that shows part of one.
    var isStorable = true
    /// The exchange with an upstream, if there was one.
    var exchange: ExchangeRecord?
    /// What the values in the body take of their caller's share until it is sent; nil for none.
    var share: RevealShares.Share?

    init(status: Int, fixed: FieldBlock = .none, headers: [(String, String)] = [], body: [UInt8] = []) {
        self.status = status
        self.fixed = fixed
        self.headers = headers
        self.body = body
    }

    /// All headers, as they are stored under an idempotency key.
    var allHeaders: [(String, String)] { fixed.fields + headers }

    /// A response may be about values: no cache may store it (RFC 9111 section 5.2.2.5), and no client may guess its type.
    private static var jsonHeaders: FieldBlock {
        FieldBlock(
            literal:
                "Content-Type: application/json\r\nCache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\n")
    }
    private static var problemHeaders: FieldBlock {
        FieldBlock(
            literal:
                "Content-Type: application/problem+json\r\nCache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\n"
        )
    }
    private static var emptyHeaders: FieldBlock { FieldBlock(literal: "Cache-Control: no-store\r\n") }

    /// JSON that may be about values.
    static func json(_ status: Int, _ body: [UInt8]) -> CallResponse {
        CallResponse(status: status, fixed: jsonHeaders, body: body)
    }

    /// Without a body.
    static func empty(_ status: Int) -> CallResponse { CallResponse(status: status, fixed: emptyHeaders) }

    static func problem(_ problem: Problem, body: [UInt8]) -> CallResponse {
        var response = CallResponse(status: problem.status, fixed: problemHeaders, headers: problem.headers, body: body)
        response.errorCode = problem.code
        return response
    }

    /// As the server sends it, with the request id.
    consuming func serverResponse(requestID: String) -> ServerResponse {
        headers.append(("X-Request-Id", requestID))
        var response = ServerResponse(status: status, fixed: fixed, headers: headers, body: body, incoming: incoming)
        if let buffered = exchange?.buffered { response.kept = buffered } else { response.kept = share }
        return response
    }
}

/// What the access log says of an exchange with an upstream. A class: responses are passed through many functions and stay
/// small.
final class ExchangeRecord: Sendable {
    /// Name of the route.
    let route: String
    /// From sending the request until a response, or an error, was there; nil if it was not measured.
    let microseconds: Int64?
    /// Keeps a large body charged to its loop's budget until it is sent; nil for small ones.
    let buffered: BufferedBytes?

    init(route: String, microseconds: Int64?, buffered: BufferedBytes? = nil) {
        self.route = route
        self.microseconds = microseconds
        self.buffered = buffered
    }
}
