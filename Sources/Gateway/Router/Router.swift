import Access
import EventHTTP
import FormSchema
import HTTPWire

/// Dispatches the requests of one loop to the calls, and does what all requests have in common: request id, rate limit, CORS,
/// metrics and access log.
final class Router: Sendable {
    private let forms: FormCalls
    private let vault: VaultCalls
    private let routes: RouteCalls
    private let elements: ElementCalls
    private let sessions: SessionCalls
    private let accessTokens: AccessTokenCalls
    private let table: FormTable
    private let limits: RequestLimits?
    private let proxies: TrustedProxies
    private let telemetry: Telemetry
    let counts: RequestCounts
    /// Whether the listener has TLS.
    private let isSecure: Bool

    /// - Parameter counts: those of the router that this one takes the place of; nil for new ones.
    init(
        forms: FormCalls, vault: VaultCalls, routes: RouteCalls, elements: ElementCalls, sessions: SessionCalls,
        accessTokens: AccessTokenCalls, table: FormTable, limits: RequestLimits?, proxies: TrustedProxies,
        telemetry: Telemetry,
        counts: RequestCounts? = nil, isSecure: Bool
    ) {
        self.forms = forms
        self.vault = vault
        self.routes = routes
        self.elements = elements
        self.sessions = sessions
        self.accessTokens = accessTokens
        self.table = table
        self.limits = limits
        self.proxies = proxies
        self.telemetry = telemetry
        self.counts = counts ?? telemetry.newRequestCounts()
        self.isSecure = isSecure
    }

    /// Responds to one request, on the loop of its connection. It is counted and logged when the response is there, or, if its body
    /// is streamed, when that has ended.
    func respond(to request: ServerRequest) async -> ServerResponse {
        let start = SystemClock.monotonicMicroseconds
        let call = Call(request, from: proxies.client(of: request))
        let endpoint = Endpoint(path: call.path, method: request.head.method)
        let form = form(at: endpoint)
        let response = await respond(to: call, at: endpoint, of: form)
        // Of a larger body less may leave than there is: what was sent is known once it has left.
        guard response.incoming != nil || response.body.count > ServerResponse.queuedBytes else {
            let bytesOut = call.head.method == .head ? 0 : response.body.count
            record(call, endpoint, form, response, bytesOut: bytesOut, since: start)
            return response.serverResponse(requestID: call.id)
        }
        var sent = response.serverResponse(requestID: call.id)
        sent.onSent = { count, failure in
            var response = response
            if let failure { response.errorCode = failure.problemCode }
            self.record(call, endpoint, form, response, bytesOut: count, since: start)
        }
        return sent
    }

    /// - Parameters:
    ///   - bytesOut: bytes of the body that were sent.
    ///   - start: when the request was complete, in monotonic microseconds.
    private func record(
        _ call: Call, _ endpoint: Endpoint, _ form: HostedForm?, _ response: CallResponse, bytesOut: Int,
        since start: Int64
    ) {
        let microseconds = SystemClock.monotonicMicroseconds - start
        counts.count(endpoint.pattern, status: response.status)
        counts.record(endpoint.pattern, microseconds: microseconds)
        guard telemetry.logsRequests else { return }
        telemetry.log(
            AccessLine(
                method: call.head.method.loggedName, pattern: endpoint.pattern, form: form?.schema.form,
                response: response, requestID: call.id, microseconds: microseconds, bytesIn: call.request.body.count,
                bytesOut: bytesOut, client: call.client.address, caller: call.caller, userAgent: call.head["User-Agent"]
            ))
    }

    /// The form that the endpoint names, if it is hosted now.
    private func form(at endpoint: Endpoint) -> HostedForm? {
        endpoint.formID.flatMap { id in table[id] }
    }

    private func respond(to call: Call, at endpoint: Endpoint, of form: HostedForm?) async -> CallResponse {
        var response: CallResponse
        if let limits, !isPreflight(call, at: endpoint) {
            response = await limited(by: limits, call, at: endpoint, of: form)
        } else {
            response = await dispatch(call, endpoint, form)
        }
        addCrossOrigin(to: &response, for: call.head, at: endpoint, of: form)
        return response
    }

    /// Whether the request is answered as a preflight: without authentication and without any work, so that no limit counts it. Where
    /// the endpoint is not for pages, a request with the headers of a preflight is counted and handled like any other.
    private func isPreflight(_ call: Call, at endpoint: Endpoint) -> Bool {
        endpoint.isForPages && CrossOrigin.isPreflight(call.head)
    }

    /// Every request is counted once: against its caller's limit where the call authenticates one, against its address's otherwise. Calls
    /// that authenticate no caller change nothing, so they are counted after their response has been made.
    private func limited(
        by limits: RequestLimits, _ call: Call, at endpoint: Endpoint, of form: HostedForm?
    ) async -> CallResponse {
        var response: CallResponse
        do throws(CallError) {
            try limits.begin(call)
            response = await dispatch(call, endpoint, form)
            try limits.take(call, for: Caller(anonymousAt: call.client))
        } catch {
            response = await .error(error, to: call, on: endpoint.plane)
        }
        call.allowance?.note(in: &response)
        return response
    }

