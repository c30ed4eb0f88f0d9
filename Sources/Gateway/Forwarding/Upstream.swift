import Access
import Configuration
import EventHTTP
import EventIO
import HTTPWire
import Synchronization

/// What all requests of one route share: circuit breaker, connection limits, TLS, and headers that are serialized once.
final class Upstream: Sendable {
    /// The route's name.
    let name: String
    let timeouts: ClientTimeouts
    let breaker: CircuitBreaker
    /// For hosts that callers name; it never opens.
    let noBreaker: CircuitBreaker
    /// Headers that the route sets on every request, but for `Accept-Encoding`.
    let fixed: FieldBlock
    /// As `fixed`, with the `Content-Type` of JSON.
    let fixedForJSON: FieldBlock
    /// The `Accept-Encoding` that the route sets on requests whose responses are not searched; nil for none.
    let acceptEncoding: String?
    private let certificateName: String?
    private let trust: TLSClientContext?
    private let pool: PoolLimits
    /// Requests to hosts that callers name: all of them together, on all loops, may have as many connections as the route's own host has
    /// on one loop, and no caller all of these. Nil if the route has none such.
    private let namedHosts: Shares?
    /// The route's own host; nil if a caller must name one, or TLS is needed and the route has none.
    private let origin: Origin?

    /// - Parameter former: that of the same name in the configuration before: connections to the same host go on, and are counted there.
    init(_ route: Route, trust: TLSClientContext?, former: Upstream? = nil) throws(WireError) {
        name = route.name
        certificateName = route.tls.serverName
        self.trust = trust
        timeouts = ClientTimeouts(
            connect: route.timeouts.connect, response: route.timeouts.response, exchange: route.timeouts.total)
        breaker = CircuitBreaker(route.breaker, route: route.name)
        noBreaker = CircuitBreaker(Route.Breaker(failures: 0), route: route.name)
        pool = PoolLimits(active: route.pool.connections, idle: route.pool.idle, queue: route.pool.queue)
        namedHosts = if case .vgs(_, nil) = route.target { Shares(capacity: pool.active) } else { nil }
        let headers = route.headers.filter { $0.name.lowercased() != "accept-encoding" }.map { ($0.name, $0.value) }
        acceptEncoding = route.headers.first { $0.name.lowercased() == "accept-encoding" }?.value
        fixed = try FieldBlock(headers)
        fixedForJSON = try FieldBlock(headers + [("Content-Type", "application/json")])
        let base =
            if case .vgs(let tenant, let routeID) = route.target { tenant.base(routeID: routeID) } else {
                route.target.base
            }
        let made = base.flatMap { [pool] in Self.origin($0, of: route.name, route.tls.serverName, trust, pool) }
        origin = if let known = former?.origin, known == made { known } else { made }
    }

    /// Where a request to `base` goes; nil if it needs TLS and the route has none.
    ///
    /// - Parameter isHostNamed: whether the caller has named the host. There may be any number of such hosts, so at most one idle
    ///   connection to each is kept for a few seconds, and their names are looked up by a resolver of their own.
    func origin(of base: BaseURL, isHostNamed: Bool) -> Origin? {
        guard isHostNamed else { return origin }
        let pool = PoolLimits(
            active: pool.active, idle: min(pool.idle, 1), queue: pool.queue, idleTimeout: .seconds(5))
        return Self.origin(base, of: name, certificateName, trust, pool, .forCallers)
    }

    /// Counts a request to a host that its caller has named, or returns false if there are too many, or too many of the caller. Balanced
    /// by ``removeRequestToNamedHost(of:after:)``.
    func addRequestToNamedHost(of caller: Shares.Holder) -> Bool {
        namedHosts?.claim(for: caller, at: SystemClock.monotonicMilliseconds) == .granted
    }

    /// Ends the count of a request, after the end of `body` if that is still streamed.
    func removeRequestToNamedHost(of caller: Shares.Holder, after body: IncomingBody?) {
        guard let body else {
            namedHosts?.release(caller)
            return
        }
        body.onConnectionReleased = { [self] in removeRequestToNamedHost(of: caller, after: nil) }
    }

    /// Connections in use, their bound and requests that got none, with those to hosts that callers name.
    private func usage(loops: Int) -> (used: Int, limit: Int, refusals: Int)? {
        guard let origin else { return nil }
        let named = namedHosts?.usage
        return (
            origin.connectionsInUse.load(ordering: .relaxed) + (named?.used ?? 0),
            origin.pool.active * loops + (named?.capacity ?? 0),
            origin.refusals.load(ordering: .relaxed) + (named?.refusals ?? 0)
        )
    }

    /// The metrics of all routes: connections in use and their bound.
    static func write(_ upstreams: [Upstream], loops: Int, into text: inout MetricsText) {
        let usages = upstreams.compactMap { upstream in upstream.usage(loops: loops).map { (upstream.name, $0) } }
        text.begin(
            "cloakroom_upstream_connections", .gauge,
            "Connections of a route that requests use, with requests to hosts that callers name.")
        for (name, usage) in usages { text.sample(["route": name], Double(usage.used)) }
        text.begin(
            "cloakroom_upstream_connections_limit", .gauge,
            "Limit on the connections to a route's upstream, on all loops together.")
        for (name, usage) in usages { text.sample(["route": name], Double(usage.limit)) }
        text.begin(
            "cloakroom_upstream_connection_refusals_total", .counter,
            "Requests that got no connection: none was free in time, too many waited, or their caller had its share.")
        for (name, usage) in usages { text.sample(["route": name], Double(usage.refusals)) }
    }

    private static func origin(
        _ base: BaseURL, of route: String, _ certificateName: String?, _ trust: TLSClientContext?, _ pool: PoolLimits,
        _ resolver: Resolver = .shared
    ) -> Origin? {
        // An https base without a TLS context must not be sent in plaintext.
        guard !base.isSecure || trust != nil else { return nil }
        return Origin(
            host: base.host, port: base.port, tls: base.isSecure ? trust : nil, certificateName: certificateName,
            owner: route, pool: pool, resolver: resolver)
    }
}
