import EventHTTP
import EventIO
import HTTPWire

/// Sends bodies to upstreams and passes their answers back (docs/reference/proxy.md sections 3 to 6).
struct Forwarder: Sendable {
    private let client: Client
    /// By the route's name.
    private let passages: [String: Passage]
    private let telemetry: Telemetry

    /// Of an answer longer than this only so much is held; the rest is passed on while it arrives.
    static let held = 32_768

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
    /// - Parameters:
    ///   - isHostNamed: whether the caller has named the host: what becomes of the request says nothing of the route's own.
    ///   - held: of a longer answer only so much is held; the rest is passed on while it arrives.
    func forward(
        _ call: Call, _ body: [UInt8], route: Route, to base: BaseURL, isHostNamed: Bool = false, path: ForwardPath,
        holdingAtMost held: Int = Self.held
    ) async throws(Failure) -> Answer {
        let (response, microseconds) = try await exchange(
            call, body, contentType: "application/json", route: route, to: base, isHostNamed: isHostNamed,
            target: path.appended(to: base.path), holdingAtMost: held)
        return pass(response, of: route, after: microseconds)
    }

    /// Stops a call whose path the route does not offer.
    func demandAllowed(_ path: ForwardPath, on route: Route) throws(Failure) {
        guard let patterns = route.paths, !patterns.contains(where: { $0.matches(path) }) else { return }
        throw .fault(.notFound("the route has no such path"))
    }

    /// Stops a call to an upstream that is being rested, before anything is done for it.
    func demandAwake(_ route: Route) throws(Failure) {
        if let wait = passages[route.name]?.breaker.wait { throw Self.resting(wait, route.name) }
    }

    private static func resting(_ milliseconds: Int64, _ route: String) -> Failure {
        let fault = RequestFault.upstreamResting(retryAfter: Int((milliseconds + 999) / 1_000))
        return .unanswered(.fault(fault), route: route, microseconds: nil)
    }

    /// Sends a request of the call's method to `target`, path and query still encoded, and returns the answer, whatever its
    /// status, unless the upstream is being rested; with how long that took, if it is measured.
    ///
    /// - Parameters:
    ///   - contentCodings: how a body is coded that is sent as the caller has coded it (RFC 9110 section 8.4).
    ///   - replacing: other values for headers that the route passes on, by their names in lower case.
    ///   - held: as for ``forward(_:_:route:to:isHostNamed:path:holdingAtMost:)``; `.max` if the answer is needed to its end.
    ///   - tooLarge: what to say of an answer beyond the limit, if that is something of its own.
    func exchange(
        _ call: Call, _ body: [UInt8], contentType: String?, contentCodings: [String] = [], route: Route,
        to base: BaseURL, isHostNamed: Bool = false, target: String, replacing: [String: [String]] = [:],
        holdingAtMost held: Int = Self.held,
        tooLarge: Problem? = nil
    ) async throws(Failure) -> (response: ClientResponse, microseconds: Int64?) {
        guard let passage = passages[route.name], let origin = passage.origin(of: base, isHostNamed: isHostNamed)
        else { throw .problem(.secureConnectionFailed) }
        let isJSON = contentType == "application/json"
        var request = ClientRequest(
            method: call.head.method, target: target, fixed: isJSON ? passage.fixedForJSON : passage.fixed,
            headers: try headers(
                for: call, route, contentType: isJSON ? nil : contentType, contentCodings, replacing: replacing),
            body: body)
        request.endsWithTask = false
        let breaker = isHostNamed ? passage.noBreaker : passage.breaker
        let admission = breaker.admit()
        if case .refused(let wait) = admission { throw Self.resting(wait, route.name) }
        if isHostNamed, !passage.enterNamedHost() { throw .fault(.upstreamBusy) }
        let start = telemetry.startOfTiming
        do throws(ClientError) {
            let response = try await client.send(
                request, to: origin, timeouts: passage.timeouts, bufferingAtMost: held)
            if isHostNamed { passage.leaveNamedHost(behind: response.incoming) }
            watch(response, breaker, admission, requestID: call.id)
            return (response, telemetry.microseconds(since: start))
        } catch {
            if isHostNamed { passage.leaveNamedHost(behind: nil) }
            note(error, breaker, admission)
            telemetry.recordUpstreamFailure(error, route: passage.name, requestID: call.id)
            let failure = error == .responseTooLarge ? tooLarge.map { Failure.problem($0) } : nil
            throw .unanswered(
                failure ?? Failure(error), route: passage.name, microseconds: telemetry.microseconds(since: start))
        }
    }

