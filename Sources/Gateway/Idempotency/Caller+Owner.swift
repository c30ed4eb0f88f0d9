import Access

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
