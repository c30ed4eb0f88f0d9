import Access
import AuditLog
import Configuration
import Crypto
import EventHTTP
import HTTPWire
import JSON

/// Sessions: made by backends for pages and apps, and ended early (`docs/reference/access.md` section 2).
struct SessionCalls: Sendable {
    let authenticator: Authenticator
    let audit: AuditLog

    /// `POST /v1/sessions`.
    ///
    /// - Parameter forms: those that are hosted.
    func create(_ call: Call, _ forms: FormTable) async throws(CallError) -> CallResponse {
        try call.requireMethod()
        let caller = try await authenticator.authorize(call, .scope(.createSessions))
        try call.requireJSON()
        let request = try await LargeBodies.begin(call) { () throws(CallError) -> SessionRequest in
            do { return try SessionRequest(body: call.request.body) } catch { throw .malformed("\(error)") }
        }
        let access: [FormOperation: FormAccess]
        do { access = try request.access(offered: forms[request.form]?.schema.accessOfOperations) } catch {
            throw .malformed("\(error)")
        }
        var claims: SessionClaims
        do throws(AccessRefusal) {
            claims = try caller.session(for: request, access: access, id: .random, at: SystemClock.steadySeconds)
        } catch {
            throw try authenticator.refusal(error, of: caller, as: .createSession, call)
        }
        // An access token ends before its credential; the session that it makes may not outlive that either.
        if claims.issuer == nil, let end = authenticator.credential(named: claims.credential)?.permissions.expiresAt {
            claims.expiresAt = min(claims.expiresAt, end)
        }
        let token: String
        do { token = try authenticator.sessions.key.token(for: claims) } catch { throw .internalError }
        try audit.requireRecord(
            of: AuditEvent(
                .createSession, requestID: call.id, credential: caller.name,
                address: call.client.address.description, session: claims.id.description, issuer: caller.issuer))
        return .json(201, Self.body(token, claims))
    }

    /// `DELETE /v1/sessions/current`: ends the session that the request presents.
    func end(_ call: Call) async throws(CallError) -> CallResponse {
        try call.requireMethod()
        let (caller, session) = try await authenticator.session(of: call)
        let reservation = try audit.requireReservation()
        try await authenticator.sessions.end(session)
        reservation.record(AuditEvent(.endSession, of: call, by: caller))
        return .empty(204)
    }

    private static func body(_ token: String, _ claims: SessionClaims) -> [UInt8] {
        var json = JSONWriter(capacity: 512)
        json.beginObject()
        json.key("session")
        json.string(token)
        json.key("expiresAt")
        json.string(Instant.text(seconds: claims.expiresAt))
        json.key("form")
        json.string(claims.form ?? "")
        json.key("operations")
        json.strings(FormOperation.names(claims.operations))
        json.endObject()
        return json.bytes
    }
}