    /// A body that is still to come may yet break off; only its end tells that the upstream is well. But others wait for a
    /// probe, and its head is enough for them.
    private func watch(
        _ response: ClientResponse, _ breaker: CircuitBreaker, _ admission: CircuitState.Admission, requestID: String
    ) {
        guard let incoming = response.incoming, admission == .pass else { return breaker.succeeded(admission) }
        incoming.onCompletion = { [self] error in
            guard let error else { return breaker.succeeded(admission) }
            note(error, breaker, admission)
            if error.speaksOfUpstream {
                telemetry.recordUpstreamFailure(error, route: breaker.route, requestID: requestID)
            }
        }
    }

    private func note(_ error: ClientError, _ breaker: CircuitBreaker, _ admission: CircuitState.Admission) {
        if !error.speaksOfUpstream {
            breaker.abandoned(admission)
        } else if error.isUpstreamFailure {
            if breaker.failed(admission) { telemetry.recordRest(of: breaker.route) }
        } else {
            breaker.succeeded(admission)
        }
    }

    /// What the gateway says itself, and what the route lets through of the caller's own, but nothing that the caller's
    /// `Connection` keeps to itself (RFC 9110 section 7.6.1). What the route sets comes before them. A value that is not UTF-8
    /// could only be passed on altered: the call is refused.
    private func headers(
        for call: Call, _ route: Route, contentType: String?, _ contentCodings: [String], replacing: [String: [String]]
    ) throws(Failure) -> [(String, String)] {
        var headers: [(String, String)] = []
        headers.reserveCapacity(2 + route.forwardHeaders.count)
        headers.append(("X-Request-Id", call.id))
        if let contentType { headers.append(("Content-Type", contentType)) }
        if !contentCodings.isEmpty, !route.sets("content-encoding"), !route.forwardHeaders.contains("content-encoding")
        {
            headers += contentCodings.map { ("Content-Encoding", $0) }
        }
        if route.forwardHeaders.isEmpty { return headers }
        let received = call.head.headers
        for name in route.forwardHeaders where !received.isConnectionSpecific(name) && !route.sets(name) {
            for value in replacing[name] ?? received.texts(name) {
                guard let value else { throw .fault(.malformed("the header \(name) is not UTF-8")) }
                headers.append((name, value))
            }
        }
        return headers
    }

    /// The answer as the caller gets it. Headers that the upstream's `Connection` keeps to its own connection are left out.
    ///
    /// - Parameters:
    ///   - microseconds: how long it took, if that was measured.
    ///   - body: what takes the place of the upstream's.
    func pass(
        _ response: ClientResponse, of route: Route, after microseconds: Int64?, body: [UInt8]? = nil
    ) -> Answer {
        var answer = Answer(status: response.status, body: body ?? response.body)
        if body == nil { answer.incoming = response.incoming }
        // With the status and what is said of every answer.
        answer.headers.reserveCapacity(route.responseHeaders.count + 2)
        var opaque: [(String, [UInt8])] = []
        for name in route.responseHeaders where !response.headers.isConnectionSpecific(name) {
            if let only = response.headers.onlyText(name) {
                answer.headers.append((name, only))
                continue
            }
            var values = response.headers.texts(name)
            // An answer has one date.
            if name.utf8.count == 4, name.lowercased() == "date" { values = Array(values.prefix(1)) }
            if values.contains(nil), !Self.isJudged(name) {
                // All of a name together, for their order has a meaning (RFC 9110 section 5.3).
                opaque += response.headers.opaque(name).map { (name, $0) }
            } else {
                for case let value? in values { answer.headers.append((name, value)) }
            }
        }
        if !opaque.isEmpty, let lines = try? FieldBlock(opaque: opaque) { answer.fixed = lines }
        answer.headers.append(("Cloakroom-Upstream-Status", String(response.status)))
        answer.upstreamStatus = response.status
        answer.upstream = UpstreamNote(route: route.name, microseconds: microseconds, held: response.buffered)
        return answer
    }

    /// Headers of which the server looks at the values before it passes them on.
    private static func isJudged(_ name: String) -> Bool {
        let name = name.lowercased()
        return name == "date" || name.hasPrefix("access-control-")
    }
}

extension Route {
    /// Whether every request has this header already. `name` in lower case.
    func sets(_ name: String) -> Bool {
        name == "x-request-id" || headers.contains { $0.name.lowercased() == name }
    }
}

extension TLSClientContext {
    convenience init(_ tls: Route.TLS) throws(IOError) {
        try self.init(
            trustedCA: tls.ca, identity: tls.identity.map { ($0.certificate, $0.key) },
            minimumVersion: tls.minimumVersion)
    }
}
