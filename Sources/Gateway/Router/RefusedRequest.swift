import EventHTTP
import JSON

/// The answer to a request that never became one: the wire layer found it malformed, too large, or too slow.
enum RefusedRequest {
    static func answer(
        _ fault: RequestFault, to refusal: Refusal, path: String?, id: String, plane: Endpoint.Plane, isSecure: Bool
    ) -> Answer {
        var json = JSONWriter(capacity: 512)
        switch plane {
        case .client:
            let problem = Problem(fault)
            problem.write(into: &json, instance: path, requestID: id)
            return .problem(problem, body: json.bytes)
        case .vault:
            let problem = VaultProblem(fault)
            problem.write(into: &json, href: refusal.head.map { Call.href($0, isSecure: isSecure) } ?? "")
            var answer = Answer.json(problem.status, json.bytes)
            answer.headers += problem.headers
            answer.errorCode = problem.status
            return answer
        }
    }
}
