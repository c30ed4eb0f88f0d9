import Access
import AuditLog

extension Caller {
    /// What logs call the caller: the name of its credential, or the subject of its token; nil if it proved nothing. A provider writes
    /// into a token what it likes: a card number in it is masked, as everywhere in logs.
    var name: String? {
        switch identity {
        case .anonymous: nil
        case .credential(let name): name
        case .session(let session):
            session.issuer == nil ? session.credential : PANMask.masked(session.credential)
        case .token(let subject): PANMask.masked(subject.subject)
        }
    }

    /// The `jti` of its session or token.
    var sessionID: String? {
        switch identity {
        case .anonymous, .credential: nil
        case .session(let session): session.id.description
        case .token(let subject): subject.id.map(PANMask.masked)
        }
    }

    /// The identity provider whose token it presents, or which its session was made with.
    var issuer: String? {
        switch identity {
        case .anonymous, .credential: nil
        case .session(let session): session.issuer
        case .token(let subject): subject.issuer
        }
    }

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
