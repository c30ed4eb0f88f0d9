import JSON

/// Who a request comes from, and what that caller may do: one type for the client plane, the vault plane and
/// reveal routes.
public struct Caller: Sendable {
    /// What the request proved.
    public enum Identity: Sendable {
        /// Nothing.
        case anonymous
        /// A credential of the configuration: by its secret or a client certificate.
        case credential(name: String)
        /// A session or an access token. Indirect: a copy of a caller then retains one reference, and not one for each claim.
        indirect case session(SessionClaims)
        /// A token of an identity provider.
        case token(TokenSubject)
    }

    /// Where the request came from.
    public let address: ClientAddress
    /// What it has proved.
    public let identity: Identity
    /// Of the credential or token; of a session those of its credential, narrowed to what the session has.
    public let permissions: Permissions
    /// Whether its session has been ended, or its credential removed: it may do nothing, and records name it all the same.
    public private(set) var isRevoked = false

    /// A caller that presents nothing.
    public init(anonymousAt address: ClientAddress) {
        self.address = address
        identity = .anonymous
        permissions = Permissions(scopes: [])
    }

    /// A caller that proved a credential.
    public init(credential name: String, _ permissions: Permissions, at address: ClientAddress) {
        self.address = address
        identity = .credential(name: name)
        self.permissions = permissions
    }

    /// A caller with a verified session.
    ///
    /// - Parameters:
    ///   - credential: what the session's credential may do now, so that a credential that lost a right has lost it for
    ///     sessions that were made before; nil if there is no such credential any more.
    ///   - isEnded: whether it was ended before its time.
    ///   - now: Unix seconds. A session from the future was made while a clock was wrong, and would outlive its
    ///     limit: it is refused until the clocks agree to five minutes.
    public init(
        session: SessionClaims, of credential: Permissions?, isEnded: Bool = false, at address: ClientAddress,
        now: Int64
    ) {
        var permissions = credential ?? Permissions(scopes: [])
        isRevoked = isEnded || credential == nil || session.issuedAt > now + 300
        if session.form == nil {
            permissions.scopes.formIntersection(session.scopes)
        } else {
            // The credential's networks are those of its servers; browsers use a session anywhere.
            permissions.addresses = nil
        }
        permissions.expiresAt = min(permissions.expiresAt ?? .max, session.expiresAt)
        self.address = address
        identity = .session(session)
        self.permissions = permissions
    }

    /// A caller with a verified token of an identity provider.
    public init(token: TokenSubject, _ permissions: Permissions, at address: ClientAddress) {
        self.address = address
        identity = .token(token)
        self.permissions = permissions
    }
}

/// The subject of a token of an identity provider, for logs and limits.
public struct TokenSubject: Sendable, Hashable {
    /// `iss`.
    public let issuer: String
    /// `sub`, at most 256 bytes.
    public let subject: String
    /// `jti`, if there is one.
    public let id: String?

    /// The claims of a token that has been verified.
    public init(issuer: String, subject: String, id: String?) {
        self.issuer = issuer
        self.subject = subject
        self.id = id
    }
}

/// What a request is about to do, for ``Caller/authorize(_:origin:at:)``.
public enum Action: Sendable {
    /// An operation of a form. `path` is the upstream path of a `send`, with its leading slash and without the query.
    case form(String, FormOperation, access: FormAccess, path: String?)
    /// A send through a reveal route.
    case route(String)
    /// Something that needs a scope alone: calls of the vault plane, and `POST /v1/sessions`.
    case scope(Scope)
}

extension Caller {
    /// The session whose use must be recorded before the request is carried out; nil where nothing is counted.
    public var countedSession: SessionClaims? {
        guard case .session(let session) = identity, session.maxRequests != nil else { return nil }
        return session
    }

    /// Refuses an action that the caller may not do. Uses of a session are not looked at here: they are recorded in
    /// the store, see ``SessionUse``.
    ///
    /// - Parameters:
    ///   - origin: the `Origin` of the request.
    ///   - now: Unix seconds.
    public func authorize(_ action: Action, origin: String?, at now: Int64) throws(AccessRefusal) {
        if isRevoked { throw .notASession }
        if let expiresAt = permissions.expiresAt, now >= expiresAt { throw .expired }
        if let networks = permissions.addresses {
            guard address.isProven, networks.contains(address.address) else { throw .addressNotAllowed }
        }
        if case .session(let session) = identity, let form = session.form {
            return try authorize(action, in: session, for: form, origin: origin)
        }
        switch action {
        case .form(let form, let operation, let access, _):
            if case .anonymous = identity {
                guard access == .public else { throw .unauthenticated }
                return
            }
            guard permissions.forms.contains(form) else { throw formRefusal }
            // What everybody may do needs no scope.
            if access != .public { try require(operation.scope) }
        case .route(let route):
            try require(.sendRoutes)
            guard permissions.routes.contains(route) else { throw .routeNotAllowed }
        case .scope(let scope): try require(scope)
        }
    }

    /// Why it may not use a form that its permissions do not have.
    var formRefusal: AccessRefusal {
        if case .token = identity, permissions.forms == .matching([]) { return .noFormsNamed }
        return .formNotAllowed
    }

    private func require(_ scope: Scope) throws(AccessRefusal) {
        if case .anonymous = identity { throw .unauthenticated }
        guard permissions.scopes.contains(scope) else { throw .missingScope(scope) }
    }

    /// The check for a session of one form. It is refused for everything else, the form's public operations included:
    /// what it was limited to is what the backend meant.
    private func authorize(
        _ action: Action, in session: SessionClaims, for form: String, origin: String?
    ) throws(AccessRefusal) {
        if let expected = session.origin {
            guard let origin, origin.hasSameBytes(as: expected) else { throw .wrongOrigin }
        }
        guard case .form(let name, let operation, let access, let path) = action else { throw .wrongOperation }
        guard name.hasSameBytes(as: form) else { throw .wrongForm }
        guard session.operations.contains(operation), access != .credential else { throw .wrongOperation }
        if operation == .send, let paths = session.paths {
            guard let path, paths.contains(where: { $0.hasSameBytes(as: path) }) else { throw .wrongOperation }
        }
        // The session's credential may have lost the form or the scope since.
        guard permissions.forms.contains(name) else { throw .wrongForm }
        guard access != .public else { return }
        guard permissions.scopes.contains(operation.scope), !session.publicOnly.contains(operation) else {
            throw .wrongOperation
        }
    }
}
