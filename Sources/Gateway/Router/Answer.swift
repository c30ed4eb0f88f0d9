import EventHTTP
import HTTPWire

/// What a handler answers with, and what the log may say of it.
struct Answer {
    var status: Int
    /// Headers that are the same every time, put together once.
    var fixed: FieldBlock
    /// The others.
    var headers: [(String, String)]
    var body: [UInt8]
    /// The rest of an upstream's answer that is passed on while it arrives, in place of `body`.
    var incoming: IncomingBody?
    /// Code of the error, if it is one of the gateway's own.
    var errorCode: Int?
    /// Status of the upstream that was passed through.
    var upstreamStatus: Int?
    /// Of an upstream that was asked.
    var upstream: UpstreamNote?

    init(status: Int, fixed: FieldBlock = .none, headers: [(String, String)] = [], body: [UInt8] = []) {
        self.status = status
        self.fixed = fixed
        self.headers = headers
        self.body = body
    }

    /// All headers, for those who keep an answer.
    var allHeaders: [(String, String)] { fixed.fields + headers }

    /// No cache keeps what may be about values (RFC 9111 section 5.2.2.5), and no client guesses what it is.
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
    static func json(_ status: Int, _ body: [UInt8]) -> Answer {
        Answer(status: status, fixed: jsonHeaders, body: body)
    }

    /// Without a body.
    static func empty(_ status: Int) -> Answer { Answer(status: status, fixed: emptyHeaders) }

    static func problem(_ problem: Problem, body: [UInt8]) -> Answer {
        var answer = Answer(status: problem.status, fixed: problemHeaders, headers: problem.headers, body: body)
        answer.errorCode = problem.code
        return answer
    }

    /// As the server sends it, with the request's name.
    consuming func response(named id: String) -> ServerResponse {
        headers.append(("X-Request-Id", id))
        var response = ServerResponse(status: status, fixed: fixed, headers: headers, body: body, incoming: incoming)
        response.buffered = upstream?.held
        return response
    }
}
