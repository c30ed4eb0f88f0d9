import Access
import AuditLog
import Crypto
import EventHTTP
import HTTPWire

/// The token endpoint: a credential's secret becomes an access token, which stands for the credential on every plane
/// (`docs/reference/access.md` section 3; RFC 6749 section 4.4).
struct AccessTokenCalls: Sendable {
    let authenticator: Authenticator
    let audit: AuditLog

    /// `POST /oauth/token`, and the same under the path that clients of VGS use.
    func respond(to call: Call) async throws(CallError) -> CallResponse {
        try call.requireMethod()
        guard Self.isForm(call.head) else {
            return Self.response(.init(.invalidRequest, "the body must be \(TokenRequest.mediaType)"))
        }
        let request: TokenRequest
        do throws(TokenEndpointError) {
            request = try TokenRequest(body: call.request.body, authorization: call.head[.authorization])
        } catch { return Self.response(error) }
        let caller = try await authenticator.client(of: request, call)
        guard let caller, case .credential(let name) = caller.identity else {
            try audit.requireRecordOfStranger(AuditEvent(.createSession, .unauthorized, of: call, by: nil))
            return Self.response(.init(.invalidClient, "the client is not known, or its secret is wrong"))
        }
        let now = SystemClock.steadySeconds
        if let error = Self.refusal(of: caller, at: now) {
            try recordForbidden(call, by: caller)
            return Self.response(error)
        }
        let scopes: ScopeSet
        do throws(TokenEndpointError) { scopes = try request.granted(of: caller.permissions.scopes) } catch {
            // A stolen secret is often tried out for its scopes: the attempt is recorded.
            try recordForbidden(call, by: caller)
            return Self.response(error)
        }
        let claims = Caller.accessToken(for: name, caller.permissions, scopes: scopes, id: .random, at: now)
        let token: String
        do throws(CryptoError) { token = try authenticator.sessions.key.token(for: claims) } catch {
            throw .internalError
        }
        try audit.requireRecord(
            of: AuditEvent(
                .createSession, requestID: call.id, credential: name, address: call.client.address.description,
                session: claims.id.description))
        var response = CallResponse.json(200, TokenResponse.body(token: token, claims: claims))
        // RFC 6749 section 5.1.
        response.headers.append(("Pragma", "no-cache"))
        return response
    }

    /// Why a credential may do nothing here and now; nil if it may do something.
    private static func refusal(of caller: Caller, at now: Int64) -> TokenEndpointError? {
        guard let scope = caller.permissions.scopes.scopes.first else {
            return TokenEndpointError(.unauthorizedClient, "the client has no scope")
        }
        do throws(AccessRefusal) { try caller.authorize(.scope(scope), origin: nil, at: now) } catch {
            return error == .expired
                ? TokenEndpointError(.invalidClient, "the credential has expired")
                : TokenEndpointError(.unauthorizedClient, "the client may not be used from this address")
        }
        return nil
    }

    private func recordForbidden(_ call: Call, by caller: Caller) throws(CallError) {
        try audit.requireRecord(of: AuditEvent(.createSession, .forbidden, of: call, by: caller))
    }

    private static func isForm(_ head: RequestHead) -> Bool {
        guard let type = head[.contentType], !head.headers.hasContentCoding else { return false }
        return MediaType.readable(type) == .form
    }

    private static func response(_ error: TokenEndpointError) -> CallResponse {
        var response = CallResponse.json(error.status, error.body)
        if let challenge = error.challenge { response.headers.append(("WWW-Authenticate", challenge)) }
        response.errorCode = error.status
        return response
    }
}

extension Authenticator {
    /// The credential that a request of the token endpoint proves; nil if there is none.
    fileprivate func client(of request: TokenRequest, _ call: Call) async throws(CallError) -> Caller? {
        let caller = try await caller(presentingAnyOf: Self.headers(request), at: call.client)
        guard let caller, case .credential = caller.identity else { return nil }
        call.caller = caller
        try limits?.take(call, for: caller)
        return caller
    }

    /// Name and secret as HTTP Basic has them, for each reading of the request. Not `async`, so that the secret is never in an async
    /// frame.
    @inline(never)
    private static func headers(_ request: TokenRequest) -> [String] {
        request.clients.compactMap { client in
            guard let name = client.username else { return nil }
            return "Basic " + Base64.encode(Array(name.utf8) + [UInt8(ascii: ":")] + client.secret.bytes, .standard)
        }
    }
}
