import Access
import AuditLog
import EventHTTP
import HTTPWire

extension Authenticator {
    /// The caller of a call, who may do what it asks for. A use of a session is recorded when this returns, unless the call has an idempotency
    /// key: it may be a repetition, which needs none; ``takeUse(_:of:_:)`` is for any other.
    func authorize(_ call: Call, _ action: Action) async throws(CallError) -> Caller {
        let caller = try await identify(call, action, asksForSession: action.asksForSession)
        call.caller = caller
        try take(call, of: caller)
        do throws(AccessRefusal) {
            try caller.authorize(action, origin: call.pageOrigin, at: SystemClock.seconds)
        } catch {
            let isStranger = error == .unauthenticated && action.asksForSession && call.presentsBearer
            throw try refusal(isStranger ? .notASession : error, of: caller, action, call)
        }
        if !isUsedLater(call, action) { try await use(caller, call, action) }
        return caller
    }

    /// Records a use of the session of a call with an idempotency key, once the key is the call's own: of several that come at once under one
    /// key, the one that is carried out takes the use.
    func takeUse(_ call: Call, of caller: Caller, _ action: Action) async throws(CallError) {
        if isUsedLater(call, action) { try await use(caller, call, action) }
    }

    private func isUsedLater(_ call: Call, _ action: Action) -> Bool {
        action.takesKey && call.head.contains(IdempotencyKey.header)
    }

    /// Records a use of the caller's session, if its uses are counted.
    private func use(_ caller: Caller, _ call: Call, _ action: Action) async throws(CallError) {
        guard let session = caller.countedSession else { return }
        do { try await sessions.use(session, call) } catch {
            guard case .refusedToken(let refusal) = error else { throw error }
            throw try self.refusal(refusal, of: caller, action, call)
        }
    }

    /// A session that was ended is that of a stranger: it must not use up what its owner may ask for.
    private func take(_ call: Call, of caller: Caller) throws(CallError) {
        try limits?.take(call, for: caller.isRevoked ? Caller(anonymousAt: call.client) : caller)
    }

    /// The session that a call presents, with its caller: to be ended, whatever it was made for.
    func session(of call: Call) async throws(CallError) -> (caller: Caller, session: SessionClaims) {
        let action = Action.scope(.createSessions)
        let caller = try await identify(call, action, asksForSession: true)
        call.caller = caller
        try take(call, of: caller)
        guard case .session(let session) = caller.identity else {
            let isStranger = if case .anonymous = caller.identity { !call.presentsBearer } else { false }
            throw try refusal(isStranger ? .unauthenticated : .notASession, of: caller, action, call)
        }
        guard !caller.isRevoked else { throw try refusal(.notASession, of: caller, action, call) }
        guard SystemClock.seconds < session.expiresAt else {
            throw try refusal(.expired, of: caller, action, call)
        }
        return (caller, session)
    }

    /// - Parameter asksForSession: whether a Bearer token that is not taken is refused as no session.
    private func identify(
        _ call: Call, _ action: Action, asksForSession: Bool
    ) async throws(CallError) -> Caller {
        let found: (caller: Caller, hasWrongSecret: Bool)
        do throws(CallError) {
            found = try await caller(
                presenting: call.head[.authorization], names: call.request.clientNames, at: call.client,
                needsProof: !action.isPublic)
        } catch {
            let refusal: AccessRefusal
            switch error {
            case .refusedToken(let found): refusal = found
            // A token of an identity provider that is not taken; only Bearer tokens are looked at there.
            case .unauthorized: refusal = asksForSession ? .notASession : .unauthenticated
            default: throw error
            }
            let stranger = Caller(anonymousAt: call.client)
            try limits?.take(call, for: stranger)
            throw try self.refusal(refusal, of: stranger, action, call)
        }
        // Anyone may call, so that it is not refused; but secrets may be tried here as elsewhere.
        if found.hasWrongSecret, action.isPublic {
            try audit.requireRecordOfStranger(AuditEvent(action.event, .unauthorized, of: call, by: found.caller))
        }
        return found.caller
    }

    /// The error of a refusal, which is recorded first.
    func refusal(
        _ refusal: AccessRefusal, of caller: Caller, _ action: Action, _ call: Call
    ) throws(CallError) -> CallError {
        if refusal.status == 403 {
            try audit.requireRecord(of: AuditEvent(action.event, .forbidden, of: call, by: caller))
        } else {
            try audit.requireRecordOfStranger(AuditEvent(action.event, .unauthorized, of: call, by: caller))
        }
        switch refusal {
        case .unauthenticated: return .unauthorized
        case .expired, .usedUp, .wrongOrigin, .wrongForm, .wrongOperation, .notASession: return .refusedToken(refusal)
        case .missingScope(let scope): return .forbidden("the credential lacks \(scope.rawValue)")
        case .addressNotAllowed: return .forbidden("the credential may not be used from this address")
        case .formNotAllowed: return .forbidden("the credential may not use this form")
        case .noOperation:
            return .forbidden("no operation of this form takes a session of this credential, and none was named")
        case .routeNotAllowed: return .forbidden("the credential may not use this route")
        }
    }
}

extension Action {
    /// Whether anyone may do it.
    fileprivate var isPublic: Bool {
        if case .form(_, _, access: .public, path: _) = self { true } else { false }
    }

    /// Whether a session or a credential is asked for: then a Bearer token that is neither is refused as no session.
    fileprivate var asksForSession: Bool {
        if case .form(_, _, access: .session, path: _) = self { true } else { false }
    }

    /// Whether an idempotency key means something there.
    fileprivate var takesKey: Bool {
        if case .form(_, let operation, _, _) = self { operation != .validate } else { false }
    }

    /// The audit log's name for it.
    fileprivate var event: AuditEvent.Action {
        switch self {
        case .form(_, .send, _, _), .route: .send
        case .form: .create
        case .scope(let scope):
            switch scope {
            case .createAliases: .create
            case .createSessions: .createSession
            case .revealAliases, .readOperations: .reveal
            case .updateAliases: .update
            case .deleteAliases: .delete
            case .sendForms, .sendRoutes: .send
            }
        }
    }
}

extension Call {
    /// Whether `Authorization` has a Bearer token, of whatever kind.
    fileprivate var presentsBearer: Bool {
        guard let header = head[.authorization], let presented = Presented(header: header) else { return false }
        if case .bearer = presented { return true }
        return false
    }
}
