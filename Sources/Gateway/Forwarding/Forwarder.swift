import EventHTTP
import EventIO
import HTTPWire

/// Sends bodies to upstreams and passes their answers back (reference, proxy sections 3 to 6).
struct Forwarder: Sendable {
    private let client: Client
    /// Trust of each https route, by its name.
    private let trust: [String: TLSClientContext]
    private let telemetry: Telemetry

    init(client: Client, routes: [Route], telemetry: Telemetry) throws(IOError) {
        self.client = client
        self.telemetry = telemetry
        var contexts: [Route.TLS: TLSClientContext] = [:]
        var trust: [String: TLSClientContext] = [:]
        for route in routes where route.isSecure {
            let key = Route.TLS(ca: route.tls.ca, serverName: nil)
            let context: TLSClientContext
            if let known = contexts[key] { context = known } else { context = try TLSClientContext(trustedCA: key.ca) }
            contexts[key] = context
            trust[route.name] = context
        }
        self.trust = trust
    }

    /// Sends `body` with the call's method to `path` under `base`. Everything that is an HTTP answer is passed through,
    /// success or not; only its absence is an error of the gateway.
    func forward(
        _ call: Call, _ body: [UInt8], route: Route, to base: BaseURL, path: ForwardPath
    ) async throws(Failure) -> Answer {
        let response = try await exchange(
            call, body, contentType: "application/json", route: route, to: base, target: path.appended(to: base.path))
        return pass(response, of: route)
    }

    /// Sends a request of the call's method to `target`, path and query still encoded, and returns the answer, whatever its
    /// status.
    ///
    /// - Parameter replacing: other values for headers that the route passes on, by their names in lower case.
    func exchange(
        _ call: Call, _ body: [UInt8], contentType: String?, route: Route, to base: BaseURL, target: String,
        replacing: [String: [String]] = [:]
    ) async throws(Failure) -> ClientResponse {
        let origin = Origin(
            host: base.host, port: base.port, tls: base.isSecure ? trust[route.name] : nil,
            certificateName: route.tls.serverName)
        // Never in the clear what was meant to be secured.
        guard base.isSecure == (origin.tls != nil) else { throw .problem(.secureConnectionFailed) }
        let headers = headers(for: call, route, contentType: contentType, replacing: replacing)
        let request = ClientRequest(method: call.head.method, target: target, headers: headers, body: body)
        let timeouts = ClientTimeouts(connect: route.timeouts.connect, exchange: route.timeouts.total)
        do { return try await client.send(request, to: origin, timeouts: timeouts) } catch {
            telemetry.recordUpstreamFailure(error, route: route.name, requestID: call.id)
            throw Failure(error)
        }
    }

    /// What the route sets, and what it lets through of the caller's own, but nothing that the caller's `Connection`
    /// keeps to itself (RFC 9110 section 7.6.1).
    private func headers(
        for call: Call, _ route: Route, contentType: String?, replacing: [String: [String]]
    ) -> [(String, String)] {
        var headers = [("X-Request-Id", call.id)]
        headers.reserveCapacity(2 + route.headers.count + route.forwardHeaders.count)
        if let contentType { headers.append(("Content-Type", contentType)) }
        for (name, value) in route.headers { headers.append((name, value)) }
        if route.forwardHeaders.isEmpty { return headers }
        let received = call.head.headers
        let own = received.all("Connection").flatMap { $0.split(separator: ",") }
            .map { $0.filter { $0 != " " && $0 != "\t" }.lowercased() }
        for name in route.forwardHeaders where !own.contains(name) && !route.sets(name) {
            for value in replacing[name] ?? received.all(name) { headers.append((name, value)) }
        }
        return headers
    }

    /// The answer as the caller gets it.
    ///
    /// - Parameter body: what takes the place of the upstream's.
    func pass(_ response: ClientResponse, of route: Route, body: [UInt8]? = nil) -> Answer {
        var answer = Answer(status: response.status, body: body ?? response.body)
        for name in route.responseHeaders {
            for value in response.headers.all(name) { answer.headers.append((name, value)) }
        }
        answer.headers.append(("Cloakroom-Upstream-Status", String(response.status)))
        answer.upstreamStatus = response.status
        return answer
    }
}

extension Route {
    fileprivate var isSecure: Bool {
        switch target {
        case .echo: false
        case .upstream(let base), .reveal(let base, _): base.isSecure
        case .vgs: true
        }
    }

    /// Whether every request has this header already. `name` in lower case.
    func sets(_ name: String) -> Bool {
        name == "x-request-id" || headers.contains { $0.name.lowercased() == name }
    }
}

extension Failure {
    /// Why there is no answer of an upstream.
    init(_ error: ClientError) {
        switch error {
        case .timedOut: self = .problem(.timedOut)
        case .cannotFindHost: self = .problem(.cannotFindHost)
        case .cannotConnectToHost: self = .problem(.cannotConnectToHost)
        case .networkConnectionLost: self = .problem(.networkConnectionLost)
        case .secureConnectionFailed: self = .problem(.secureConnectionFailed)
        case .badServerResponse: self = .problem(.badServerResponse)
        case .unexpectedResponseType: self = .problem(.unexpectedResponseType)
        case .unsendableRequest: self = .fault(.malformed("a header of the request cannot be passed on"))
        case .cancelled: self = .fault(.unavailable)
        }
    }
}
