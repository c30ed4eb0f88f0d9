import AuditLog
import Configuration
import EventHTTP
import HTTPWire

extension Authenticator {
    /// The credential of a call, which must have `scope`. What the call presents itself goes before its client's certificate.
    func authorize(_ call: Call, _ scope: Scope) async throws(Failure) -> Credential {
        let credential = try await self.credential(of: call, for: scope)
        guard credential.scopes.contains(scope) else {
            try audit.demandRecord(
                of: AuditEvent(scope.action, .forbidden, requestID: call.id, credential: credential.name))
            throw .fault(.forbidden("the credential lacks \(scope.rawValue)"))
        }
        return credential
    }

    private func credential(of call: Call, for scope: Scope) async throws(Failure) -> Credential {
        let presented = call.head[.authorization]
        if presented == nil, let credential = credential(ofClientNamed: call.request.clientNames) { return credential }
        do { return try await credential(presentedBy: presented, from: call.request.remoteAddress) } catch {
            switch error {
            case .unknown:
                do throws(AuditFailure) {
                    try audit.recordStranger(AuditEvent(scope.action, .unauthorized, requestID: call.id))
                } catch { throw .fault(.auditUnavailable) }
                throw .fault(.unauthorized)
            case .overloaded: throw .fault(.credentialsBusy)
            }
        }
    }

}

extension AuditLog {
    /// A place for what is about to be done, in the words of a call: what cannot be recorded is not done.
    func demandPlace(for count: Int = 1) throws(Failure) -> AuditPlace {
        do throws(AuditFailure) { return try place(for: count) } catch { throw .fault(.auditUnavailable) }
    }

    /// Likewise for what cannot be looked up again once it has gone, or was otherwise: while the log cannot be written it stays.
    func demandPlaceForChange() throws(Failure) -> AuditPlace {
        if failure != nil { throw .fault(.auditUnavailable) }
        return try demandPlace()
    }

    /// Records that something was not done.
    func demandRecord(of event: AuditEvent) throws(Failure) {
        do throws(AuditFailure) { try record(event) } catch { throw .fault(.auditUnavailable) }
    }

    /// Likewise, and synced.
    func demandDurableRecord(of event: AuditEvent) async throws(Failure) {
        try await demandDurableRecords(of: [event])
    }

    /// Likewise for several.
    func demandDurableRecords(of events: [AuditEvent]) async throws(Failure) {
        do throws(AuditFailure) { try await recordDurably(events) } catch { throw .fault(.auditUnavailable) }
    }
}

extension Scope {
    /// What a call that needs the scope wants to do.
    fileprivate var action: AuditEvent.Action {
        switch self {
        case .createAliases: .create
        case .revealAliases: .reveal
        case .updateAliases: .update
        case .deleteAliases: .delete
        case .sendForms, .sendRoutes: .send
        }
    }
}
