import EventHTTP
import HTTPWire

extension Authenticator {
    /// The credential of a call, which must have `scope`. What the call presents itself goes before its client's certificate.
    func authorize(_ call: Call, _ scope: Scope) async throws(Failure) -> Credential {
        let credential = try await self.credential(of: call)
        guard credential.scopes.contains(scope) else {
            throw .fault(.forbidden("the credential lacks \(scope.rawValue)"))
        }
        return credential
    }

    private func credential(of call: Call) async throws(Failure) -> Credential {
        let presented = call.head.headers[.authorization]
        if presented == nil, let credential = credential(ofClientNamed: call.request.clientNames) { return credential }
        do { return try await credential(presentedBy: presented) } catch {
            switch error {
            case .unknown: throw .fault(.unauthorized)
            case .overloaded: throw .fault(.unavailable)
            }
        }
    }
}
