extension Caller {
    /// The claims of a session that this caller asks for. The caller must have `sessions:create`, and itself whatever
    /// it gives away (`docs/reference/access.md` section 2).
    ///
    /// - Parameters:
    ///   - access: the form's access, for each operation that the form has.
    ///   - id: random.
    ///   - now: Unix seconds.
    public func session(
        for request: SessionRequest, access: [FormOperation: FormAccess], id: SessionID, at now: Int64
    ) throws(AccessRefusal) -> SessionClaims {
        try authorize(.scope(.createSessions), origin: nil, at: now)
        guard permissions.forms.contains(request.form) else { throw formRefusal }
        var (operations, publicOnly) = (Set<FormOperation>(), Set<FormOperation>())
        for operation in request.operations ?? FormOperation.allCases {
            let isPublic = access[operation] == .public
            let isMissing = !permissions.scopes.contains(operation.scope)
            if isMissing, !isPublic {
                if request.operations != nil { throw .missingScope(operation.scope) }
                continue
            }
            // A form may be opened to sessions later: where the operation was named, its access is only asked for when the session is used.
            guard request.operations != nil || access[operation].map({ $0 != .credential }) == true else { continue }
            operations.insert(operation)
            if isMissing { publicOnly.insert(operation) }
        }
        guard !operations.isEmpty else { throw .noOperation }
        var claims = SessionClaims(
            id: id, credential: "", form: request.form, operations: operations,
            publicOnly: publicOnly, scopes: [], origin: request.origin, paths: request.paths,
            maxRequests: request.maxRequests, issuedAt: now,
            expiresAt: min(now + request.lifetime, permissions.expiresAt ?? .max))
        switch identity {
        case .anonymous: throw .unauthenticated
        case .credential(let name): claims.credential = name
        case .session(let session):
            claims.credential = session.credential
            claims.issuer = session.issuer
        case .token(let subject):
            claims.credential = subject.subject
            claims.issuer = subject.issuer
        }
        // An access token lasts 20 minutes and may still make longer sessions: the credential's rights are what counts.
        if case .session = identity { claims.expiresAt = now + request.lifetime }
        return claims
    }

    /// The claims of an access token of the token endpoint: the credential's own rights for
    /// ``SessionClaims/accessTokenLifetime``.
    ///
    /// - Parameter scopes: those of `permissions` that are granted.
    public static func accessToken(
        for credential: String, _ permissions: Permissions, scopes: ScopeSet, id: SessionID, at now: Int64
    ) -> SessionClaims {
        SessionClaims(
            id: id, credential: credential, form: nil, operations: [], scopes: scopes.intersection(permissions.scopes),
            issuedAt: now, expiresAt: min(now + SessionClaims.accessTokenLifetime, permissions.expiresAt ?? .max))
    }
}