    private func dispatch(_ call: Call, _ endpoint: Endpoint, _ form: HostedForm?) async -> CallResponse {
        do throws(CallError) {
            try call.head.requireSingleValues()
            if form == nil, isPreflight(call, at: endpoint) {
                return CrossOrigin.preflight(
                    call.head, methods: methods(of: endpoint), allowed: table.allowedOrigins, headers: [])
            }
            switch (endpoint, endpoint.plane) {
            case (.revealRoute(let name, let path), _):
                return try await routes.respond(to: call, route: name, path: path)
            case (.elements(let version, let file), _):
                return try elements.respond(to: call, version: version, file: file) { id in
                    table[id]?.schema.allowedOrigins
                }
            case (.demo(let file), _): return try elements.demo(call, file: file)
            case (.openAPI, _): return try describe(call)
            case (.docs(let file), _):
                return try elements.docs(call, file: file, isServed: table.openAPI != nil)
            case (.sessions, _): return try await sessions.create(call, table)
            case (.currentSession, _): return try await sessions.end(call)
            case (_, .token): return try await accessTokens.respond(to: call)
            case (.formList, _): return try forms.list(call, table)
            case (_, .client): return try await forms.respond(to: call, at: endpoint, of: form)
            case (_, .vault): return try await vault.respond(to: call, at: endpoint)
            }
        } catch {
            return await .error(error, to: call, on: endpoint.plane)
        }
    }

    /// Methods of a path that is about no hosted form. Pages may send any to one that does not exist, or whose route is not known, so that
    /// they can read the 404.
    private func methods(of endpoint: Endpoint) -> String {
        switch endpoint {
        case .unknown, .send: "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS"
        case .currentSession: SessionCalls.methodOfEnd.name
        default: forms.methods(of: endpoint, nil)
        }
    }

    /// `GET /openapi.json`: the calls of this configuration (`docs.enabled`).
    private func describe(_ call: Call) throws(CallError) -> CallResponse {
        guard let document = table.openAPI else { throw .notFound("there is nothing at this path") }
        guard call.head.method == .get || call.head.method == .head else {
            throw .methodNotAllowed(allowed: "GET, HEAD")
        }
        return .json(200, document)
    }

    private func addCrossOrigin(
        to response: inout CallResponse, for head: RequestHead?, partial: PartialHead? = nil, at endpoint: Endpoint,
        of form: HostedForm?
    ) {
        guard endpoint.isForPages else { return }
        let origins = form?.schema.allowedOrigins ?? table.allowedOrigins
        CrossOrigin.add(
            to: &response, for: head, partial: partial, allowed: origins, route: form?.route, hasLimits: limits != nil)
    }

    func noteFailedHandshake(_ reason: String) {
        telemetry.warnOncePerMinute("a client's TLS handshake failed: \(reason)")
    }

    /// Responds to a request that the HTTP layer refused, in the form of its plane if the path could be read. It counts towards the
    /// rate limit as every request does.
    func respond(to rejection: RequestRejection) -> ServerResponse {
        let id = rejection.head.map(Call.requestID) ?? RequestID.make()
        let path = rejection.path
        let endpoint = Endpoint(path: path, method: rejection.head?.method ?? .get)
        let client = proxies.client(of: rejection)
        let allowance = limits?.take(from: client)
        let error: CallError =
            allowance?.retryAfter.map { .tooManyRequests(retryAfter: $0) }
            ?? rejection.callError(bodySetting: "server.limits.body")
        var response = rejection.response(error, path: path, requestID: id, plane: endpoint.plane, isSecure: isSecure)
        allowance?.note(in: &response)
        addCrossOrigin(
            to: &response, for: rejection.head, partial: rejection.partialHead, at: endpoint, of: form(at: endpoint))
        counts.count(endpoint.pattern, status: response.status)
        telemetry.countRejection()
        if telemetry.logsRequests {
            let isHead = rejection.head.map { $0.method == .head } ?? rejection.partialHead?.isHead ?? false
            telemetry.log(
                AccessLine(
                    method: rejection.head?.method.loggedName ?? "-", pattern: endpoint.pattern, form: nil,
                    response: response, requestID: id, microseconds: 0, bytesIn: 0,
                    bytesOut: isHead ? 0 : response.body.count,
                    client: client.address, caller: nil, userAgent: rejection.head?["User-Agent"]))
        }
        return response.serverResponse(requestID: id)
    }
}

extension Method {
    /// The name, unless the method is not a registered one: then the name may be anything.
    fileprivate var loggedName: String {
        if case .other = self { "OTHER" } else { name }
    }
}
