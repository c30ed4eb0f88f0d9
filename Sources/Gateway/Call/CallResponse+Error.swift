import Access
import EventHTTP
import HTTPWire
import JSON
import Vault

extension CallResponse {
    /// The response to a call that ended with `error`, in the form of its plane.
    static func error(_ error: CallError, to call: Call) async -> CallResponse {
        switch (error, call.endpoint.plane) {
        case (.upstream(let error, let route, let microseconds, let wasSent), _):
            var response = await self.error(error, to: call)
            response.exchange = ExchangeRecord(route: route, microseconds: microseconds)
            response.upstreamMayHaveActed = wasSent
            return response
        case (.remoteVault(let cause, let mayHaveStored), _):
            // Forms alone use a remote vault. The problem says that it was the vault, and what may have happened there.
            var response: CallResponse
            switch cause {
            case .vaultResponse(let refusal): response = passing(refusal)
            case .vaultRefused(let status), .responseWithheld(let status, _):
                response = await problem(error, to: call)
                response.upstreamStatus = status
            default: response = await problem(error, to: call)
            }
            response.upstreamMayHaveActed = mayHaveStored
            return response
        case (.vaultResponse(let response), _): return passing(response)
        case (_, .client): return await problem(error, to: call)
        case (_, .vault): return vaultErrors(error, href: call.href, requestID: call.id)
        case (_, .token): return tokenError(error)
        }
    }

    /// The client plane's form, for a request that is not read.
    ///
    /// - Parameter instance: path of the request; nil if it could not be read.
    static func problem(_ error: CallError, instance: String?, requestID: String) -> CallResponse {
        let problem = Problem(error)
        return .problem(problem, body: masked(body(of: problem, instance: instance, requestID: requestID)))
    }

    /// The client plane's form. Names of fields that do not exist are as long as the call's body allows: then they are searched for
    /// card numbers beside the loop.
    private static func problem(_ error: CallError, to call: Call) async -> CallResponse {
        let problem = Problem(error)
        let body = body(of: problem, instance: call.path, requestID: call.id)
        return .problem(problem, body: await LargeBodies.work(on: body.count) { masked(body) })
    }

    private static func body(of problem: Problem, instance: String?, requestID: String) -> [UInt8] {
        var json = JSONWriter(capacity: 1_024)
        problem.write(into: &json, instance: instance, requestID: requestID)
        return json.bytes
    }

    /// A path, or the name of a field that does not exist, may be a card number.
    private static func masked(_ body: [UInt8]) -> [UInt8] { PANMask.masked(body, isJSON: true) ?? body }

    /// The vault plane's form.
    ///
    /// - Parameters:
    ///   - href: URL of the request, without credentials and query.
    ///   - requestID: as in `X-Request-Id`.
    static func vaultErrors(_ error: CallError, href: String, requestID: String) -> CallResponse {
        let errors = VaultErrors(error)
        var json = JSONWriter(capacity: 256)
        errors.write(into: &json, href: href, requestID: requestID)
        var response = CallResponse.json(errors.status, json.bytes)
        response.headers += errors.headers
        response.errorCode = errors.status
        return response
    }

    /// The token endpoint's form.
    static func tokenError(_ error: CallError) -> CallResponse {
        let problem = Problem(error)
        let code: TokenEndpointError.Code =
            switch problem.status {
            case 429, 503: .temporarilyUnavailable
            case 500: .serverError
            default: .invalidRequest
            }
        var response = CallResponse.json(problem.status, TokenEndpointError(code, problem.detail).body)
        response.headers += problem.headers
        response.errorCode = problem.status
        return response
    }

    /// Headers of a remote vault's response that the caller needs to react to it.
    private static let vaultHeaders = ["Content-Type", "Content-Encoding", "Retry-After", "WWW-Authenticate"]

    private static func passing(_ remote: ClientResponse) -> CallResponse {
        var response = CallResponse(status: remote.status, body: remote.body)
        for name in vaultHeaders {
            for case let value? in remote.headers.texts(name) { response.headers.append((name, value)) }
        }
        response.headers.append((CallResponse.upstreamStatusName, String(remote.status)))
        response.upstreamStatus = remote.status
        return response
    }
}
