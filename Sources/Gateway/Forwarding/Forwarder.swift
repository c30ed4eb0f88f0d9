import Access
import Configuration
import EventHTTP
import EventIO
import HTTPWire

/// Sends requests to the upstreams of routes (`docs/reference/proxy.md` sections 3 to 6).
struct Forwarder: Sendable {
    private let client: Client
    /// By the route's name.
    private let upstreams: [String: Upstream]
    private let telemetry: Telemetry

    /// - Parameters:
    ///   - former: of the configuration before, whose connections, open circuits and counts go on where a route is as it was.
    ///   - unchanged: the names of these routes.
    init(
        client: Client, routes: [Route], following former: Forwarder? = nil, unchanged: Set<String> = [],
        telemetry: Telemetry
    ) throws(IOError) {
        self.client = client
        self.telemetry = telemetry
        var contexts: [Route.TLS: TLSClientContext] = [:]
        var upstreams: [String: Upstream] = [:]
        for route in routes where route.isRemote {
            if unchanged.contains(route.name), let upstream = former?.upstreams[route.name] {
                upstreams[route.name] = upstream
                continue
            }
            var trust: TLSClientContext?
            if route.isSecure {
                // Routes with the same files share a context; the name to check is not part of it.
                var key = route.tls
                key.serverName = nil
                let context: TLSClientContext
                if let known = contexts[key] { context = known } else { context = try TLSClientContext(key) }
                contexts[key] = context
                trust = context
            }
            // The configuration has checked the headers; a route whose headers can't be written is not served.
            upstreams[route.name] = try? Upstream(route, trust: trust, former: former?.upstreams[route.name])
        }
        self.upstreams = upstreams
    }

    /// Writes its metrics. Retains nothing that retains the telemetry.
    var metrics: @Sendable (inout MetricsText) -> Void {
        let (all, loops) = (upstreams.values.sorted { $0.name < $1.name }, client.loopCount)
        return { text in
            CircuitBreaker.write(all.map(\.breaker), into: &text)
            Upstream.write(all, loops: loops, into: &text)
        }
    }

    /// The path of a request to the route. Throws if it, or a header that the route forwards, can't be sent: before anything is revealed or
    /// stored for the call.
    func path(_ raw: String, of call: Call, on route: Route) throws(CallError) -> ForwardPath {
        let path: ForwardPath
        do { path = try ForwardPath(raw: raw) } catch { throw .malformed(error.rawValue) }
        try requirePath(path, on: route)
        try requireReadableHeaders(of: call, on: route)
        return path
    }

    /// Throws unless the route's `paths` allow the path.
    private func requirePath(_ path: ForwardPath, on route: Route) throws(CallError) {
        guard let patterns = route.paths, !patterns.contains(where: { $0.matches(path.encoded) }) else { return }
        throw .notFound("the route has no such path")
    }

    /// Throws if the value of a header that the route forwards is not UTF-8: it can't be passed on unchanged.
    private func requireReadableHeaders(of call: Call, on route: Route) throws(CallError) {
        for name in route.headersForwarded(of: call.head.headers) where call.head.headers.texts(name).contains(nil) {
            throw .unreadableHeader(name)
        }
    }

    /// Throws while the route's circuit is open, before any work is done for the call.
    func requireClosedCircuit(of route: Route) throws(CallError) {
        if let wait = upstreams[route.name]?.breaker.refusal() { throw Self.circuitOpen(wait) }
    }

    /// Nothing goes to the upstream, so that the call's line in the log does not name it.
    private static func circuitOpen(_ milliseconds: Int64) -> CallError {
        .circuitOpen(retryAfter: Int((milliseconds + 999) / 1_000))
    }

    /// Sends the request to the route's upstream with the call's method and returns the response, whatever its status. Throws if the
    /// circuit is open, or if there is no complete response.
    func send(
        _ request: UpstreamRequest, on route: Route, for call: Call
    ) async throws(CallError) -> UpstreamResponse {
        let isHostNamed = request.isHostNamed
        guard let upstream = upstreams[route.name],
            let origin = upstream.origin(of: request.base, isHostNamed: isHostNamed)
        else { throw .secureConnectionFailed }
        let message = try message(request, on: route, for: call, to: upstream)
        let breaker = isHostNamed ? upstream.noBreaker : upstream.breaker
        let admission = breaker.admit()
        if case .refused(let wait) = admission { throw Self.circuitOpen(wait) }
        let place = isHostNamed ? try self.place(at: upstream, for: call) : nil
        let start = telemetry.startOfTiming
        do throws(ClientError) {
            let response = try await client.send(
                message, to: origin, timeouts: upstream.timeouts, buffering: request.buffering)
            if let place { upstream.removeRequestToNamedHost(of: place, after: response.incoming) }
            watch(response, breaker, admission, requestID: call.id)
            return UpstreamResponse(response: response, microseconds: telemetry.microseconds(since: start))
        } catch {
            if let place { upstream.removeRequestToNamedHost(of: place, after: nil) }
            note(error, breaker, admission)
            telemetry.recordUpstreamFailure(error, route: upstream.name, requestID: call.id)
            throw .upstream(
                request.error(error), route: upstream.name, microseconds: telemetry.microseconds(since: start),
                wasSent: message.singleSend?.wasWritten ?? true)
        }
    }

