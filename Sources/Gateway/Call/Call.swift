import Access
import EventHTTP
import HTTPWire
import JSON
import Synchronization
import Vault

/// One request of a client, as the calls of the gateway see it.
///
/// A class, so that passing it on retains one reference, and not each of those that a request holds.
final class Call: Sendable {
    let request: ServerRequest
    let head: RequestHead
    /// The target's path, still percent-encoded.
    let path: String
    /// What the path and the method name.
    let endpoint: Endpoint
    /// The request id of logs and responses: the caller's `X-Request-Id` if it is acceptable, else a new one.
    let id: String
    /// Where the request comes from, as far as proxies are believed.
    let client: ClientAddress
    /// When the request arrived.
    private let arrived: ContinuousClock.Instant
    private let state = Mutex(State())

    init(_ request: ServerRequest, from client: ClientAddress) {
        self.client = client
        self.request = request
        arrived = .now - .milliseconds(request.waited)
        head = request.head
        path = head.path
        endpoint = Endpoint(path: path, method: head.method)
        id = Self.requestID(of: head)
    }

    /// What has been done for the call so far.
    private struct State {
        var caller: Caller?
        var allowance: Allowance?
        var isCounted = false
        var hasTakenWaitLimit = false
    }

    /// How long this call may wait for its turn before anything is done for it (`server.maxWait`).
    var waitLimit: WaitLimit? { request.maxWait.map { WaitLimit(since: arrived, maximum: $0) } }

    /// How long the step of this call that first changes something may wait for the vault (`server.maxWait`): nil for all further
    /// steps, which must not be refused, since what was done before them would be lost. To be asked for once for each step.
    func takeWaitLimit() -> WaitLimit? {
        guard let waitLimit else { return nil }
        let isFirst = state.withLock { state in
            defer { state.hasTakenWaitLimit = true }
            return !state.hasTakenWaitLimit
        }
        return isFirst ? waitLimit : nil
    }

    /// Who calls, for logs: nil until the call has been authorized.
    var caller: Caller? {
        get { state.withLock { $0.caller } }
        set { state.withLock { $0.caller = newValue } }
    }

    /// What the limits on requests say; nil without limits.
    var allowance: Allowance? {
        get { state.withLock { $0.allowance } }
        set { state.withLock { $0.allowance = newValue } }
    }

    /// Whether the call was counted for its caller.
    var isCounted: Bool {
        get { state.withLock { $0.isCounted } }
        set { state.withLock { $0.isCounted = newValue } }
    }

    /// The header with the version of a form's description: in the response that describes the form, and in a submission. Not an entity
    /// tag, because proxies change those.
    static let versionHeader = "Cloakroom-Form-Version"

    static func requestID(of head: RequestHead) -> String {
        if let given = head["X-Request-Id"], RequestID.isAcceptable(given) { return given }
        return RequestID.make()
    }

    /// Bytes of the body.
    var bodyCount: Int { request.body.count }

    /// Throws unless the `Content-Type` says that the body is JSON (RFC 8259), without a content coding.
    func requireJSON() throws(CallError) {
        guard MediaType.isJSON(head.headers), !head.headers.hasContentCoding else { throw .unsupportedMediaType }
    }

    /// The body as JSON.
    func json() async throws(CallError) -> JSONText {
        try requireJSON()
        return try await LargeBodies.begin(self) { () throws(CallError) -> JSONText in
            do throws(JSONError) { return try JSONText(parsing: request.body) } catch {
                throw .malformed("the body is not JSON: \(error); expected is a JSON object")
            }
        }
    }

    /// URL of the request, without credentials and query.
    var href: String { Self.href(path, host: head.host, isSecure: request.isSecure) }

    /// - Parameter host: nil if the request names none.
    static func href(_ path: String, host: String?, isSecure: Bool) -> String {
        let authority = host ?? "localhost"
        let host = authority.lastIndex(of: "@").map { authority[authority.index(after: $0)...] } ?? authority[...]
        return "\(isSecure ? "https" : "http")://\(host)\(path)"
    }
}

extension RequestHead {
    /// Refuses a second `Authorization`, `Content-Type` or `Origin`. None is a list (RFC 9110 section 5.3), and a proxy in front of
    /// the gateway may have read the other one.
    func requireSingleValues() throws(CallError) {
        if isRepeated(.authorization) { throw .malformed("Authorization is given more than once") }
        if isRepeated(.contentType) { throw .malformed("Content-Type is given more than once") }
        if isRepeated(.origin) { throw .malformed("Origin is given more than once") }
    }
}
