import EventHTTP
import HTTPWire
import JSON

/// The answer to a request that never became one: the wire layer found it malformed, too large, or too slow.
enum RefusedRequest {
    /// The path that was asked for, still encoded; of a head that could not be read, what looks like it, which may be
    /// anything.
    static func path(of refusal: RequestRejection) -> String {
        if let head = refusal.head { return head.path }
        var target = (refusal.partialHead?.target ?? "")[...]
        for scheme in ["http://", "https://"] where target.lowercased().hasPrefix(scheme) {
            target = target.dropFirst(scheme.count).drop { $0 != "/" && $0 != "?" }
        }
        return String(target.prefix { $0 != "?" && $0 != "#" })
    }

    static func answer(
        _ fault: RequestFault, to refusal: RequestRejection, path: String, id: String, plane: Endpoint.Plane,
        isSecure: Bool
    ) -> Answer {
        var json = JSONWriter(capacity: 512)
        switch plane {
        case .client:
            let problem = Problem(fault)
            let isRead = refusal.head != nil || refusal.partialHead?.hasRequestLine == true
            problem.write(into: &json, instance: isRead ? path : nil, requestID: id)
            return .problem(problem, body: json.bytes)
        case .vault:
            let problem = VaultProblem(fault)
            problem.write(
                into: &json,
                href: Call.href(path, host: refusal.head?.host ?? refusal.partialHead?.host, isSecure: isSecure)
            )
            var answer = Answer.json(problem.status, json.bytes)
            answer.headers += problem.headers
            answer.errorCode = problem.status
            return answer
        }
    }
}
