import HTTPWire

extension Authenticator {
    /// The credential of a call, which must have `scope`.
    func authorize(_ call: Call, _ scope: Scope) async throws(Failure) -> Credential {
        let credential: Credential
        do {
            credential = try await self.credential(presentedBy: call.head.headers[.authorization])
        } catch {
            switch error {
            case .unknown: throw .fault(.unauthorized)
            case .overloaded: throw .fault(.unavailable)
            }
        }
        guard credential.scopes.contains(scope) else {
            throw .fault(.forbidden("the credential lacks \(scope.rawValue)"))
        }
        return credential
    }
}
