import EventHTTP
import EventIO
import HTTPWire

/// Sends bodies to upstreams and passes their answers back (reference, proxy sections 3 to 6).
struct Forwarder: Sendable {
    private let client: Client
    /// By the route's name.
    private let passages: [String: Passage]
    private let telemetry: Telemetry

    /// Of an answer longer than this only so much is held; the rest is passed on while it arrives.
    private static let held = 32_768

    init(client: Client, routes: [Route], telemetry: Telemetry) throws(IOError) {
        self.client = client
        self.telemetry = telemetry
        var contexts: [Route.TLS: TLSClientContext] = [:]
        var passages: [String: Passage] = [:]
        for route in routes where route.isRemote {
            var trust: TLSClientContext?
            if route.isSecure {
                var key = route.tls
                key.serverName = nil
                let context: TLSClientContext
                if let known = contexts[key] { context = known } else { context = try TLSClientContext(key) }
                contexts[key] = context
                trust = context
            }
            // The configuration has checked the headers; a route that cannot be written is one that is not there.
            passages[route.name] = try? Passage(route, trust: trust)
        }
        self.passages = passages
        telemetry.watch(passages.values.map(\.breaker).sorted { $0.route < $1.route })
    }

    /// Sends `body` with the call's method to `path` under `base`. Everything that is an HTTP answer is passed through,
    /// success or not; only its absence is an error of the gateway.
    ///
    /// - Parameter isHeldWhole: whether the answer is needed to its end before any of it is passed on.
    func forward(
        _ call: Call, _ body: [UInt8], route: Route, to base: BaseURL, path: ForwardPath, isHeldWhole: Bool = false
    ) async throws(Failure) -> Answer {
        guard let passage = passages[route.name], let origin = passage.origin(of: base) else {
            throw .problem(.secureConnectionFailed)
        }
        guard passage.allows(path) else { throw .fault(.notFound("the route has no such path")) }
        let request = ClientRequest(
            method: call.head.method, target: path.appended(to: base.path), fixed: passage.fixed,
            headers: headers(for: call, passage), body: body)
        let response = try await exchange(
            request, to: origin, passage, holdingAtMost: isHeldWhole ? .max : Self.held, requestID: call.id)
        return pass(response, of: route)
    }

    /// One exchange, unless the upstream is being rested.
    func exchange(
        _ request: ClientRequest, to origin: Origin, _ passage: Passage, holdingAtMost threshold: Int, requestID: String
    ) async throws(Failure) -> ClientResponse {
        let breaker = passage.breaker
        let admission = breaker.admit()
        if case .refused(let wait) = admission {
            throw .fault(.upstreamResting(retryAfter: Int((wait + 999) / 1_000)))
        }
        do throws(ClientError) {
            let response = try await client.send(
                request, to: origin, timeouts: passage.timeouts, holdingAtMost: threshold)
            breaker.succeeded(admission)
            return response
        } catch {
            if !error.speaksOfUpstream {
                breaker.abandoned(admission)
            } else if error.isTransportFailure {
                if breaker.failed(admission) { telemetry.recordRest(of: passage.route.name) }
            } else {
                breaker.succeeded(admission)
            }
            telemetry.recordUpstreamFailure(error, route: passage.route.name, requestID: requestID)
            throw Failure(error)
        }
    }

    /// What the gateway says itself, and what the route lets through of the caller's own, but nothing that the caller's
    /// `Connection` keeps to itself (RFC 9110 section 7.6.1).
    private func headers(for call: Call, _ passage: Passage) -> [(String, String)] {
        var headers = [("Content-Type", "application/json"), ("X-Request-Id", call.id)]
        let forwarded = passage.route.forwardHeaders
        if forwarded.isEmpty { return headers }
        let received = call.head.headers
        let own = received.all("Connection").flatMap { $0.split(separator: ",") }
            .map { $0.filter { $0 != " " && $0 != "\t" }.lowercased() }
        for name in forwarded where !own.contains(name) && !passage.ownNames.contains(name) {
            for value in received.all(name) { headers.append((name, value)) }
        }
        return headers
    }

    private func pass(_ response: ClientResponse, of route: Route) -> Answer {
        var answer = Answer(status: response.status, body: response.body)
        answer.incoming = response.incoming
        for name in route.responseHeaders {
            for value in response.headers.all(name) { answer.headers.append((name, value)) }
        }
        answer.headers.append(("Cloakroom-Upstream-Status", String(response.status)))
        answer.upstreamStatus = response.status
        return answer
    }
}

extension TLSClientContext {
    fileprivate convenience init(_ tls: Route.TLS) throws(IOError) {
        try self.init(
            trustedCA: tls.ca, identity: tls.identity.map { ($0.certificate, $0.key) },
            minimumVersion: tls.minimumVersion)
    }
}
