/// What a limit or share counts a caller by.
public enum CallerKey: Hashable, Sendable {
    case address(ClientAddress)
    case credential(String)
    case session(SessionID)
    case token(TokenSubject)
}

extension Caller {
    /// By what its limits are counted: the credential, the session or the address (of IPv6 the /64). All access
    /// tokens of a credential count as the credential: otherwise each new token would be a new limit.
    public var limitKey: CallerKey {
        switch identity {
        case .anonymous: .address(address.subscriber)
        case .credential(let name): .credential(name)
        case .session(let session): session.form == nil ? .credential(session.credential) : .session(session.id)
        case .token(let subject): .token(TokenSubject(issuer: subject.issuer, subject: subject.subject, id: nil))
        }
    }

    /// By what guesses are counted. A session counts by its address as well, because a page gives a new session to
    /// everyone who loads it again.
    public var guessKeys: [CallerKey] {
        let address = CallerKey.address(address.subscriber)
        if case .session(let session) = identity, session.form != nil { return [limitKey, address] }
        return [limitKey]
    }
}
