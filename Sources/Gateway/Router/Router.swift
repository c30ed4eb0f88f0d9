import Access
import EventHTTP
import EventIO
import FormSchema
import HTTPWire

/// Does what all requests of one loop have in common: request id, rate limit, CORS, metrics and access log.
final class Router: Sendable {
    private let calls: Calls
    private let table: FormTable
    private let limits: RequestLimits?
    private let proxies: TrustedProxies
    private let telemetry: Telemetry
    let counts: RequestCounts
    /// Whether the listener has TLS.
    private let isSecure: Bool

    /// - Parameter counts: those of the router that this one takes the place of; nil for new ones.
    init(
        _ calls: Calls, table: FormTable, limits: RequestLimits?, proxies: TrustedProxies, telemetry: Telemetry,
        counts: RequestCounts? = nil, isSecure: Bool
    ) {
        self.calls = calls
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
        let form = form(at: call.endpoint)
        let response = await respond(to: call, of: form)
        // Of a larger body less may leave than there is, and of any as the process ends: what was sent is known once it has left.
        let mayBeCut = response.body.count > ServerResponse.queuedBytes || request.loop.cancelsSockets
        guard response.incoming != nil || mayBeCut else {
            let bytesOut = call.head.method == .head ? 0 : response.body.count
            record(call, form, response, bytesOut: bytesOut, since: start)
            return response.serverResponse(requestID: call.id)
        }
        var sent = response.serverResponse(requestID: call.id)
        sent.onSent = { count, failure in
            var response = response
            if let failure { response.errorCode = failure.problemCode }
            self.record(call, form, response, bytesOut: count, since: start)
        }
        return sent
    }

    /// - Parameters:
    ///   - bytesOut: bytes of the body that were sent.
    ///   - start: when the request was complete, in monotonic microseconds.
    private func record(
        _ call: Call, _ form: HostedForm?, _ response: CallResponse, bytesOut: Int, since start: Int64
    ) {
        let microseconds = SystemClock.monotonicMicroseconds - start
        let pattern = call.endpoint.pattern
        counts.count(pattern, status: response.status)
        counts.record(pattern, microseconds: microseconds)
        guard telemetry.logsRequests else { return }
        telemetry.log(
            AccessLine(
                method: call.head.method.loggedName, pattern: pattern, form: form?.schema.form,
                response: response, requestID: call.id, microseconds: microseconds, bytesIn: call.request.body.count,
                bytesOut: bytesOut, client: call.client.address, caller: call.caller, userAgent: call.head["User-Agent"]
            ))
    }

    /// The form that the endpoint names, if it is hosted now.
    private func form(at endpoint: Endpoint) -> HostedForm? {
        endpoint.formID.flatMap { id in table[id] }
    }

    private func respond(to call: Call, of form: HostedForm?) async -> CallResponse {
        var response: CallResponse
        if let limits, !isPreflight(call) {
            response = await limited(by: limits, call, of: form)
        } else {
            response = await dispatch(call, form)
        }
        addCrossOrigin(to: &response, for: call.head, at: call.endpoint, of: form)
        return response
    }

    /// Whether the request is answered as a preflight: without authentication and without any work, so that no limit counts it. Where
    /// the endpoint is not for pages, a request with the headers of a preflight is counted and handled like any other.
    private func isPreflight(_ call: Call) -> Bool {
        call.endpoint.isForPages && CrossOrigin.isPreflight(call.head)
    }

    /// Every request is counted once: against its caller's limit where the call authenticates one, against its address's otherwise. Calls
    /// that authenticate no caller change nothing, so they are counted after their response has been made.
    private func limited(by limits: RequestLimits, _ call: Call, of form: HostedForm?) async -> CallResponse {
        var response: CallResponse
        do throws(CallError) {
            try limits.begin(call)
            response = await dispatch(call, form)
            try limits.take(call, for: Caller(anonymousAt: call.client))
        } catch {
            response = await .error(error, to: call)
        }
        call.allowance?.note(in: &response)
        return response
    }

    private func dispatch(_ call: Call, _ form: HostedForm?) async -> CallResponse {
        do throws(CallError) {
            try call.head.requireSingleValues()
            if form == nil, isPreflight(call) {
                // Pages may send any method to a path with nothing, or to a form that does not exist, so that they can read the 404.
                return CrossOrigin.preflight(
                    call.head, methods: call.endpoint.methods ?? .all, allowed: table.allowedOrigins, headers: [])
            }
            return try await calls.respond(to: call, of: form, table)
        } catch {
            return await .error(error, to: call)
        }
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
