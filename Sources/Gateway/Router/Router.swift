import Access
import EventHTTP
import FormSchema
import HTTPWire
import Synchronization

/// Dispatches the requests of one loop to the calls, and does what all requests have in common: request id, rate limit, CORS,
/// metrics and access log.
final class Router: Sendable {
    private let forms: FormCalls
    private let vault: VaultCalls
    private let routes: RouteCalls
    private let elements: ElementCalls
    private let table: Mutex<FormTable>
    private let limiter: RateLimiter?
    private let proxies: TrustedProxies
    private let telemetry: Telemetry
    private let counts: RequestCounts
    /// Whether the listener has TLS.
    private let isSecure: Bool

    init(
        forms: FormCalls, vault: VaultCalls, routes: RouteCalls, elements: ElementCalls, table: FormTable,
        limiter: RateLimiter?, proxies: TrustedProxies, telemetry: Telemetry, isSecure: Bool
    ) {
        self.forms = forms
        self.vault = vault
        self.routes = routes
        self.elements = elements
        self.table = Mutex(table)
        self.limiter = limiter
        self.proxies = proxies
        self.telemetry = telemetry
        counts = telemetry.newRequestCounts()
        self.isSecure = isSecure
    }

    /// Hosts other forms from the next request on.
    func replaceForms(_ new: FormTable) { table.withLock { $0 = new } }

    /// Responds to one request, on the loop of its connection. It is counted and logged when the response is there, or, if its body
    /// is streamed, when that has ended.
    func respond(to request: ServerRequest) async -> ServerResponse {
        let start = WallClock.monotonicMicroseconds
        let call = Call(request, from: proxies.client(of: request))
        let endpoint = Endpoint(path: call.path, method: request.head.method)
        let form = form(at: endpoint)
        let response = await respond(to: call, at: endpoint, of: form)
        // Of a larger body less may leave than there is: what was sent is known once it has left.
        guard response.incoming != nil || response.body.count > 16_384 else {
            record(call, endpoint, form, response, bytesOut: response.body.count, since: start)
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
        let microseconds = WallClock.monotonicMicroseconds - start
        counts.count(endpoint.pattern, status: response.status)
        counts.record(endpoint.pattern, microseconds: microseconds)
        guard telemetry.logsRequests else { return }
        telemetry.log(
            AccessLine(
                method: call.head.method.loggedName, pattern: endpoint.pattern, form: form?.schema.form,
                response: response, requestID: call.id, microseconds: microseconds, bytesIn: call.request.body.count,
                bytesOut: bytesOut))
    }

    /// The form that the endpoint names, if it is hosted now.
    private func form(at endpoint: Endpoint) -> HostedForm? {
        endpoint.formID.flatMap { id in table.withLock { $0 }[id] }
    }

    private func respond(to call: Call, at endpoint: Endpoint, of form: HostedForm?) async -> CallResponse {
        let allowance = limiter?.count()
        var response: CallResponse
        if let error = allowance?.error {
            response = .error(error, to: call, on: endpoint.plane)
        } else {
            response = await dispatch(call, endpoint, form)
        }
        allowance?.note(in: &response)
        addCrossOrigin(to: &response, for: call.head, of: form)
        return response
    }

    private func dispatch(_ call: Call, _ endpoint: Endpoint, _ form: HostedForm?) async -> CallResponse {
        do throws(CallError) {
            try call.head.requireSingleValues()
            switch (endpoint, endpoint.plane) {
            case (.revealRoute(let name, let path), _):
                return try await routes.respond(to: call, route: name, path: path)
            case (.elements(let version, let file), _):
                return try elements.respond(to: call, version: version, file: file) { id in
                    table.withLock { $0 }[id]?.schema.allowedOrigins
                }
            case (.demo(let file), _): return try elements.demo(call, file: file)
            case (.openAPI, _): return try describe(call)
            case (.formList, _): return try forms.list(call, table.withLock { $0 })
            case (_, .client): return try await forms.respond(to: call, at: endpoint, of: form)
            case (_, .vault): return try await vault.respond(to: call, at: endpoint)
            }
        } catch {
            return .error(error, to: call, on: endpoint.plane)
        }
    }

    /// `GET /openapi.json`: the calls of this configuration (`docs.enabled`).
    private func describe(_ call: Call) throws(CallError) -> CallResponse {
        guard let document = table.withLock({ $0 }).openAPI else { throw .notFound("there is nothing at this path") }
        guard call.head.method == .get || call.head.method == .head else {
            throw .methodNotAllowed(allowed: "GET, HEAD")
        }
        return .json(200, document)
    }

    private func addCrossOrigin(to response: inout CallResponse, for head: RequestHead?, of form: HostedForm?) {
        guard let form else { return }
        CrossOrigin.add(
            to: &response, for: head, of: form, limitHeader: limiter == nil ? nil : RateLimiter.header)
    }

    /// Responds to a request that the HTTP layer refused, in the form of its plane if the path could be read. It counts towards the
    /// rate limit as every request does.
    func respond(to refusal: RequestRejection) -> ServerResponse {
        let id = refusal.head.map(Call.requestID) ?? RequestID.make()
        let path = refusal.path
        let endpoint = Endpoint(path: path, method: refusal.head?.method ?? .get)
        let allowance = limiter?.count()
        let error = allowance?.error ?? .wire(status: refusal.status, reason: refusal.reason)
        var response = refusal.response(error, path: path, requestID: id, plane: endpoint.plane, isSecure: isSecure)
        allowance?.note(in: &response)
        addCrossOrigin(to: &response, for: refusal.head, of: form(at: endpoint))
        counts.count(endpoint.pattern, status: response.status)
        telemetry.countRefusal()
        if telemetry.logsRequests {
            telemetry.log(
                AccessLine(
                    method: refusal.head?.method.loggedName ?? "-", pattern: endpoint.pattern, form: nil,
                    response: response, requestID: id, microseconds: 0, bytesIn: 0, bytesOut: response.body.count))
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
