import Access

extension Caller {
    /// What logs call the caller: the name of its credential, or the subject of its token; nil if it proved nothing. A provider writes
    /// into a token what it likes: a card number in it is masked, as everywhere in logs. Control and format
    /// characters are replaced before, since they would keep the search from finding it.
    var name: String? {
        switch identity {
        case .anonymous: nil
        case .credential(let name): name
        case .session(let session):
            session.issuer == nil ? session.credential : PANMask.masked(session.credential.inOneLine)
        case .token(let subject): PANMask.masked(subject.subject.inOneLine)
        }
    }

    /// The `jti` of its session or token.
    var sessionID: String? {
        switch identity {
        case .anonymous, .credential: nil
        case .session(let session): session.id.description
        case .token(let subject): subject.id.map { PANMask.masked($0.inOneLine) }
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
}
