import Access
import AuditLog

extension Caller {
    /// The name under which its idempotency keys are its own; nil if it proved nothing. Access tokens of one credential share them.
    var owner: String? {
        switch identity {
        case .anonymous: nil
        case .credential(let name): "credential:\(name)"
        case .session(let session):
            session.form == nil && session.issuer == nil ? "credential:\(session.credential)" : "session:\(session.id)"
        case .token(let subject): "token:\(subject.issuer.utf8.count):\(subject.issuer)\(subject.subject)"
        }
    }
}

extension AuditEvent {
    /// An event of a call, with its origin (PCI DSS 4.0, requirement 10.2.2).
    init(
        _ action: Action, _ outcome: Outcome = .done, of call: Call, by caller: Caller?, route: String? = nil,
        aliases: [String] = [], count: Int? = nil, places: [String] = []
    ) {
        self.init(
            action, outcome, requestID: call.id, credential: caller?.name, address: call.client.address.description,
            session: caller?.sessionID, issuer: caller?.issuer, route: route, aliases: aliases, count: count,
            places: places)
    }
}
