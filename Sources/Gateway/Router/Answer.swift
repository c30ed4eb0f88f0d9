/// What a handler answers with, and what the log may say of it.
struct Answer {
    var status: Int
    var headers: [(String, String)]
    var body: [UInt8]
    /// Code of the error, if it is one of the gateway's own.
    var errorCode: Int?
    /// Status of the upstream that was passed through.
    var upstreamStatus: Int?

    init(status: Int, headers: [(String, String)] = [], body: [UInt8] = []) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    private static let notKept = ("Cache-Control", "no-store")
    private static let notGuessed = ("X-Content-Type-Options", "nosniff")

    /// JSON that may be about values: no cache keeps it (RFC 9111 section 5.2.2.5).
    static func json(_ status: Int, _ body: [UInt8]) -> Answer {
        var headers: [(String, String)] = []
        // With room for what the router adds.
        headers.reserveCapacity(6)
        headers.append(("Content-Type", "application/json"))
        headers.append(("Cache-Control", "no-store"))
        headers.append(("X-Content-Type-Options", "nosniff"))
        return Answer(status: status, headers: headers, body: body)
    }

    /// Without a body.
    static func empty(_ status: Int) -> Answer { Answer(status: status, headers: [notKept]) }

    static func problem(_ problem: Problem, body: [UInt8]) -> Answer {
        var answer = Answer(
            status: problem.status,
            headers: [("Content-Type", Problem.mediaType), notKept, notGuessed] + problem.headers,
            body: body)
        answer.errorCode = problem.code
        return answer
    }
}
