public import Foundation

#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif

/// A Cloakroom gateway as a Swift program calls it: an app, or a backend.
///
/// ```swift
/// let cloakroom = Cloakroom(gateway: url, credential: .bearer(session))
/// let made = try await cloakroom.aliases("checkout", ["card_number": "4111 1111 1111 1111", "cvc": "123"])
/// ```
///
/// Every call throws a ``CloakroomError``. A cancelled task ends its request and throws `cancelled`. Calls that change nothing
/// are repeated by the ``RetryPolicy``; `aliases`, `tokens` and `send` only with an ``IdempotencyKey``, since without one a
/// repetition could charge a card twice.
public struct Cloakroom: Sendable {
    /// What proves who is calling (`docs/reference/access.md`).
    public enum Credential: Sendable {
        /// A session, a token of an identity provider, or a credential's secret.
        case bearer(String)
        /// A credential's user name and secret. For backends only: an app would give the secret away.
        case basic(username: String, secret: String)
    }

    let gateway: URL
    let credential: Credential?
    let transport: Transport
    let retries: RetryPolicy

    /// - Parameters:
    ///   - gateway: scheme, host and port of the client listener, with a path if a proxy in front adds one.
    ///   - credential: sent with every call.
    ///   - session: its configuration decides on time-outs, proxies and connection reuse. No redirect is followed. On Linux its
    ///     delegate is not used, and each client has connections of its own: keep one for as long as you can. There a call whose
    ///     reused connection ends before the response may wait for all of `timeoutIntervalForRequest` (60 seconds unless set):
    ///     FoundationNetworking sends the head again on a new connection, without the body. Set as much as your users can wait.
    ///   - retries: how often a call that may be repeated is repeated.
    public init(
        gateway: URL, credential: Credential? = nil, session: URLSession = .shared, retries: RetryPolicy = .standard
    ) {
        self.gateway = gateway
        self.credential = credential
        transport = Transport(session)
        self.retries = retries
    }

    // MARK: Forms

    /// All forms of the gateway, in short (`GET /v1/forms`).
    public func forms() async throws(CloakroomError) -> [FormSummary] {
        struct Body: Decodable { let forms: [FormSummary] }
        return try decode(Body.self, from: try await perform(Request(reading: ["v1", "forms"]))).forms
    }

    /// One form as a client needs it to draw it (`GET /v1/forms/{form}`).
    public func form(_ id: String) async throws(CloakroomError) -> FormDescription {
        try decode(FormDescription.self, from: try await perform(Request(reading: ["v1", "forms", id])))
    }

    /// The state of every field (`POST …/validate`). Invalid input is a result here, not an error.
    public func validate(_ form: String, _ submission: Submission) async throws(CloakroomError) -> FormState {
        var request = Request(.post, ["v1", "forms", form, "validate"])
        request.isRepeatable = true
        try request.setBody(submission)
        return try decode(FormState.self, from: try await perform(request))
    }

    /// Validates and creates aliases (`POST …/aliases`, Vault API v2).
    ///
    /// Throws a `problem` with code 1001 and the states of all fields if the submission is not valid.
    public func aliases(
        _ form: String, _ submission: Submission, idempotencyKey: IdempotencyKey? = nil
    ) async throws(CloakroomError) -> CreatedAliases {
        try await create("aliases", form, submission, idempotencyKey)
    }

    /// The same through Vault API v1 (`POST …/tokens`).
    public func tokens(
        _ form: String, _ submission: Submission, idempotencyKey: IdempotencyKey? = nil
    ) async throws(CloakroomError) -> CreatedAliases {
        try await create("tokens", form, submission, idempotencyKey)
    }

    private func create(
        _ operation: String, _ form: String, _ submission: Submission, _ key: IdempotencyKey?
    ) async throws(CloakroomError) -> CreatedAliases {
        var request = Request(.post, ["v1", "forms", form, operation])
        request.idempotencyKey = key
        try request.setBody(submission)
        return try decode(CreatedAliases.self, from: try await perform(request))
    }

    /// Validates and forwards to the form's route (`… /send/{path}`).
    ///
    /// Returns what the upstream responded, whatever its status: a 404 of the upstream is no error of the gateway. Throws if the
    /// gateway refused the submission or could not reach the upstream. A redirect is not followed, but returned.
    ///
    /// - Parameters:
    ///   - path: appended to the route's base path; slashes separate segments, everything else is percent-encoded. No segment may be
    ///     `.` or `..`.
    ///   - headers: those that the route is configured to forward reach the upstream. An `Idempotency-Key` among them is taken as
    ///     `idempotencyKey`. The call throws `malformedRequest` if both are given, if there is an `Authorization` beside the client's
    ///     credential, a header that the client or the connection sets itself (`Content-Type`, `Content-Length`, `Content-Encoding`,
    ///     `Transfer-Encoding`, `Connection`, `Expect`, `Host`), or two names that differ only in case.
    public func send(
        _ form: String, to path: String, method: HTTPMethod = .post, _ submission: Submission,
        headers: [String: String] = [:], idempotencyKey: IdempotencyKey? = nil
    ) async throws(CloakroomError) -> UpstreamResponse {
        var request = Request(method, ["v1", "forms", form, "send"] + path.split(separator: "/").map(String.init))
        if path.hasSuffix("/") { request.path.append("") }
        request.idempotencyKey = idempotencyKey
        try request.addHeaders(headers)
        try request.setBody(submission)
        let (data, response, _) = try await exchange(request)
        // Without an upstream it is the gateway's JSON; anything else is of something between, as a page to log in.
        guard response.isUpstreams || (response.isSuccess && response.isJSON) else {
            throw CloakroomError(data, response)
        }
        return UpstreamResponse(data, response)
    }

    // MARK: Sessions

    /// Makes a session for a browser or an app (`POST /v1/sessions`); needs a credential with the scope `sessions:create`.
    public func makeSession(_ wish: SessionRequest) async throws(CloakroomError) -> Session {
        var request = Request(.post, ["v1", "sessions"])
        try request.setBody(wish)
        return try decode(Session.self, from: try await perform(request))
    }

    /// Ends the session that this client calls with (`DELETE /v1/sessions/current`).
    public func endSession() async throws(CloakroomError) {
        var request = Request(.delete, ["v1", "sessions", "current"])
        request.isRepeatable = true
        let (data, response, wasLost) = try await exchange(request)
        // 401 after a request whose response was lost: that one has ended it.
        guard response.isSuccess || (wasLost && response.statusCode == 401) else {
            throw CloakroomError(data, response)
        }
    }

    // MARK: Exchange

    /// The body of a 2xx response; everything else is thrown.
    private func perform(_ request: Request) async throws(CloakroomError) -> Data {
        let (data, response, _) = try await exchange(request)
        guard response.isSuccess else { throw CloakroomError(data, response) }
        return data
    }

    private func decode<Body: Decodable>(_ type: Body.Type, from data: Data) throws(CloakroomError) -> Body {
        do { return try JSONDecoder().decode(type, from: data) } catch { throw CloakroomError(kind: .unreadable) }
    }
}