    /// Takes a place for a request to a host that its caller names. Throws if the caller may have none now.
    private func place(at upstream: Upstream, for call: Call) throws(CallError) -> Shares.Holder {
        guard let holder = call.caller?.holder else { throw .internalError }
        if upstream.addRequestToNamedHost(of: holder) { return holder }
        telemetry.warnOncePerMinute("a request got no connection to an upstream (pool)")
        throw .upstreamBusy
    }

    private func message(
        _ request: UpstreamRequest, on route: Route, for call: Call, to upstream: Upstream
    ) throws(CallError) -> ClientRequest {
        let isJSON = request.contentType == "application/json"
        var message = ClientRequest(
            method: call.head.method, target: request.target, fixed: isJSON ? upstream.fixedForJSON : upstream.fixed,
            headers: try request.headers(
                for: call, on: route, acceptEncoding: upstream.acceptEncoding,
                contentType: isJSON ? nil : request.contentType),
            body: request.body)
        message.endsWithTask = false
        if request.isSentOnce { message.singleSend = SingleSend() }
        message.caller = call.caller.map { PoolCaller($0.holder) }
        return message
    }

    /// A streamed body may still break off, so only its end counts as a success. A probe of an open circuit counts at once,
    /// because all other requests wait for it.
    private func watch(
        _ response: ClientResponse, _ breaker: CircuitBreaker, _ admission: CircuitState.Admission, requestID: String
    ) {
        guard let incoming = response.incoming, admission == .pass else { return breaker.succeeded(admission) }
        incoming.onCompletion = { [self] error in
            guard let error else { return breaker.succeeded(admission) }
            note(error, breaker, admission)
            if error.isAboutUpstream {
                telemetry.recordUpstreamFailure(error, route: breaker.route, requestID: requestID)
            }
        }
    }

    private func note(_ error: ClientError, _ breaker: CircuitBreaker, _ admission: CircuitState.Admission) {
        if !error.isAboutUpstream {
            breaker.abandoned(admission)
        } else if error.isUpstreamFailure {
            if breaker.failed(admission) { telemetry.recordOpenedCircuit(of: breaker.route) }
        } else {
            breaker.succeeded(admission)
        }
    }
}

extension UpstreamRequest {
    /// Of a response that can't be held only the status is known, but also that the request was carried out.
    fileprivate func error(_ error: ClientError) -> CallError {
        guard searchesResponse else { return CallError(error) }
        return switch error {
        case .responseTooLarge(let status?): .responseWithheld(upstreamStatus: status, reason: .tooLarge)
        case .noRoom(let status?): .responseWithheld(upstreamStatus: status, reason: .noRoom)
        default: CallError(error)
        }
    }

    /// The headers besides those that the route sets: `X-Request-Id`, the body's own, and the caller's headers that the route
    /// forwards, except those that the caller's `Connection` names (RFC 9110 section 7.6.1).
    fileprivate func headers(
        for call: Call, on route: Route, acceptEncoding: String?, contentType: String?
    ) throws(CallError) -> [(String, String)] {
        var headers: [(String, String)] = []
        headers.reserveCapacity(2 + route.forwardHeaders.count)
        headers.append(("X-Request-Id", call.id))
        if let contentType { headers.append(("Content-Type", contentType)) }
        // A compressed response can't be searched, and would be withheld after the request was carried out.
        if let coding = searchesResponse ? "identity" : acceptEncoding { headers.append(("Accept-Encoding", coding)) }
        if !contentCodings.isEmpty, !route.sets("content-encoding"), !route.forwardHeaders.contains("content-encoding")
        {
            headers += contentCodings.map { ("Content-Encoding", $0) }
        }
        for name in route.headersForwarded(of: call.head.headers) {
            if searchesResponse, name == "accept-encoding" { continue }
            for value in headerValues[name] ?? call.head.headers.texts(name) {
                guard let value else { throw .unreadableHeader(name) }
                headers.append((name, value))
            }
        }
        return headers
    }
}

extension Route {
    /// Names of the headers that are passed on of those that a caller has sent, in lower case.
    func headersForwarded(of received: Headers) -> [String] {
        forwardHeaders.filter { !received.isConnectionSpecific($0) && !sets($0) }
    }

    /// Whether every request has this header already. `name` in lower case.
    func sets(_ name: String) -> Bool {
        name == "x-request-id" || headers.contains { $0.name.lowercased() == name }
    }
}

extension PoolCaller {
    init(_ holder: Shares.Holder) { self.init(group: holder.groupHash, member: holder.memberHash) }
}

extension TLSClientContext {
    convenience init(_ tls: Route.TLS) throws(IOError) {
        try self.init(
            trustedCA: tls.ca, identity: tls.identity.map { ($0.certificate, $0.key) },
            minimumVersion: tls.minimumVersion == .tls13 ? .tls13 : .tls12)
    }
}
