import Access
import AuditLog
import EventHTTP
import HTTPWire

extension Authenticator {
    /// The caller, if it may do `action`. Records a use of its session, except for a call with an idempotency key: a repetition uses none,
    /// so ``takeUse(_:of:_:)`` records it once the call is known to be the first.
    func authorize(_ call: Call, _ action: Action) async throws(CallError) -> Caller {
        let caller = try await identify(
            call, as: action.event, isPublic: action.isPublic, asksForSession: action.asksForSession)
        call.caller = caller
        try take(call, of: caller)
        do throws(AccessRefusal) {
            try caller.authorize(action, origin: call.pageOrigin, at: SystemClock.steadySeconds)
        } catch {
            let presentsUnknownToken = error == .unauthenticated && action.asksForSession && call.presentsBearer
            throw try refusal(presentsUnknownToken ? .notASession : error, of: caller, as: action.event, call)
        }
        if !isUsedLater(call, action) { try await use(caller, call, action) }
        return caller
    }

    /// Records a use of the session of a call with an idempotency key, after the call has claimed the key. So concurrent calls under one key
    /// take one use.
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
            throw try self.refusal(refusal, of: caller, as: action.event, call)
        }
    }

    /// Counts the call against the limits. A call with a session that was ended counts against the address, so that it does not use up
    /// the limit of the credential that made the session.
    private func take(_ call: Call, of caller: Caller) throws(CallError) {
        try limits?.take(call, for: caller.isRevoked ? Caller(anonymousAt: call.client) : caller)
    }

    /// The session that a call presents, with its caller: to be ended, whatever it was made for.
    func session(of call: Call) async throws(CallError) -> (caller: Caller, session: SessionClaims) {
        let caller = try await identify(call, as: .endSession, isPublic: false, asksForSession: true)
        call.caller = caller
        try take(call, of: caller)
        guard case .session(let session) = caller.identity else {
            let presentsToken = if case .anonymous = caller.identity { call.presentsBearer } else { true }
            throw try refusal(presentsToken ? .notASession : .unauthenticated, of: caller, as: .endSession, call)
        }
        guard !caller.isRevoked else { throw try refusal(.notASession, of: caller, as: .endSession, call) }
        guard SystemClock.steadySeconds < session.expiresAt else {
            throw try refusal(.expired, of: caller, as: .endSession, call)
        }
        return (caller, session)
    }

    /// - Parameters:
    ///   - event: what the call is about to do, as the audit log names it.
    ///   - isPublic: whether anyone may do it.
    ///   - asksForSession: whether a Bearer token that is not taken is refused as no session.
    private func identify(
        _ call: Call, as event: AuditEvent.Action, isPublic: Bool, asksForSession: Bool
    ) async throws(CallError) -> Caller {
        let found: (caller: Caller, hasWrongSecret: Bool)
        do throws(CallError) {
            found = try await caller(
                presenting: call.head[.authorization], names: call.request.clientNames, at: call.client,
                needsProof: !isPublic)
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
            throw try self.refusal(refusal, of: stranger, as: event, call)
        }
        // Anyone may call, so that it is not refused; but secrets may be tried here as elsewhere.
        if found.hasWrongSecret, isPublic {
            try audit.requireRecordOfStranger(AuditEvent(event, .unauthorized, of: call, by: found.caller))
        }
        return found.caller
    }

    /// The error of a refusal, which is recorded first: as one of `event`, which the call was about to do.
    func refusal(
        _ refusal: AccessRefusal, of caller: Caller, as event: AuditEvent.Action, _ call: Call
    ) throws(CallError) -> CallError {
        if refusal.status == 403 {
            try audit.requireRecord(of: AuditEvent(event, .forbidden, of: call, by: caller))
        } else {
            try audit.requireRecordOfStranger(AuditEvent(event, .unauthorized, of: call, by: caller))
        }
        switch refusal {
        case .unauthenticated: return .unauthorized
        case .expired, .usedUp, .wrongOrigin, .wrongForm, .wrongOperation, .notASession, .badClaim:
            return .refusedToken(refusal)
        case .missingScope(let scope): return .forbidden("the credential lacks \(scope.rawValue)")
        case .addressNotAllowed: return .forbidden("the credential may not be used from this address")
        case .formNotAllowed: return .forbidden("the credential may not use this form")
        case .noFormsNamed:
            return .forbidden("the token names no forms, and may only use those that it names (auth.jwt[].forms)")
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
            case .revealAliases: .reveal
            // No call asks for it.
            case .readOperations: .reveal
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
