import JSON
import Vault

/// Why a call has no success to answer with.
enum Failure: Error {
    /// The plane words it.
    case fault(RequestFault)
    /// With the states of all fields as JSON, where the problem is about them.
    case problem(Problem, states: [UInt8]? = nil)
    case vault(VaultProblem)
    /// A remote vault's own answer, which is no success.
    case vaultRefused(Answer)
    /// The upstream of this route gave no answer in that time, if it was measured.
    indirect case unanswered(Failure, route: String, microseconds: Int64?)
}

extension Failure {
    /// What the vault could not do for a form.
    init(_ error: VaultError) {
        switch error {
        case .unavailable: self = .fault(.unavailable)
        case .outcomeUnknown: self = .fault(.outcomeUnknown)
        case .damaged(let alias): self = .fault(.damaged(alias: alias))
        case .volatileStorageFull: self = .fault(.volatileStorageFull)
        case .aliasSpaceExhausted(let format): self = .fault(.aliasSpaceExhausted(format: format.rawValue))
        default: self = .fault(.internalError)
        }
    }

    /// The error's code, if it is one of an exchange with an upstream.
    var code: Int? {
        if case .problem(let problem, _) = self { problem.code } else { nil }
    }

    /// The answer, in the words of the plane.
    func answer(to call: Call, on plane: Endpoint.Plane) -> Answer {
        switch (self, plane) {
        case (.problem(let problem, let states), _):
            var json = JSONWriter(capacity: 1_024)
            problem.write(into: &json, instance: call.path, requestID: call.id, states: states)
            return .problem(problem, body: json.bytes)
        case (.fault(let fault), .client): return Failure.problem(Problem(fault)).answer(to: call, on: plane)
        case (.fault(let fault), .vault): return Failure.vault(VaultProblem(fault)).answer(to: call, on: plane)
        case (.vaultRefused(let answer), _): return answer
        case (.unanswered(let failure, let route, let microseconds), _):
            var answer = failure.answer(to: call, on: plane)
            answer.upstream = UpstreamNote(route: route, microseconds: microseconds)
            return answer
        case (.vault(let problem), _):
            var json = JSONWriter(capacity: 256)
            problem.write(into: &json, href: call.href)
            var answer = Answer.json(problem.status, json.bytes)
            answer.headers += problem.headers
            answer.errorCode = problem.status
            return answer
        }
    }
}
