import AuditLog
import Configuration
import EventHTTP
import HTTPWire

extension Authenticator {
    /// The credential of a call, which must have `scope`. `Authorization` takes precedence over the client's certificate.
    func authorize(_ call: Call, _ scope: CredentialSettings.Scope) async throws(CallError) -> Credential {
        let credential = try await self.credential(of: call, for: scope)
        guard credential.scopes.contains(scope) else {
            try audit.demandRecord(
                of: AuditEvent(scope.action, .forbidden, requestID: call.id, credential: credential.name))
            throw .forbidden("the credential lacks \(scope.rawValue)")
        }
        return credential
    }

    private func credential(of call: Call, for scope: CredentialSettings.Scope) async throws(CallError) -> Credential {
        let presented = call.head[.authorization]
        if presented == nil, let credential = credential(ofClientNamed: call.request.clientNames) { return credential }
        do { return try await credential(presentedBy: presented, from: call.request.remoteAddress) } catch {
            switch error {
            case .unknown:
                do throws(AuditFailure) {
                    try audit.recordStranger(AuditEvent(scope.action, .unauthorized, requestID: call.id))
                } catch { throw .auditUnavailable }
                throw .unauthorized
            case .overloaded: throw .credentialsBusy
            }
        }
    }
}

extension CredentialSettings.Scope {
    /// The audit log's name for what needs this scope.
    fileprivate var action: AuditEvent.Action {
        switch self {
        case .createAliases, .createSessions: .create
        case .revealAliases, .readOperations: .reveal
        case .updateAliases: .update
        case .deleteAliases: .delete
        case .sendForms, .sendRoutes: .send
        }
    }
}
